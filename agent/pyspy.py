"""Run py-spy on one process: bounded, killed when late, always collected."""

import asyncio
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.outcome import Mode
from rankscope.errors import ConfigurationError

OUTPUT_LIMIT = 64 << 20
REAP_S = 2.0
_OPTIONS = {
    Mode.NONBLOCKING: ("--nonblocking",),
    Mode.BLOCKING: (),
    Mode.NATIVE: ("--native",),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What py-spy printed; returncode is None when it was late or printed too much."""

    returncode: int | None
    stdout: bytes = b""
    stderr: str = ""


def find_py_spy(configured: str) -> str:
    """Return the py-spy binary: the configured one, else beside this Python, else on the PATH.

    Raises ConfigurationError when there is none.
    """
    beside = str(Path(sys.executable).parent)
    search = f"{beside}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    found = shutil.which(configured or "py-spy", path=search)
    if found is None:
        raise ConfigurationError(
            f"py-spy was not found ({configured or 'on the PATH'}).",
            "Install rankscope[agent], or set RANKSCOPE_AGENT_PY_SPY.",
        )
    return found


def command(binary: str, pid: int, mode: Mode, timeout_s: float) -> list[str]:
    """Return the command line of one dump.

    A dump that stops the target runs under timeout(1) where there is one, so that it ends, and
    with it the stop, even if this agent is killed meanwhile.
    """
    dump = [binary, "dump", "--json", "--pid", str(pid), *_OPTIONS[mode]]
    keeper = shutil.which("timeout") if mode is not Mode.NONBLOCKING else None
    return [keeper, "-s", "KILL", f"{timeout_s + 1:.1f}", *dump] if keeper else dump


async def run_py_spy(binary: str, pid: int, mode: Mode, timeout_s: float) -> Answer:
    """Dump one process; raises OSError when py-spy cannot be started.

    When this is cancelled, or late, the whole process group of py-spy is killed and collected; its
    target then continues, since py-spy attaches with PTRACE_SEIZE.
    """
    with _memory_file() as stdout, _memory_file() as stderr:
        process = _started(command(binary, pid, mode, timeout_s), stdout, stderr)
        try:
            async with asyncio.timeout(timeout_s):
                returncode = await _ended(process)
        except TimeoutError:
            return Answer(None)
        finally:
            await _end(process)
        if returncode == -signal.SIGXFSZ:
            return Answer(None, stderr="The output is larger than 64 MiB.")
        return Answer(returncode, _content(stdout), _content(stderr).decode(errors="replace"))


def _started(arguments: list[str], stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        env={"PATH": os.environ.get("PATH", os.defpath), "RUST_BACKTRACE": "0"},
        start_new_session=True,
    )
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
    return process


async def _ended(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process and return its code, without a thread for each."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:  # Linux before 5.3
        return await asyncio.to_thread(process.wait)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    return process.wait()


@contextlib.contextmanager
def _memory_file() -> Iterator[int]:
    """Give a file in memory: unlike a pipe it needs nobody to empty it (Linux 3.17)."""
    descriptor = os.memfd_create("py-spy")
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, min(os.fstat(descriptor).st_size, OUTPUT_LIMIT), 0)


async def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # A py-spy that is itself in D cannot be collected yet; subprocess does so when it ends.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_ended(process), REAP_S)
