"""Turn a member of a job into its row of a capture (docs/capture-format.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from agent.masking import READ_LIMIT, mask, mask_arguments
from agent.outcome import Dump, Reason
from agent.procfs import TaskFacts, read_stat, read_tasks
from agent.roles import Member
from agent.threads import corrected
from rankscope.model.capture import Role

_VALUE_LIMIT = 512
_DATALOADER_LOOP = "_worker_loop"


def shown_environment(env: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return the allow-listed variables, with anything that looks like a secret masked."""
    return {name: mask(env[name][:READ_LIMIT])[:_VALUE_LIMIT] for name in names if name in env}


def row(member: Member, shown: Iterable[str], dump: Dump) -> dict[str, Any]:
    """Return the row of a process; states are read now, so that they belong to the dump."""
    proc = member.proc
    tasks = () if member.role is Role.DEAD else read_tasks(proc.pid)
    threads = corrected(dump.threads or [], tasks)
    return {
        "pid": proc.pid,
        "ppid": proc.stat.ppid,
        "rank": member.rank,
        "local_rank": member.local_rank,
        "role": _role(member, threads),
        **_state(member, tasks),
        "cmdline": mask_arguments(proc.cmdline),
        "env": shown_environment(proc.env, shown),
        "python": proc.python,
        "mode": dump.mode if dump.attempts else "",
        "error": member.error or dump.error,
        "pause_ms": dump.pause_ms,
        "attempts": dump.attempts,
        "torn": dump.torn,
        "tasks": [_task(facts) for facts in tasks],
        "threads": threads,
    }


def _role(member: Member, threads: list[dict[str, Any]]) -> Role:
    """Tell a forked worker, which looks like its trainer in /proc, by torch's worker loop."""
    if member.role is Role.HELPER and any(map(_is_dataloader, threads)):
        return Role.DATALOADER
    return member.role


def _is_dataloader(thread: dict[str, Any]) -> bool:
    return any(
        frame.get("name") == _DATALOADER_LOOP and "torch/utils/data" in frame.get("filename", "")
        for frame in thread.get("frames") or ()
    )


def _state(member: Member, tasks: tuple[TaskFacts, ...]) -> dict[str, str]:
    main = next((f.task for f in tasks if f.task.tid == member.proc.pid), None)
    if main:
        return {"state": main.state, "wchan": main.wchan}
    stat = read_stat(member.proc.pid) if member.role is not Role.DEAD else None
    return {"state": stat.state if stat else member.proc.stat.state, "wchan": ""}


def _task(facts: TaskFacts) -> dict[str, Any]:
    task = facts.task
    found = {"tid": task.tid, "comm": task.comm, "state": task.state, "wchan": task.wchan}
    found["cpu_ticks"] = task.cpu_ticks
    if facts.kernel_stack:
        found["kernel_stack"] = facts.kernel_stack
    return found


def without_dump(member: Member) -> Dump | None:
    """Return the outcome of a process that py-spy need not be tried on, else None."""
    if not member.proc.alive:
        return Dump(reason=Reason.ZOMBIE)
    if member.role is Role.DEAD:
        return Dump(reason=Reason.GONE)
    return Dump(reason=Reason.NOT_PYTHON) if member.proc.python is None else None
