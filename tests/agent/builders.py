"""Processes as a scan would give them, made by hand."""

from collections.abc import Mapping

from agent.procfs import Stat
from agent.roles import Member, classify
from agent.scan import Key, Proc

JOB = {"RANKSCOPE_JOB_ID": "jo-1"}


def proc(
    pid: int,
    ppid: int = 1,
    *,
    rank: int | None = None,
    comms: tuple[str, ...] = (),
    cmdline: tuple[str, ...] = ("python", "train.py"),
    state: str = "S",
    start: int = 0,
    python: str | None = "3.11",
    comm: str = "python",
    env: Mapping[str, str] | None = None,
    libraries: tuple[str, ...] = (),
) -> Proc:
    """Return a Python process of job jo-1."""
    variables = {**JOB, **(env or {})}
    if rank is not None:
        variables["RANK"] = str(rank)
    stat = Stat(pid, comm, state, ppid, 0, start or pid)
    if python is None or state == "Z":
        return Proc(stat)
    return Proc(stat, python, cmdline, variables, frozenset(comms), "", libraries)


def members(*procs: Proc, orphans: Mapping[Key, Member] | None = None) -> dict[int, Member]:
    """Return the members found among processes, by PID."""
    found = classify({p.pid: p for p in procs}, ("RANKSCOPE_JOB_ID",), orphans or {})
    assert len({m.proc.pid for m in found}) == len(found)
    return {member.proc.pid: member for member in found}


def roles(*procs: Proc) -> dict[int, tuple[str, int | None]]:
    """Return role and rank of each member, by PID."""
    return {pid: (m.role.value, m.rank) for pid, m in members(*procs).items()}
