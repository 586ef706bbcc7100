import socket

import pytest

from rankscope.errors import ConfigurationError, NotAllowed
from rankscope.networks import check_endpoint
from rankscope.settings import PRIVATE_NETWORKS


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:8100",
        "https://10.1.2.3",
        "http://192.168.0.1:1/",
        "http://[::1]:8100",
        "http://[fd00::1]:8100",
        "http://[::ffff:10.0.0.1]:8100",
        "http://localhost:8100",
    ],
)
def test_addresses_inside_are_good(endpoint: str) -> None:
    check_endpoint(endpoint, PRIVATE_NETWORKS)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://8.8.8.8",
        "http://169.254.169.254",
        "http://0.0.0.0:80",
        "http://[2001:db8::1]",
        "http://[::ffff:8.8.8.8]",
        "http://172.32.0.1",
        "http://[fd00:ec2::254]",
    ],
)
def test_addresses_outside_are_refused(endpoint: str) -> None:
    with pytest.raises(NotAllowed, match="in no agent network"):
        check_endpoint(endpoint, PRIVATE_NETWORKS)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "10.0.0.1:80",
        "file:///etc/passwd",
        "http://",
        "http://127.0.0.1/admin/delete",
        "http://127.0.0.1/admin#",
        "http://127.0.0.1?x",
        "http://user@127.0.0.1",
        "http://127.0.0.1/ ",
        "http://10.0.0.1:0",
        "http://10.0.0.1:port",
        "http://[::1",
        "http://u:p@10.0.0.1",
        "http://10.0.0.1/?a=b",
        "http://10.0.0.1/#x",
    ],
)
def test_what_is_no_base_url_is_refused(endpoint: str) -> None:
    with pytest.raises(NotAllowed):
        check_endpoint(endpoint, PRIVATE_NETWORKS)


def test_a_name_is_good_only_if_all_its_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = ("10.0.0.1", 0), ("8.8.8.8", 0)

    def resolve(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", at) for at in (inside, outside)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(NotAllowed, match=r"8\.8\.8\.8"):
        check_endpoint("http://node-0:8100", PRIVATE_NETWORKS)


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(ConfigurationError, match="RANKSCOPE_AGENT_NETWORKS"):
        check_endpoint("http://10.0.0.1", "10.0.0.0/99")
