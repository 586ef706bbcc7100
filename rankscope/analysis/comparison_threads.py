"""The threads of one rank in two captures, beside its main one."""

from collections.abc import Iterator

from rankscope.analysis.names import call_site
from rankscope.analysis.stacks import Stack, StackReader
from rankscope.analysis.threads import distinct
from rankscope.model.capture import Process, Thread
from rankscope.model.report import RankChange, ThreadComparison

MOST_THREADS = 32
"""So many threads of a rank are told of, those that stand still last."""
_ORDER = {"new": 0, "gone": 1, "moved": 2, "frozen": 3}
_Key = tuple[object, int]


def compared_threads(
    before: Process, after: Process, reader: StackReader
) -> tuple[ThreadComparison, ...]:
    """Return what the threads of a rank did; those that wait by design in both are left out.

    Threads are the same by their kernel ids in one process, else by name and order.
    """
    by_id = before.pid == after.pid
    old, new = dict(_keyed(before, reader, by_id)), dict(_keyed(after, reader, by_id))
    found = [
        _thread(old.get(key), new.get(key), reader)
        for key in dict.fromkeys((*old, *new))
        if not all(_is_idle(thread, reader) for thread in (old.get(key), new.get(key)) if thread)
    ]
    return tuple(sorted(found, key=lambda thread: _ORDER.get(thread.change, 4))[:MOST_THREADS])


def _keyed(process: Process, reader: StackReader, by_id: bool) -> Iterator[tuple[_Key, Thread]]:
    main = reader.main_thread(process)
    counts: dict[object, int] = {}
    for thread in distinct(process.threads):
        if thread is main or not thread.frames:
            continue
        name = thread.os_thread_id if by_id and thread.os_thread_id else thread.name
        counts[name] = counts.get(name, 0) + 1
        yield (name, counts[name]), thread


def _is_idle(thread: Thread, reader: StackReader) -> bool:
    return reader.is_service(thread.frames)


def _thread(before: Thread | None, after: Thread | None, reader: StackReader) -> ThreadComparison:
    one = reader.read(before.frames) if before else None
    other = reader.read(after.frames) if after else None
    change: RankChange = "gone" if one else "new"
    if one and other:
        is_same = one.functions == other.functions and one.program == other.program
        change = "frozen" if is_same else "moved"
    name = next((t.name for t in (after, before) if t and t.name), "")
    return ThreadComparison(name, change, place_of(one), place_of(other))


def place_of(stack: Stack | None) -> str:
    """Return the operation and the place in the program that called it, in one line."""
    if stack is None:
        return ""
    frame = stack.frames[stack.depth] if stack.frames else None
    if stack.shown and frame is not stack.shown and frame is not None:
        return f"{call_site(frame)} ← {call_site(stack.shown)}"
    return call_site(frame) if frame else ""
