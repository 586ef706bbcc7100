"""Which thread of a trainer tells where its rank is: the main one, or one that it waits for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rankscope.analysis.names import frame_kind
from rankscope.analysis.stacks import Stack, StackReader
from rankscope.analysis.threads import distinct, is_started_by_python
from rankscope.model.capture import Process, Thread

_BEHIND_A_THREAD = frozenset({"lock_queue", "shutdown"})


@dataclass(frozen=True, slots=True, eq=False)
class Telling:
    """A thread, by its index, and what its stack means.

    is_autograd: the main thread computes gradients, and the engine's own thread is shown instead,
    as if the main one had called it.
    """

    index: int
    stack: Stack
    is_autograd: bool = False


def telling_of(process: Process, main: int, reader: StackReader) -> Telling:
    """Return the main thread, or the thread that it waits for as far as one tells more."""
    thread = process.threads[main]
    stack, idle = reader.read(thread.frames), reader.is_idle_main(thread.frames)
    family = stack.meaning.family if stack.meaning else None
    if family and family.waits_for == "peers_unless_running":
        return _autograd(process, thread, reader) or Telling(main, stack)
    if not idle and not (family and family.name in _BEHIND_A_THREAD):
        return Telling(main, stack)
    return _training(process, thread, reader, idle=idle) or Telling(main, stack)


def others(process: Process, main: Thread) -> Iterator[Thread]:
    """Yield the threads beside the main one, each once."""
    return (thread for thread in distinct(process.threads) if thread is not main)


def _autograd(process: Process, main: Thread, reader: StackReader) -> Telling | None:
    """Return a thread of the autograd engine that runs Python: a hook, or a function's backward.

    Sharded training gathers and reduces its parameters there.
    """
    found = [
        (thread, reader.read(reader.joined(thread.frames, main.frames)))
        for thread in others(process, main)
        if thread.frames
        and not is_started_by_python(thread)
        and not reader.is_service(thread.frames)
    ]
    waiting = [pair for pair in found if _waits_for_somebody(pair[1])]
    if not found:
        return None
    thread, stack = (waiting or found)[0]
    return Telling(_index(process.threads, thread), stack, is_autograd=True)


def _training(process: Process, main: Thread, reader: StackReader, *, idle: bool) -> Telling | None:
    """Return the training thread behind a main one that idles or stands at a lock."""
    busy = [t for t in others(process, main) if t.frames and not reader.is_service(t.frames)]
    for thread in busy:
        beside = reader.read(thread.frames)
        if _waits_for_somebody(beside):
            return Telling(_index(process.threads, thread), beside)
    # The one thread that runs the program's code trains, wherever it is caught.
    training = [thread for thread in busy if any(frame_kind(f).is_program for f in thread.frames)]
    if idle and len(training) == 1:
        index = _index(process.threads, training[0])
        return Telling(index, reader.read(training[0].frames))
    return None


def _waits_for_somebody(stack: Stack) -> bool:
    return stack.meaning is not None and stack.meaning.family.waits_for != "nobody"


def _index(threads: Iterable[Thread], wanted: Thread) -> int:
    return next(index for index, thread in enumerate(threads) if thread is wanted)
