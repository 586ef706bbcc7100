"""Judge and correct py-spy's threads with what /proc says about the same moment; pure."""

from collections.abc import Iterable
from typing import Any

from agent.outcome import Threads
from agent.procfs import TaskFacts

# Where a main thread begins: a script or `-m` module, a thread's start, the end of the interpreter.
_ROOTS = ("<module>", "_run_module_as_main", "_shutdown", "_bootstrap")


def outermost(threads: Threads, main_tid: int) -> str | None:
    """Return the name of the main thread's outermost frame, or None when it has no frames."""
    for thread in threads:
        if thread.get("os_thread_id") == main_tid and thread.get("frames"):
            return str(thread["frames"][-1].get("name", ""))
    return None


def is_plausible(root: str | None) -> bool:
    """Whether a stack ends where main threads end; one read while it changed often does not."""
    return root is None or root.rsplit(".", 1)[-1] in _ROOTS


def without_doubles(threads: Threads) -> Threads:
    """Keep the fullest entry of each thread.

    In Python 3.11 and 3.12 a thread being created appears as a second, empty entry of its creator.
    """
    best: dict[object, dict[str, Any]] = {}
    for thread in threads:
        key = thread.get("os_thread_id") or ("id", thread.get("thread_id"))
        if key not in best or _depth(thread) > _depth(best[key]):
            best[key] = thread
    return list(best.values())


def _depth(thread: dict[str, Any]) -> int:
    return len(thread.get("frames") or ())


def corrected(threads: Threads, tasks: Iterable[TaskFacts]) -> Threads:
    """Return the threads with host thread ids, and `active`, `state` and `wchan` from /proc.

    py-spy gives ids of the target's own PID namespace, and its `active` is always true across PID
    namespaces and, when nonblocking, for Python 3.8 to 3.10.
    """
    by_inner = {facts.inner_tid: facts for facts in tasks}
    return [_corrected(thread, by_inner) for thread in threads]


def _corrected(thread: dict[str, Any], by_inner: dict[int, TaskFacts]) -> dict[str, Any]:
    inner = thread.get("os_thread_id")
    facts = by_inner.get(inner) if isinstance(inner, int) else None
    if facts is None:
        return {**thread, "active": None}
    task = facts.task
    known = {"os_thread_id": task.tid, "active": task.state == "R"}
    return {**thread, **known, "state": task.state, "wchan": task.wchan, "inner_tid": inner}
