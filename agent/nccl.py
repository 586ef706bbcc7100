"""What can be said of NCCL on this node without asking it: its presence, version and RAS port.

Nothing of the job is run and nobody is asked, so that the job cannot be harmed.
"""

import mmap
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent.elf import NotElf, open_regular
from agent.environment import Mapping as FileMapping
from agent.environment import first_mappings, read_maps
from agent.node import Survey
from agent.procfs import PROC, read_text
from agent.roles import Member
from agent.sampling import now_text
from rankscope.model.capture import NcclAnswer, NcclOutcome, Role

RAS_SINCE = (2, 24)
"""The first NCCL with RAS, by its release notes."""
RAS_PORT = 28028
_LISTEN = "0A"
_VERSION = re.compile(rb"NCCL version (\d+\.\d+\.\d+)[^\s+\0]{0,16}\+cuda\d+\.\d+")
_NO_LIBRARY = "no NCCL library is loaded (CPU/gloo job or before the first collective)"


def ask(node: str, survey: Survey, job_id: str) -> NcclAnswer:
    """Return what is known about NCCL in the job's trainers; reads only files."""
    trainers = [m for m in survey.of_job(job_id) if m.role is Role.TRAINER]
    for member in trainers:
        library = find_library(member.proc.pid, read_maps(member.proc.pid))
        if library:
            outcome, version, detail = _judge(member, library)
            return NcclAnswer(
                node, outcome, asked_at=now_text(), nccl_version=version, detail=detail
            )
    outcome = NcclOutcome.NOT_INITIALISED
    return NcclAnswer(node, outcome, asked_at=now_text(), detail=_NO_LIBRARY)


def find_library(pid: int, maps: str) -> tuple[Path, ...]:
    """Return the paths under which the libnccl that a process has loaded may be read."""
    for path, mapping in first_mappings(maps).items():
        if re.match(r"libnccl\.so", Path(path).name):
            return tuple(_paths(pid, path, mapping))
    return ()


def _paths(pid: int, path: str, mapping: FileMapping) -> Iterator[Path]:
    yield Path(f"{PROC}/{pid}/root{path}")
    yield PROC / str(pid) / f"map_files/{mapping.low:x}-{mapping.high:x}"


def _judge(member: Member, library: tuple[Path, ...]) -> tuple[NcclOutcome, str | None, str]:
    version = next(filter(None, map(version_in, library)), None)
    if version is None:
        return NcclOutcome.UNSAFE, None, "The version of the loaded NCCL library is unknown."
    if tuple(map(int, version.split(".")[:2])) < RAS_SINCE:
        return NcclOutcome.UNSUPPORTED, version, f"NCCL {version} has no RAS; 2.24 is the first."
    if member.proc.env.get("NCCL_RAS_ENABLE", "1") != "1":
        return NcclOutcome.DISABLED, version, "NCCL_RAS_ENABLE turns RAS off in this job."
    port = ras_port(member.proc.env)
    if port not in listening_ports(member.proc.pid):
        return NcclOutcome.REFUSED, version, f"Nothing listens on NCCL's RAS port {port}."
    detail = f"RAS listens on port {port}; this version of the agent does not ask it yet."
    return NcclOutcome.UNSAFE, version, detail


def version_in(path: Path) -> str | None:
    """Return the NCCL version that a library file names, as `2.27.3`, or None."""
    try:
        descriptor = open_regular(path)
    except (OSError, NotElf):
        return None
    try:
        with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as content:
            match = _VERSION.search(content)
            return match[1].decode() if match else None
    except ValueError:  # an empty file
        return None
    finally:
        os.close(descriptor)


def ras_port(env: Mapping[str, str]) -> int:
    """Return the port of NCCL's RAS: of NCCL_RAS_ADDR, else 28028."""
    _, _, port = env.get("NCCL_RAS_ADDR", "").rpartition(":")
    return int(port) if port.isascii() and port.isdigit() and len(port) < 6 else RAS_PORT


def listening_ports(pid: int) -> frozenset[int]:
    """Return the TCP ports that are listened on in the process's network namespace."""
    folder = PROC / str(pid) / "net"
    tables = (read_text(folder / name) for name in ("tcp", "tcp6"))
    lines = [line.split() for table in tables for line in table.splitlines()[1:]]
    return frozenset(
        int(f[1].rpartition(":")[2], 16) for f in lines if len(f) > 3 and f[3] == _LISTEN
    )
