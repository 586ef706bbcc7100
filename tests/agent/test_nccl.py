"""NCCL on a node, asked of the real agent over HTTP; the RAS server runs inside the trainer."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.nccl_network import NotEntered
from tests.agent.client import Client
from tests.agent.conftest import Serve, free_port
from tests.agent.ras_target import RasTarget
from tests.agent.targets import JOB, Targets, is_alive, wait_until

pytestmark = pytest.mark.integration
Answer = dict[str, Any]


@pytest.fixture
def ras(targets: Targets) -> RasTarget:
    return RasTarget(targets)


@pytest.fixture
def agent(serve: Serve) -> Callable[..., Client]:
    def start(**changes: object) -> Client:
        return serve(**{"nccl_start_up_s": 0.0, **changes})

    return start


def asked(client: Client, **fields: object) -> Answer:
    answer, end = client.answer("POST", "/v1/nccl", {"job_id": JOB, **fields})
    assert end == {"end": True}
    found: Answer = answer["nccl"]
    return found


@pytest.mark.parametrize(
    ("version", "form"), [("2.30.7", "json"), ("2.24.3", "text"), ("2.28.9", "json")]
)
def test_a_listening_ras_is_asked_once(
    agent: Callable[..., Client], ras: RasTarget, version: str, form: str
) -> None:
    ras.start(version, port=free_port())

    answer = asked(agent())

    assert (answer["outcome"], answer["format"]) == ("answered", form)
    assert answer["nccl_version"] == version
    assert "7a11" in answer["raw"]
    wait_until(lambda: ras.asked()[1][-1:] == ["STATUS"])
    assert ras.asked()[0] == 1
    assert not any("VERBOSE" in command.upper() for command in ras.asked()[1])


def test_a_ras_that_listens_on_ipv6_alone(agent: Callable[..., Client], ras: RasTarget) -> None:
    ras.start(host="::1", port=free_port())

    assert asked(agent())["outcome"] == "answered"


def test_a_job_with_a_network_of_its_own(agent: Callable[..., Client], ras: RasTarget) -> None:
    ras.start(port=free_port(), own_network=True)

    assert asked(agent())["outcome"] == "answered"


def test_a_network_that_may_not_be_entered(
    agent: Callable[..., Client], ras: RasTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = ras.start(port=free_port(), own_network=True)

    def forbidden(*_: object) -> None:
        raise NotEntered(f"The network namespace of process {pid} cannot be entered.")

    monkeypatch.setattr("agent.nccl_network._setns", forbidden)
    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == ("refused", "unreachable")
    assert "cannot be entered" in answer["detail"]
    assert ras.was_left_alone()


def test_answers_of_one_capture_are_numbered(agent: Callable[..., Client], ras: RasTarget) -> None:
    ras.start(port=free_port())

    assert asked(agent(), sample=1)["sample"] == 1


@pytest.mark.parametrize(
    ("version", "variables", "outcome", "reason"),
    [
        ("2.21.5", {}, "unsupported", "too_old"),
        ("2.30.7", {"NCCL_RAS_ENABLE": "0"}, "disabled", "disabled"),
        ("2.26.2", {}, "unsafe", "dangerous"),
        ("2.27.3", {}, "unsafe", "dangerous"),
    ],
)
def test_what_stands_against_asking_is_told_and_nobody_is_asked(
    agent: Callable[..., Client],
    ras: RasTarget,
    version: str,
    variables: dict[str, object],
    outcome: str,
    reason: str,
) -> None:
    ras.start(version, port=free_port(), variables=variables)

    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == (outcome, reason)
    assert answer["nccl_version"] == version
    assert answer["detail"]
    assert ras.was_left_alone()


@pytest.mark.parametrize("version", ["2.26.2", "2.30.7"])
@pytest.mark.parametrize("sign", ["age", "stack"])
def test_a_job_that_starts_is_not_asked(
    agent: Callable[..., Client], ras: RasTarget, version: str, sign: str
) -> None:
    ras.start(version, port=free_port(), starts=sign == "stack")

    answer = asked(agent(nccl_start_up_s=3600.0 if sign == "age" else 0.0))

    assert (answer["outcome"], answer["reason"]) == ("unsafe", "starting")
    assert ras.was_left_alone()


@pytest.mark.parametrize(
    ("starts", "outcome", "reason"), [(False, "answered", ""), (True, "unsafe", "dangerous")]
)
def test_a_version_that_may_crash_is_asked_only_once_training_has_made_progress(
    agent: Callable[..., Client], ras: RasTarget, starts: bool, outcome: str, reason: str
) -> None:
    ras.start("2.26.2", "healthy", port=free_port(), starts=starts)

    answer = asked(agent(), progressed=True)

    assert (answer["outcome"], answer["reason"]) == (outcome, reason)
    assert ras.was_left_alone() == starts


def test_nobody_listens(agent: Callable[..., Client], ras: RasTarget) -> None:
    ras.start(variables={"NCCL_RAS_ADDR": f"localhost:{free_port()}"})

    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == ("refused", "refused")
    assert "listens on RAS's address" in answer["detail"]


def test_a_port_that_another_process_has_is_left_alone(
    agent: Callable[..., Client], ras: RasTarget
) -> None:
    port = free_port()
    ras.start(port=port, variables={"RANKSCOPE_JOB_ID": "jo-other"})
    ras.start(rank=1, variables={"NCCL_RAS_ADDR": f"127.0.0.1:{port}"})

    assert asked(agent())["outcome"] == "refused"
    assert ras.was_left_alone()


@pytest.mark.parametrize(
    ("behaviour", "outcome", "reason"),
    [
        ({"frozen_times": 99}, "frozen", "frozen"),
        ({"cut_at": 900}, "cut", "cut"),
        ({"hello": "220 mail.example"}, "unsupported", "not_ras"),
    ],
)
def test_a_server_that_misbehaves(
    agent: Callable[..., Client],
    ras: RasTarget,
    behaviour: dict[str, object],
    outcome: str,
    reason: str,
) -> None:
    ras.start(port=free_port(), behaviour=behaviour)

    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == (outcome, reason)


def test_a_version_with_the_walk_bug_is_not_asked_again_when_ranks_are_missing(
    agent: Callable[..., Client], ras: RasTarget
) -> None:
    ras.start("2.28.9", "silent", port=free_port())

    assert asked(agent())["again"] is False


def test_without_nccl_that_is_said(agent: Callable[..., Client], targets: Targets) -> None:
    targets.trainer(0)

    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == ("not_initialised", "not_loaded")
    assert "no NCCL library is loaded" in answer["detail"]


def test_a_library_that_names_no_version(
    agent: Callable[..., Client], ras: RasTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ras.library("2.30.7")
    path.write_bytes(b"nothing of the kind")
    monkeypatch.setattr(ras, "library", lambda _: path)
    ras.start(port=free_port())

    answer = asked(agent())

    assert (answer["outcome"], answer["reason"]) == ("unsafe", "version_unknown")
    assert ras.was_left_alone()


def test_a_dead_job(agent: Callable[..., Client], targets: Targets) -> None:
    client = agent()
    pid = targets.trainer(0)
    asked(client)
    targets.process(pid).kill()
    wait_until(lambda: not is_alive(pid))

    assert asked(client)["reason"] == "job_over"
