"""Which torch, CUDA and NCCL a process has loaded, from the files that it has mapped.

Nothing is run or loaded for it. The files may lie on a file system that hangs, which may be why the
job hangs: a thread of its own reads them, and nobody waits for it long.
"""

import os
import re
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.elf import NotElf, open_regular
from agent.nccl_facts import library_of
from agent.procfs import PROC
from agent.scan import Key, Proc

PATIENCE_S = 30.0
"""How long one process's files may take before they are given up; a cold libtorch_cuda has 1 GB."""
_TORCH = re.compile(r"^(?P<folder>.+/torch)/lib/libtorch\w*\.so")
_CUDART = re.compile(r"/libcudart(?:-\w+)?\.so\.(\d{1,2}(?:\.\d{1,3}){0,2})")
_HOLDS_NCCL = re.compile(r"/(?:libnccl|libtorch_cuda)\.so")
# What torch's setup.py writes into torch/version.py.
_VERSION = re.compile(r"^__version__\b[^=\n]*= *['\"]([\w.+-]{1,64})['\"]", re.MULTILINE)
_CUDA = re.compile(r"^cuda\b[^=\n]*= *['\"](\d{1,2}\.\d{1,2})['\"]", re.MULTILINE)
_DIST_INFO = re.compile(r"^torch-([\w.+]{1,64})\.dist-info$")


@dataclass(frozen=True, slots=True)
class Facts:
    """Versions of what a process has loaded; None where that is nothing, or not known."""

    torch: str | None = None
    cuda: str | None = None
    nccl: str | None = None


def read_facts(pid: int, libraries: tuple[str, ...]) -> Facts:
    """Return what the files of a process's libraries say; may block as long as its disk does."""
    torch, cuda = _torch(pid, libraries)
    runtime = next(filter(None, map(_CUDART.search, libraries)), None)
    holds_nccl = any(map(_HOLDS_NCCL.search, libraries))
    nccl = library_of(pid) if holds_nccl else None
    return Facts(
        torch,
        cuda or (runtime[1] if runtime else None),
        str(nccl.version) if nccl and nccl.version else None,
    )


def _torch(pid: int, libraries: tuple[str, ...]) -> tuple[str | None, str | None]:
    match = next(filter(None, map(_TORCH.match, libraries)), None)
    if match is None:
        return None, None
    folder = Path(f"{PROC}/{pid}/root{match['folder']}")
    text = _text(folder / "version.py")
    version, cuda = _VERSION.search(text), _CUDA.search(text)
    return version[1] if version else _installed(folder.parent), cuda[1] if cuda else None


def _text(path: Path) -> str:
    try:
        descriptor = open_regular(path)
    except (OSError, NotElf):
        return ""
    try:
        return os.read(descriptor, 1 << 14).decode(errors="replace")
    finally:
        os.close(descriptor)


def _installed(packages: Path) -> str | None:
    try:
        names = (_DIST_INFO.match(path.name) for path in packages.iterdir())
        return next((name[1] for name in names if name), None)
    except OSError:
        return None


_Case = tuple[Key, tuple[str, ...]]


class FactFinder:
    """Reads facts in the background and remembers them by process and what it has mapped."""

    def __init__(self) -> None:
        self._known: dict[_Case, Facts] = {}
        self._todo: deque[_Case] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._current: tuple[_Case, float] | None = None

    def want(self, procs: Iterable[Proc]) -> None:
        """Begin to read what is not known of these processes, and forget all others."""
        cases = {_case(proc): proc.alive for proc in procs if proc.libraries}
        with self._changed:
            self._give_up_late()
            self._known = {case: facts for case, facts in self._known.items() if case in cases}
            begun = {*self._known, *([self._current[0]] if self._current else [])}
            self._todo = deque(case for case, alive in cases.items() if alive and case not in begun)
            if self._todo and self._worker is None:
                self._worker = threading.Thread(
                    target=self._work, daemon=True, name="rankscope-facts"
                )
                self._worker.start()

    def wait(self, procs: Iterable[Proc], seconds: float) -> None:
        """Wait until all of these are known, but no longer than so many seconds."""
        cases = [_case(proc) for proc in procs if proc.libraries and proc.alive]
        with self._changed:
            self._changed.wait_for(lambda: all(case in self._known for case in cases), seconds)

    def of(self, proc: Proc) -> Facts:
        """Return what is known of a process now."""
        with self._changed:
            return self._known.get(_case(proc), Facts())

    def _give_up_late(self) -> None:
        """Leave a reader that does not come back, and believe that its process has no facts."""
        if self._current and time.monotonic() - self._current[1] > PATIENCE_S:
            self._known[self._current[0]] = Facts()
            self._current = self._worker = None

    def _work(self) -> None:
        while (case := self._next()) is not None:
            (pid, _), libraries = case
            facts = read_facts(pid, libraries)
            with self._changed:
                if self._worker is not threading.current_thread():
                    return
                self._known[case] = facts
                self._changed.notify_all()

    def _next(self) -> _Case | None:
        with self._changed:
            if self._worker is not threading.current_thread():
                return None
            if not self._todo:
                self._worker = self._current = None
                return None
            case = self._todo.popleft()
            self._current = case, time.monotonic()
            return case


def _case(proc: Proc) -> _Case:
    return proc.key, proc.libraries
