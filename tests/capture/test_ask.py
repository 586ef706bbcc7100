import socket
from urllib.parse import urlsplit

import pytest

from rankscope.capture import Target, collect
from tests.capture.conftest import MakeRequest
from tests.capture.fake_agent import fake_agent


async def test_the_address_that_was_checked_is_the_one_called(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a name that leads to an agent when it is checked, and elsewhere ever after
    addresses = iter(["127.0.0.1"])
    real = socket.getaddrinfo

    def resolve(host: str, *arguments: object, **named: object) -> object:
        if host != "gpu07.cluster":
            return real(host, *arguments, **named)  # type: ignore[arg-type]
        address = next(addresses, "169.254.169.254")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with fake_agent("gpu07") as agent:
        port = urlsplit(agent.url).port
        target = Target("gpu07", f"http://gpu07.cluster:{port}")
        # WHEN its stacks and NCCL are asked for, each after a check of its own
        collected = await collect(make_request(target), lambda _: None)

    # THEN the first address was called once, and nobody at the second one
    errors = [answer.error for answer in (*collected.answers, *collected.nccl)]
    assert len(agent.asked) == 1
    assert sum("in no agent network" in error for error in errors) == 1


async def test_agents_old_and_new_are_asked_to_send_stacks_once(
    make_request: MakeRequest,
) -> None:
    with fake_agent("gpu07") as agent:
        await collect(make_request(agent), lambda _: None)

    assert agent.bodies[0]["interned"] is True
    assert agent.bodies[0]["columns"] is True
