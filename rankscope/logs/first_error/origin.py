"""Whose code a traceback's frames are in, and what an unknown exception's layer is.

Path classes: launchers (torchrun, accelerate, deepspeed), installed packages and the standard
library, and everything else, which is the user's own code.
"""

import re
from collections.abc import Sequence

from rankscope.logs.first_error.model import Frame, Layer

_LAUNCHER = re.compile(
    r"/bin/(?:torchrun|accelerate|deepspeed|llamafactory-cli|swift)$|torch/distributed/(?:run|launch"
    r"|launcher|elastic)\b|accelerate/commands/|deepspeed/launcher/|<frozen runpy>|/runpy\.py$"
)
_LIBRARY = re.compile(
    r"/(?:site|dist)-packages/|/lib/python[\d.]+/|^<frozen|^(?:torch|transformers|deepspeed|accelerate"
    r"|datasets|numpy|multiprocessing|megatron)/"
)
_IMPORT = re.compile(r"\b(?:ImportError|ModuleNotFoundError)\b")


def own_frame(frames: Sequence[Frame]) -> Frame | None:
    """Return the innermost frame of the user's own code."""
    own = (f for f in reversed(frames) if not _LIBRARY.search(f.path) and not is_launcher(f))
    return next(own, None)


def is_launcher(frame: Frame) -> bool:
    """Whether a frame belongs to a program that starts ranks."""
    return _LAUNCHER.search(frame.path) is not None


def in_library(frames: Sequence[Frame]) -> bool:
    """Whether the innermost frame is in an installed package."""
    return bool(frames) and _LIBRARY.search(frames[-1].path) is not None


def layer_of(frames: Sequence[Frame], text: str) -> Layer:
    """Return the layer of an exception that no rule knows."""
    if frames and all(is_launcher(frame) for frame in frames):
        return Layer.COMMAND
    if _IMPORT.search(text) and own_frame(frames[1:]) is None and frames:
        return Layer.IMAGE
    return Layer.CODE


def site(frame: Frame | None) -> str:
    """Return a frame as `file:line function`, or nothing."""
    return f"{frame.path}:{frame.line} {frame.function}".strip() if frame else ""
