import os
import socket

import pytest

from agent.nccl_sockets import listeners, own_sockets


@pytest.mark.parametrize(
    ("bound", "reached"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("0.0.0.0", "127.0.0.1"), ("::", "::1")],
)
def test_a_listening_socket_is_found_with_its_owner(bound: str, reached: str) -> None:
    family = socket.AF_INET6 if ":" in bound else socket.AF_INET
    with socket.create_server((bound, 0), family=family) as listener:
        port = listener.getsockname()[1]
        found = [one for one in listeners(os.getpid()) if one.port == port]

        assert [one.host for one in found] == [reached]
        assert found[0].inode in (own_sockets(os.getpid()) or ())
        assert found[0].inode not in (own_sockets(os.getppid()) or ())
    assert not [one for one in listeners(os.getpid()) if one.port == port]


def test_a_process_that_is_gone() -> None:
    assert own_sockets(1 << 22) is None
    assert listeners(1 << 22) == ()
