"""What files say of NCCL in a trainer: its library, its settings, and where its RAS listens.

Nothing of the job is run and nobody is asked.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.elf import NotElf, open_regular
from agent.environment import Mapping as FileMapping
from agent.environment import first_mappings, read_maps
from agent.nccl_sockets import Listener, listeners, own_sockets
from agent.procfs import PROC, inner_pid, read_text
from agent.roles import Member
from rankscope.errors import UnusableInput
from rankscope.nccl.client import DEFAULT_HOST, DEFAULT_PORT, parse_address
from rankscope.nccl.library import Features, Library, examine

UNKNOWN = Library(None, None, Features())
# libtorch_cuda.so holds NCCL where PyTorch was linked with it statically.
_LIBRARIES = (re.compile(r"libnccl\.so"), re.compile(r"libtorch_cuda\.so"))
_CONF_BYTES = 1 << 16
_TRUE = re.compile(r"\s*\+?(?:0*1|0[xX]0*1)(?![0-9a-fA-FxX])")
_remembered: dict[tuple[int, int, int, int], Library] = {}
_REMEMBERED_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Ras:
    """Where a trainer's RAS listens, as far as we can see; member is the process we looked at."""

    member: Member
    listener: Listener


def library_of(pid: int) -> Library | None:
    """Return the NCCL that a process has mapped; None when it has none.

    Its version is None when the file cannot be read or names none.
    """
    mappings = first_mappings(read_maps(pid))
    for pattern in _LIBRARIES:
        for path, mapping in mappings.items():
            if pattern.match(Path(path).name):
                found = _first_known(_paths(pid, path, mapping))
                if found.version or pattern is _LIBRARIES[0]:
                    return found
    return None


def _paths(pid: int, path: str, mapping: FileMapping) -> Iterator[Path]:
    """Yield the mapped file itself, then whatever lies under its name in the container now."""
    yield PROC / str(pid) / f"map_files/{mapping.low:x}-{mapping.high:x}"
    yield Path(f"{PROC}/{pid}/root{path}")


def _first_known(paths: Iterable[Path]) -> Library:
    return next((found for found in map(examined, paths) if found.version), UNKNOWN)


def examined(path: Path) -> Library:
    """Return what a library file holds, remembered by the file, since all ranks share it."""
    try:
        descriptor = open_regular(path)
    except (OSError, NotElf):
        return UNKNOWN
    try:
        info = os.fstat(descriptor)
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
        if key not in _remembered:
            if len(_remembered) >= _REMEMBERED_LIMIT:
                _remembered.clear()
            _remembered[key] = examine(Path(f"/proc/self/fd/{descriptor}"))
        return _remembered[key]
    except UnusableInput:
        return UNKNOWN
    finally:
        os.close(descriptor)


def settings_of(member: Member) -> dict[str, str]:
    """Return NCCL's settings of a process: its environment, then its configuration files.

    Order as in initEnv of NCCL's src/misc/param.cc: NCCL_CONF_FILE or ~/.nccl.conf, then
    /etc/nccl.conf; what is set already stays.
    """
    env = member.proc.env
    own = env.get("NCCL_CONF_FILE") or f"{env.get('HOME', '/root')}/.nccl.conf"
    found: dict[str, str] = {}
    for path in ("/etc/nccl.conf", own):
        found |= _conf(Path(f"{PROC}/{member.proc.pid}/root{os.path.join('/', path)}"))  # noqa: PTH118
    return found | {name: value for name, value in env.items() if name.startswith("NCCL_")}


def _conf(path: Path) -> dict[str, str]:
    try:
        descriptor = open_regular(path)
    except (OSError, NotElf):
        return {}
    try:
        text = os.read(descriptor, _CONF_BYTES).decode(errors="replace")
    finally:
        os.close(descriptor)
    lines = (line.strip() for line in text.splitlines() if not line.startswith("#"))
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def is_enabled(settings: Mapping[str, str]) -> bool:
    """Whether NCCL_RAS_ENABLE leaves RAS on: it does only when its number is 1 (strtoll)."""
    value = settings.get("NCCL_RAS_ENABLE", "")
    return not value or _TRUE.match(value) is not None


def address_of(settings: Mapping[str, str]) -> tuple[str, int]:
    """Return host and port of NCCL_RAS_ADDR, else localhost:28028."""
    try:
        return parse_address(settings.get("NCCL_RAS_ADDR", ""))
    except UnusableInput:
        return DEFAULT_HOST, DEFAULT_PORT


def find_ras(members: Iterable[Member]) -> Ras | None:
    """Return the first trainer that listens on its RAS port, and where; None when nobody does.

    Where we may not see whose socket it is, any listener on the port in its namespace counts.
    """
    for member in members:
        port = address_of(settings_of(member))[1]
        mine = own_sockets(member.proc.pid)
        for listener in listeners(member.proc.pid):
            if listener.port == port and (mine is None or listener.inode in mine):
                return Ras(member, listener)
    return None


def inner_pids(members: Iterable[Member]) -> frozenset[int]:
    """Return the PIDs as the job itself counts them, which is how RAS names its processes."""
    return frozenset(
        inner_pid(read_text(PROC / str(m.proc.pid) / "status"), m.proc.pid) for m in members
    )
