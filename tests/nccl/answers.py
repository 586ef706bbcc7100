"""Composes RAS answers of any version from one description of a job, as NCCL would print them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

KINDS = ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")
ORDER = ("ABORT", "FINALIZE", "RUNNING", "INIT", "NOCOMM")
ERRORS = {
    1: "Unhandled CUDA error",
    2: "System error",
    3: "Internal error",
    6: "Remote process error",
}


@dataclass(frozen=True)
class Member:
    """A rank; absent is "", "silent", "dead" or "outside"."""

    rank: int
    host: str
    pid: int
    gpu: int = 0
    launched: tuple[tuple[str, int], ...] = (("AllReduce", 100),)
    init: int = 0
    asynchronous: int = 0
    finalize: bool = False
    abort: bool = False
    absent: str = ""

    @property
    def state(self) -> str:
        if self.absent == "outside":
            return "NOCOMM"
        if self.abort:
            return "ABORT"
        if self.finalize:
            return "FINALIZE"
        return "INIT" if self.init else "RUNNING"

    def count(self, kind: str) -> int:
        if kind == "collective":
            return sum(number for _, number in self.launched)
        return dict(self.launched).get(kind, 0)


@dataclass(frozen=True)
class Comm:
    hash: int
    members: tuple[Member, ...]

    def but(self, rank: int, **changes: Any) -> "Comm":
        """Return the communicator with one rank changed."""
        changed = [replace(m, **changes) if m.rank == rank else m for m in self.members]
        return replace(self, members=tuple(changed))

    @property
    def answered(self) -> list[Member]:
        return [member for member in self.members if not member.absent]

    @property
    def lost(self) -> list[Member]:
        return [member for member in self.members if member.absent in {"silent", "dead"}]

    @property
    def responded(self) -> list[Member]:
        return [member for member in self.members if member.absent in {"", "outside"}]


@dataclass(frozen=True)
class Job:
    """A job with one GPU a process; the first communicator spans it."""

    comms: tuple[Comm, ...]
    version: str = "2.30.7"
    timeouts: int = 0
    at: str = "2026-03-04 05:06:07"

    @property
    def is_old(self) -> bool:
        return numbers(self.version) < (2, 26)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def world(nodes: int = 2, per_node: int = 4, name: int = 0x7A11, **common: Any) -> Comm:
    members = [
        Member(r, f"10.0.0.{r // per_node + 1}", 4000 + r, r % per_node, **common)
        for r in range(nodes * per_node)
    ]
    return Comm(name, tuple(members))


def split(whole: Comm, ranks: Iterable[int], name: int, **common: Any) -> Comm:
    """Return a communicator of some ranks of another, numbered anew."""
    chosen = [whole.members[rank] for rank in ranks]
    members = [replace(m, rank=number, **common) for number, m in enumerate(chosen)]
    return Comm(name, tuple(members))


def flags(comm: Comm, is_old: bool) -> tuple[str, ...]:
    kinds = ("collective",) if is_old else KINDS
    differs = len({m.state for m in comm.responded}) > 1 or any(
        len({m.count(kind) for m in comm.answered}) > 1 for kind in kinds
    )
    failed = any(m.init not in {0, 7} or m.asynchronous not in {0, 7} for m in comm.answered)
    found = {"INCOMPLETE": bool(comm.lost), "ERROR": failed, "MISMATCH": differs}
    return tuple(flag for flag, is_set in found.items() if is_set)


def status(comm: Comm) -> str:
    return min((m.state for m in comm.responded), key=ORDER.index)


def as_text(job: Job, verbose: bool = False) -> str:
    """Print a job as the text report of its version."""
    groups = _grouped(job)
    lines = [*_head(job), *_table(job, groups), ""]
    lines += ["Errors", "======", "", *_error_blocks(job, groups, verbose)]
    lines += ["Warnings", "========", "", *_warning_blocks(job, groups, verbose)]
    return "\n".join(lines) + "\n"


Groups = list[list[Comm]]


def _grouped(job: Job) -> Groups:
    groups: dict[tuple[object, ...], list[Comm]] = {}
    for comm in job.comms:
        hosts = len({m.host for m in comm.answered})
        key = (-len(comm.members), -hosts, ORDER.index(status(comm)), flags(comm, job.is_old))
        groups.setdefault(key, []).append(comm)
    return [groups[key] for key in sorted(groups)]


def _head(job: Job) -> list[str]:
    everyone = {(m.host, m.pid) for comm in job.comms for m in comm.members}
    hosts = Counter(host for host, _ in everyone)
    each = max(hosts.values(), default=0)
    sizes = f"{len(hosts):7d}  {each:9d}  {int(bool(each)):11d}"
    seconds = "0.00s" if numbers(job.version) < (2, 28, 7) else "0.001s"
    return [
        f"NCCL version {job.version} compiled with CUDA 12.9",
        "CUDA runtime version 12090, driver version 12080",
        "",
        "Job summary",
        "===========",
        "",
        "  Nodes  Processes         GPUs  Processes     GPUs",
        "(total)   per node  per process    (total)  (total)",
        f"{sizes}  {len(everyone):9d}  {len(everyone):7d}",
        "",
        f"Communicators... ({seconds})",
        "=============",
        "",
    ]


def _table(job: Job, groups: Groups) -> list[str]:
    header = [
        "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors",
        "    #  in group  per comm  per node  per comm  in group",
    ]
    if not groups:
        return [*(header if job.is_old else []), "No communicator data collected!"]
    return header + [_row(job, number, comms) for number, comms in enumerate(groups)]


def _row(job: Job, number: int, comms: list[Comm]) -> str:
    each = Counter((index, m.host) for index, comm in enumerate(comms) for m in comm.answered)
    low, high = min(each.values()), max(each.values())
    spread = str(low) if low == high else f"{low}-{high}"
    nodes = len({m.host for m in comms[0].answered})
    answered = len({(m.host, m.pid) for comm in comms for m in comm.answered})
    errors = ",".join(flags(comms[0], job.is_old)) or "OK"
    word = _word(job, status(comms[0]))
    size = len(comms[0].members)
    return (
        f"{number:5d}  {len(comms):8d}  {nodes:8d}  {spread:>8}  {size:8d}  {answered:8d}"
        f"  {word:>8}  {errors:>6}"
    )


def _word(job: Job, state: str) -> str:
    return "UNKNOWN" if job.is_old and state == "NOCOMM" else state


def _who(member: Member) -> str:
    return f"GPU {member.gpu} managed by process {member.pid} on node {member.host}"


def _listed(number: int, total: int | None, verbose: bool) -> bool:
    if number == 1:
        return True
    if verbose:
        return total is None or 2 * number < total
    return number <= 10 and (total is None or 4 * number <= total)


def _plural(number: int, word: str, ending: str = "s") -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}{ending}"


def _error_blocks(job: Job, groups: Groups, verbose: bool) -> list[str]:
    lines: list[str] = []
    lost = {(m.host, m.pid): m for comm in job.comms for m in comm.lost}
    for absent, title in (("silent", "INCOMPLETE"), ("dead", "DEAD")):
        found = [m for _, m in sorted(lost.items()) if m.absent == absent]
        lines += _process_block(title, found, verbose) if found else []
    for place, comm in _places(groups):
        if comm.lost:
            lines += [f"#{place} ({comm.hash:016x}) INCOMPLETE", *_missing(job, comm, verbose), ""]
        if "ERROR" in flags(comm, job.is_old):
            lines += [f"#{place} ({comm.hash:016x}) ERROR", *_failures(comm, verbose), ""]
    return lines


def _places(groups: Groups) -> list[tuple[str, Comm]]:
    return [(f"{g}-{i}", comm) for g, comms in enumerate(groups) for i, comm in enumerate(comms)]


def _process_block(title: str, found: Sequence[Member], verbose: bool) -> list[str]:
    number = len(found)
    if title == "INCOMPLETE":
        head = f"  Missing communicator data from {_plural(number, 'job process', 'es')}"
    else:
        are = "is" if number == 1 else "are"
        network = "(unreachable via the RAS network)"
        head = f"  {_plural(number, 'job process', 'es')} {are} considered dead {network}"
    lines = [title, head]
    if _listed(number, None, verbose):
        lines += [f"  Process {m.pid} on node {m.host} managing GPU {m.gpu}" for m in found]
    return [*lines, ""]


def _missing(job: Job, comm: Comm, verbose: bool) -> list[str]:
    lost = comm.lost
    lines = [f"  Missing communicator data from {_plural(len(lost), 'rank')}"]
    if _listed(len(lost), None, verbose):
        if job.is_old:
            word = "rank" if len(lost) == 1 else "ranks"
            lines.append(f"  The missing {word}: {','.join(str(m.rank) for m in lost)[:1023]}")
        else:
            lines += [f"  Rank {m.rank} -- {_who(m)}" for m in lost]
    return lines


def _failures(comm: Comm, verbose: bool) -> list[str]:
    lines: list[str] = []
    stages: tuple[tuple[str, Callable[[Member], int]], ...] = (
        ("Initialization", lambda m: m.init),
        ("Asynchronous", lambda m: m.asynchronous),
    )
    for title, code_of in stages:
        failed = [m for m in comm.answered if code_of(m) not in {0, 7}]
        if not failed:
            continue
        errors = "error" if len(failed) == 1 else "errors"
        lines.append(f"  {title} {errors} on {_plural(len(failed), 'rank')}")
        by_code = Counter(code_of(m) for m in failed if code_of(m) in ERRORS)
        for code, number in by_code.most_common():
            members = [m for m in failed if code_of(m) == code]
            if number == 1:
                who = f"Rank {members[0].rank}"
                lines.append(f"  {who} reported {ERRORS[code]} -- {_who(members[0])}")
                continue
            lines.append(f"  {number} ranks reported {ERRORS[code]}")
            if _listed(number, None, verbose):
                lines += [f"  Rank {m.rank} -- {_who(m)}" for m in members]
    return lines


def _warning_blocks(job: Job, groups: Groups, verbose: bool) -> list[str]:
    lines: list[str] = []
    if job.timeouts:
        timeouts = _plural(job.timeouts, "communication timeout")
        lines += ["TIMEOUT", f"  Encountered {timeouts} while gathering communicator data", ""]
    for place, comm in _places(groups):
        if "MISMATCH" in flags(comm, job.is_old):
            lines += [f"#{place} ({comm.hash:016x}) MISMATCH", *_mismatch(job, comm, verbose)]
    return lines


def _mismatch(job: Job, comm: Comm, verbose: bool) -> list[str]:
    lines: list[str] = []
    if len({m.state for m in comm.responded}) > 1:
        lines.append("  Communicator ranks have different status")
        lines += _state_lines(job, comm, verbose)
    for kind in ("collective",) if job.is_old else KINDS:
        if len({m.count(kind) for m in comm.answered}) > 1:
            lines.append(f"  Communicator ranks have different {kind} operation counts")
            lines += _count_lines(job, comm, kind, verbose)
            lines += [] if job.is_old else [""]
    return [*lines, ""] if job.is_old else lines


def _state_lines(job: Job, comm: Comm, verbose: bool) -> list[str]:
    lines: list[str] = []
    for state, number in Counter(m.state for m in comm.responded).most_common():
        members = [m for m in comm.responded if m.state == state]
        word = _word(job, state)
        if number == 1:
            who = "" if word == "UNKNOWN" else f" -- {_who(members[0])}"
            lines.append(f"  Rank {members[0].rank} has status {word}{who}")
            continue
        lines.append(f"  {number} ranks have status {word}")
        if _listed(number, len(comm.members), verbose):
            lines += _names(word, members)
    return lines


def _names(word: str, members: Sequence[Member]) -> list[str]:
    if word == "UNKNOWN":
        return [f"  The unknown ranks: {','.join(str(m.rank) for m in members)}"]
    return [f"  Rank {m.rank} -- {_who(m)}" for m in members]


def _count_lines(job: Job, comm: Comm, kind: str, verbose: bool) -> list[str]:
    lines: list[str] = []
    counts = Counter(m.count(kind) for m in comm.answered)
    for value, number in sorted(counts.items(), key=lambda item: (-item[1], -item[0])):
        none = value == 0 and not job.is_old
        did = "not launched any operations" if none else f"launched up to operation {value}"
        members = [m for m in comm.answered if m.count(kind) == value]
        if number == 1:
            lines.append(f"  Rank {members[0].rank} has {did} -- {_who(members[0])}")
            continue
        lines.append(f"  {number} ranks have {did}")
        if _listed(number, len(comm.members), verbose):
            lines += [f"  Rank {m.rank} -- {_who(m)}" for m in members]
    return lines
