"""Tell a command that wraps a trainer from a trainer that runs a command; pure.

Both are a chain of Python processes with one rank. Thread names settle it once the process group
is there; before that, and without torch, two things do: a wrapper's command line names the script
that its child runs, and a trainer has torch loaded where its wrapper has not.
"""

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
    program = program_of(below.cmdline)
    return bool(program) and program in above.cmdline[_first_argument(above.cmdline) :]


def program_of(cmdline: tuple[str, ...]) -> str:
    """Return the script or, after -m, the module that a Python command line runs; else nothing."""
    at = _program_at(cmdline)
    return cmdline[at] if at < len(cmdline) else ""


def _first_argument(cmdline: tuple[str, ...]) -> int:
    return _program_at(cmdline) + 1


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
