"""Pauses Python's search for reference cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_cycles() -> Iterator[None]:
    """Make many objects that hold no cycles.

    A capture of a large job is millions of objects, and Python would go through all of them again
    and again; at 4,096 ranks that took four fifths of the time of reading (docs/scale.md).
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Makes them old at once; the next collection would go through all that is new.
        gc.freeze()
        gc.unfreeze()
        if was_enabled:
            gc.enable()
