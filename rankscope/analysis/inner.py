"""What a rank's main thread waits for within the rank: its data workers, or a thread of its own."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rankscope.analysis.kernel import Wait, wait_of
from rankscope.analysis.names import call_site, frame_kind
from rankscope.analysis.positions import ThreadPlace
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.threads import task_of
from rankscope.analysis.trainers import Member
from rankscope.analysis.views import RankView
from rankscope.analysis.words import site_of, tell
from rankscope.model.capture import Frame, Process, Role
from rankscope.model.text import Text

_WAITING_WITHIN = frozenset({"data", "lock_queue"})


@dataclass(frozen=True, slots=True)
class Inner:
    """The place within the rank that holds its main thread up.

    count is the number of data workers there, name that of the thread; both may be unknown.
    """

    kind: Literal["workers", "thread"]
    site: str
    wait: Wait
    is_running: bool = False
    count: int = 1
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Worker:
    site: str
    wait: Wait
    is_running: bool


def inner_of(view: RankView | None, reader: StackReader) -> Inner | None:
    """Return where the workers or the thread are that a rank's main thread waits for."""
    if view is None or view.last.family not in _WAITING_WITHIN:
        return None
    busy = [found for member in view.helpers if (found := _busy_worker(member, reader))]
    if busy:
        place, count = Counter(busy).most_common(1)[0]
        return Inner("workers", place.site, place.wait, place.is_running, count)
    thread = guilty_thread(view)
    if thread is None:
        return None
    return Inner("thread", site_of(thread.stack), thread.wait, name=thread.name)


def guilty_thread(view: RankView) -> ThreadPlace | None:
    """Return the one thread beside the main one that does not itself wait for a queue or lock."""
    if view.last.family != "lock_queue":
        return None
    busy = [place for place in view.last.others if _is_busy(place)]
    return busy[0] if len(busy) == 1 else None


def _is_busy(place: ThreadPlace) -> bool:
    meaning = place.stack.meaning
    return meaning is None or meaning.family.name != "lock_queue"


def is_data_worker(process: Process, reader: StackReader) -> bool:
    """Whether a process is a data worker, by its label or by its stack."""
    if process.role is Role.DATALOADER:
        return True
    return reader.process_role(process) == "dataloader"


def _busy_worker(member: Member, reader: StackReader) -> _Worker | None:
    """Return where a data worker is; None for one that waits for work."""
    main = reader.main_thread(member.process)
    if main is None or not is_data_worker(member.process, reader):
        return None
    frame = _innermost_of_program(main.frames, reader)
    if frame is None:
        return None
    task, _ = task_of(member.process, member.process.pid)
    state = task.state if task and task.state else member.process.state
    wchan = task.wchan if task and task.wchan else member.process.wchan
    return _Worker(call_site(frame), wait_of(wchan), state == "R")


def _innermost_of_program(frames: Iterable[Frame], reader: StackReader) -> Frame | None:
    """Return the program's innermost frame, looking no further out than the worker's loop."""
    for frame in frames:
        if reader.is_worker_loop(frame):
            return None
        if frame_kind(frame).is_program:
            return frame
    return None


def inner_text(inner: Inner) -> Text:
    """Return it in words, such as `its data worker is blocked in read (data.py:31), …`."""
    how = tell(f"analysis-doing-{inner.wait}") if inner.wait and not inner.is_running else ""
    if inner.kind == "thread":
        name = f"“{inner.name}”" if inner.name else tell("analysis-unnamed-thread")
        which = "thread-how" if how else "thread"
        return tell(f"analysis-inner-{which}", name=name, site=inner.site, how=how)
    number = "workers" if inner.count > 1 else "worker"
    state = "running" if inner.is_running else ("blocked" if how else "at")
    return tell(f"analysis-inner-{number}-{state}", count=inner.count, site=inner.site, how=how)
