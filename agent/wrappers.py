"""Tell a command that wraps a trainer from a trainer that runs a command; pure.

Both are a chain of Python processes with one rank. Thread names settle it once the process group
is there; before that, and without torch, two things do: a wrapper's command line names the script
that its child runs, and a trainer has torch loaded where its wrapper has not.
"""

from pathlib import PurePath

from agent.libraries import has_torch
from agent.scan import Proc

# How multiprocessing and its forkserver start children (multiprocessing/spawn.py).
_STARTED_BY_PYTHON = ("--multiprocessing-fork", "multiprocessing.forkserver")


def wraps(above: Proc, below: Proc) -> bool:
    """Whether above is only a wrapper around below, its descendant of the same rank."""
    forked = above.cmdline == below.cmdline
    if forked or any(part in " ".join(below.cmdline) for part in _STARTED_BY_PYTHON):
        return False
    if has_torch(below.libraries) != has_torch(above.libraries):
        return has_torch(below.libraries)
    arguments = above.cmdline[_program_at(above.cmdline) + 1 :]
    return program_of(below.cmdline) in {PurePath(argument).name for argument in arguments} - {""}


def program_of(cmdline: tuple[str, ...]) -> str:
    """Return the script's name or, after -m, the module that a Python command line runs.

    Nothing for `python -c` and an interactive interpreter.
    """
    at = _program_at(cmdline)
    return PurePath(cmdline[at]).name if at < len(cmdline) else ""


def _program_at(cmdline: tuple[str, ...]) -> int:
    """Skip the interpreter's own options (`python --help`); -c, -m, -W and -X take a value."""
    position = 1
    while position < len(cmdline) and cmdline[position].startswith("-"):
        option = cmdline[position]
        if option == "-m":
            return position + 1
        if option == "-c":
            return len(cmdline)
        position += 2 if option in {"-W", "-X"} else 1
    return position
