"""Send what is alike on a node once (docs/agent-api.md, "Interned answers"); pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

_THREAD = ("thread_name", "active", "owns_gil")
_TASKS_OWN = frozenset({"tid", "cpu_ticks"})
_PROCESSES_OWN = frozenset({"pid", "ppid", "rank", "local_rank", "env", "threads", "tasks"})


class _Numbers:
    """Numbers values; equal ones get the same number, and are written down once."""

    def __init__(self, written: Callable[[Any], object] = lambda value: value) -> None:
        self._known: dict[bytes, int] = {}
        self._written = written
        self.values: list[object] = []

    def __call__(self, value: object) -> int:
        key = msgspec.json.encode(value)
        number = self._known.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(self._written(value))
        return number


def interned(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample with `stacks`, and threads that name theirs by number as `stack`."""
    stacks = _Numbers()

    def thread(raw: Mapping[str, Any]) -> dict[str, Any]:
        rest = {name: value for name, value in raw.items() if name != "frames"}
        return {**rest, "stack": stacks(raw.get("frames") or [])}

    processes = [
        {**process, "threads": [thread(raw) for raw in process["threads"]]}
        for process in sample["processes"]
    ]
    return {**sample, "stacks": stacks.values, "processes": processes}


def columns(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample with rows of numbers: whatever processes have in common is listed once.

    Of a thread only what the analysis reads is kept; its state and wait channel are its task's.
    """
    stacks = _Numbers(_short)
    thread_kinds, task_kinds, process_kinds = _Numbers(), _Numbers(), _Numbers()

    def thread_kind(raw: Mapping[str, Any]) -> dict[str, Any]:
        stack = stacks(raw.get("frames") or [])
        return {name: raw.get(name) for name in _THREAD} | {"stack": stack}

    def process(raw: Mapping[str, Any]) -> dict[str, Any]:
        threads, tasks = raw["threads"], raw["tasks"]
        return {
            **{name: value for name, value in raw.items() if name in _PROCESSES_OWN},
            "kind": process_kinds(_without(raw, _PROCESSES_OWN)),
            "threads": {
                "kinds": [thread_kinds(thread_kind(thread)) for thread in threads],
                "ids": _column(threads, "os_thread_id"),
            },
            "tasks": {
                "kinds": [task_kinds(_without(task, _TASKS_OWN)) for task in tasks],
                "ids": _column(tasks, "tid"),
                "cpu_ticks": _column(tasks, "cpu_ticks"),
            },
        }

    processes = [process(raw) for raw in sample["processes"]]
    return {
        **sample,
        "stacks": stacks.values,
        "thread_kinds": thread_kinds.values,
        "task_kinds": task_kinds.values,
        "process_kinds": process_kinds.values,
        "processes": processes,
    }


def _short(stack: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return frames without what says nothing: null, false, 0 and empty texts."""
    return [{name: v for name, v in frame.items() if v or name == "name"} for frame in stack]


def _column(rows: Iterable[Mapping[str, Any]], name: str) -> list[Any]:
    return [row.get(name) for row in rows]


def _without(row: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
