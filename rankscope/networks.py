"""Where agents may be: their addresses must lie inside the networks of the settings.

Without this, whoever can name an endpoint could make rankscope call any host.
"""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from rankscope.errors import ConfigurationError, NotAllowed

Address = IPv4Address | IPv6Address

# Nothing that could choose a path on the host, or hide which host it is.
_PLAIN = re.compile(
    r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?/?", re.IGNORECASE
)
# Cloud metadata services (AWS, Google, Alibaba) give out credentials; no agent is there.
_METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200"))
)
_HOW = "Give the agent another endpoint, or add its network to RANKSCOPE_AGENT_NETWORKS."


def check_endpoint(endpoint: str, networks: str) -> Address:
    """Check an agent's base URL; a host name is resolved, and all its addresses must be inside.

    Returns the address to connect to: a name might lead elsewhere when it is resolved once more.
    networks are CIDRs separated by commas. Raises NotAllowed with the reason, ConfigurationError
    when networks cannot be read. Resolving may take seconds: call it off the event loop.
    """
    parts = _split(endpoint)
    addresses = _addresses(parts)
    for address in addresses:
        if not _inside(address, networks):
            raise NotAllowed(f"The endpoint {endpoint} ({address}) is in no agent network.", _HOW)
    return addresses[0]


def _split(endpoint: str) -> SplitResult:
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError as error:
        raise NotAllowed(f"The endpoint {endpoint!r} is no URL: {error}.", _HOW) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise NotAllowed(f"The endpoint {endpoint!r} is no http or https URL with a host.", _HOW)
    if not _PLAIN.fullmatch(endpoint):
        raise NotAllowed(f"The endpoint {endpoint!r} has more than scheme, host and port.", _HOW)
    return parts


def _addresses(parts: SplitResult) -> list[Address]:
    host = parts.hostname or ""
    try:
        return [ip_address(host)]
    except ValueError:
        return _resolve(host)


def _resolve(host: str) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotAllowed(f"The host {host} cannot be resolved: {error}.", _HOW) from None
    # Agents listen on IPv4 unless told otherwise.
    return sorted((ip_address(str(entry[4][0])) for entry in found), key=lambda one: one.version)


def _inside(address: Address, networks: str) -> bool:
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    try:
        known = [ip_network(cidr.strip()) for cidr in networks.split(",") if cidr.strip()]
    except ValueError as error:
        raise ConfigurationError(f"RANKSCOPE_AGENT_NETWORKS cannot be read: {error}.") from None
    return address not in _METADATA and any(address in network for network in known)
