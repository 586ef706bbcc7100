"""What this host permits the agent to do, and what to change where it does not."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from agent.outcome import Mode
from agent.procfs import PROC, read_text
from agent.pyspy import command, find_py_spy
from agent.settings import AgentSettings
from rankscope.errors import ConfigurationError
from rankscope.model.text import Text
from rankscope.text import say

# Numbers of capabilities(7).
_DAC_OVERRIDE, _DAC_READ_SEARCH, _SYS_PTRACE, _SYS_ADMIN = 1, 2, 19, 21
_INITIAL_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO of the kernel
_SLEEPER = "import sys, time; sys.stdout.write('.'); sys.stdout.flush(); time.sleep(60)"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; required ones that are not ok keep the agent from its work."""

    ok: bool
    text: Text
    advice: Text | None = None
    required: bool = False


def examine(settings: AgentSettings) -> Iterator[Finding]:
    """Look at everything that a capture needs, and dump a process of our own as a trial."""
    yield from _capabilities(read_text(PROC / "self/status"))
    yield _yama(read_text(PROC / "sys/kernel/yama/ptrace_scope"))
    yield _pid_namespace()
    yield _cgroup(read_text(PROC / "self/cgroup"))
    yield from _py_spy(settings)
    yield _secret(settings)


def _finding(name: str, *, ok: bool, required: bool = False, **parameters: object) -> Finding:
    text = say(f"agent-check-{name}-{'ok' if ok else 'bad'}", **parameters)
    advice = None if ok else say(f"agent-check-{name}-advice", **parameters)
    return Finding(ok, text, advice, required)


def has_capability(status: str, number: int) -> bool:
    """Whether the effective set of a /proc/PID/status holds a capability."""
    match = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    return bool(match and int(match[1], 16) >> number & 1)


def _capabilities(status: str) -> Iterator[Finding]:
    yield _finding("ptrace", ok=has_capability(status, _SYS_PTRACE))
    reads = any(has_capability(status, cap) for cap in (_DAC_READ_SEARCH, _DAC_OVERRIDE))
    yield _finding("dac", ok=reads)
    yield _finding("admin", ok=has_capability(status, _SYS_ADMIN))


def _yama(scope: str) -> Finding:
    """Yama's 1 and 2 do not bind who has CAP_SYS_PTRACE; 3 binds everybody (ptrace(2))."""
    return _finding("yama", ok=scope in {"", "0", "1", "2"}, required=True, scope=scope or "-")


def _pid_namespace() -> Finding:
    try:
        namespace = str((PROC / "self/ns/pid").readlink())
    except OSError:
        namespace = ""
    initial = namespace == _INITIAL_PID_NAMESPACE or read_text(PROC / "2/comm") == "kthreadd"
    return _finding("pidns", ok=initial)


def _cgroup(cgroup: str) -> Finding:
    return _finding("cgroup", ok=bool(cgroup))


def _py_spy(settings: AgentSettings) -> Iterator[Finding]:
    try:
        binary = find_py_spy(settings.py_spy)
        version = _output([binary, "--version"])
    except (ConfigurationError, OSError, subprocess.SubprocessError):
        yield _finding("pyspy", ok=False, required=True)
        return
    yield _finding("pyspy", ok=True, version=version.strip(), path=binary)
    problem = _trial(binary)
    yield _finding("trial", ok=not problem, required=True, problem=problem)


def _output(arguments: list[str]) -> str:
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout


def _trial(binary: str) -> str:
    """Dump a child that is not a descendant in ptrace's eyes; return what went wrong."""
    child = subprocess.Popen(
        [sys.executable, "-c", _SLEEPER], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        with contextlib.closing(child.stdout) if child.stdout else contextlib.nullcontext() as out:
            if out is not None:
                out.read(1)
            _output(command(binary, child.pid, Mode.NONBLOCKING, 10))
    except subprocess.CalledProcessError as error:
        return " ".join(str(error.stderr).split())[:300]
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    else:
        return ""
    finally:
        child.kill()
        child.wait()


def _secret(settings: AgentSettings) -> Finding:
    return _finding("secret", ok=bool(settings.secret.get_secret_value()), required=True)
