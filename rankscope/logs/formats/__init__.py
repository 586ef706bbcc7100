"""The step lines of training frameworks, a family a module; a new one is added to FORMATS.

A framework's line is recognised by a needle, which must be in it, and by its reader. The first
reader that recognises a line has it, so that the generic ones come last.
"""

from rankscope.logs.formats import deepspeed, generic, huggingface, megatron, nemo, others
from rankscope.logs.formats.reading import Format, Reading

__all__ = ["FORMATS", "Reading", "read_step"]

FORMATS: tuple[Format, ...] = (
    *megatron.FORMATS,
    *nemo.FORMATS,
    *huggingface.FORMATS,
    *deepspeed.FORMATS,
    *others.FORMATS,
    *generic.FORMATS,
)


_READERS = tuple((one.needle, one.read) for one in FORMATS)


def read_step(text: str) -> Reading | None:
    """Return what a line without colours says about a step that has ended, or None."""
    for needle, read in _READERS:
        if needle in text and (reading := read(text)):
            return reading
    return None
