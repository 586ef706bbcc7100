"""Processes that never outlive the one that started them."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with(parent_pid: int) -> None:
    """Have the kernel kill this process as soon as its parent ends (prctl(2), PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:  # The parent died before the kernel knew.
        os._exit(1)
