"""Processes that never outlive the one that started them, not even when that one is killed.

Linux sends a process the signal it asked for (PR_SET_PDEATHSIG, prctl(2)) when the thread that
started it ends. The request survives execve, so that any command can be tied to its parent:
`python -m sandbox.cluster.lifeline PARENT_PID COMMAND …`.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent, whose PID is given, ends."""
    _prctl(_PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:  # It ended before the request was made.
        os.kill(os.getpid(), number)


def name_this_thread(name: str) -> None:
    """Set the name that `ps` and /proc show; the kernel keeps 15 bytes."""
    _prctl(_PR_SET_NAME, ctypes.c_char_p(name.encode()))


def _prctl(option: int, argument: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, argument, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"prctl {option}")


def tied(command: Sequence[str]) -> list[str]:
    """Return a command line that runs `command` tied to this process."""
    return [sys.executable, "-m", "sandbox.cluster.lifeline", str(os.getpid()), *command]


def main() -> None:
    """Tie this process to its parent and become the given command."""
    parent, *command = sys.argv[1:]
    die_with_parent(int(parent))
    os.execvp(command[0], command)  # noqa: S606 - the caller chose the command


if __name__ == "__main__":
    main()
