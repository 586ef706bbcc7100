"""Runs something in the network namespace of a job, since a container has its own localhost."""

import ctypes
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from agent.procfs import PROC
from rankscope.errors import RankscopeError

_CLONE_NEWNET = 0x40000000
T = TypeVar("T")


class NotEntered(RankscopeError):
    """The network namespace of a process could not be entered."""


def in_network_of(pid: int, work: Callable[[], T]) -> T:
    """Run work in a thread that is in the network namespace of a process, and return its result.

    The thread ends with the work, so that no other work of ours ever runs in that namespace. Raises
    NotEntered, and what work raises.
    """
    result: Future[T] = Future()
    thread = threading.Thread(target=_run, args=(pid, work, result), name="rankscope-nccl")
    thread.daemon = True
    thread.start()
    return result.result()


def _run(pid: int, work: Callable[[], T], result: "Future[T]") -> None:
    try:
        _enter(pid)
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 (handed over to the thread that waits)
        result.set_exception(error)


def _enter(pid: int) -> None:
    theirs, ours = PROC / str(pid) / "ns/net", PROC / "self/ns/net"
    try:
        if theirs.readlink() == ours.readlink():
            return
        namespace = os.open(theirs, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_entered(pid, error.strerror or str(error)) from error
    try:
        _setns(pid, namespace)
    finally:
        os.close(namespace)


def _setns(pid: int, namespace: int) -> None:
    # os.setns came with Python 3.12.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise _not_entered(pid, os.strerror(ctypes.get_errno()))


def _not_entered(pid: int, why: str) -> NotEntered:
    return NotEntered(
        f"The network namespace of process {pid} cannot be entered ({why}).",
        "Give the agent CAP_SYS_ADMIN, or ask with ncclras inside the container.",
    )
