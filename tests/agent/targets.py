"""Real Python processes in every state a rank can be in, and their end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from agent.procfs import PROC, read_bytes, read_stat, read_tasks, strings
from agent.pyspy import find_py_spy

# One for each run, so that two runs on one host do not see each other's processes.
JOB = f"jo-test-{os.getpid()}"
SLEEPER = """
import time
def train():
    while True:
        time.sleep(0.05)
print("up", flush=True)
train()
"""
WITH_CHILD = """
import multiprocessing, os, sys, time
def load():
    print(os.getpid(), flush=True)
    while True:
        time.sleep(0.05)
def train():
    while True:
        time.sleep(0.05)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    context.Process(target=load, daemon=True).start()
    train()
"""
READS_FIFO = """
import sys
def read_batch(path):
    return open(path, "rb").read()
print("up", flush=True)
read_batch(sys.argv[1])
"""
SETS_RANK_LATE = """
import os, sys, time
os.environ["RANK"] = "5"
os.environ["RANKSCOPE_JOB_ID"] = sys.argv[1]
print("up", flush=True)
time.sleep(600)
"""
OVERWRITES_ENVIRON = """
import os, time
# What setproctitle does: the variables move, and the block that /proc shows is overwritten.
for name, value in list(os.environ.items()):
    os.environ[name] = value
fields = open("/proc/self/stat").read().rpartition(")")[2].split()
start, end = int(fields[47]), int(fields[48])
with open("/proc/self/mem", "r+b", buffering=0) as memory:
    memory.seek(start)
    memory.write(bytes(end - start))
print("up", flush=True)
time.sleep(600)
"""
WAITS_IN_D = """
import ctypes, time
libc = ctypes.CDLL(None)
print("up", flush=True)
# The kernel keeps a parent in D until the child of vfork() ends.
if libc.vfork() == 0:
    time.sleep(600)
"""
IN_PID_NAMESPACE = """
import subprocess, sys
subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", sys.executable, *sys.argv[1:]])
"""
MAPS_A_FILE = """
import mmap, sys, time
file = open(sys.argv[1], "rb")
mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
print("up", flush=True)
time.sleep(600)
"""
MANY_THREADS = """
import threading, time
def worker():
    time.sleep(600)
for _ in range(400):
    threading.Thread(target=worker, daemon=True).start()
print("up", flush=True)
worker()
"""
LAUNCHES = """
import os, subprocess, sys, time
children = []
for rank in range(int(sys.argv[2])):
    env = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank)}
    children.append(subprocess.Popen([sys.executable, sys.argv[1]], env=env))
    print(children[-1].pid, flush=True)
time.sleep(600)
"""


class Targets:
    """Starts processes in sessions of their own and ends them, whatever state they are in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[str]] = []
        self.also: list[int] = []
        self.stopped_on_purpose: list[int] = []

    def start(self, code: str, *arguments: str, **variables: object) -> int:
        """Start a script, wait for its first line, and return its PID."""
        return self.start_with_line(code, *arguments, **variables)[0]

    def start_with_line(self, code: str, *arguments: str, **variables: object) -> tuple[int, str]:
        """Start a script and return its PID and its first line."""
        script = self.folder / f"train_{len(self.started)}.py"
        script.write_text(code)
        env = {name: str(value) for name, value in variables.items()}
        process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.folder), **env},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if line.isdigit():
            self.also.append(int(line))
        return process.pid, line

    def trainer(self, rank: int, code: str = SLEEPER, *arguments: str, **variables: object) -> int:
        """Start a trainer of our job."""
        variables = {"RANKSCOPE_JOB_ID": JOB, "WORLD_SIZE": 2, "RANK": rank, **variables}
        return self.start(code, *arguments, **variables)

    def process(self, pid: int) -> subprocess.Popen[str]:
        """Return the Popen of a PID."""
        return next(process for process in self.started if process.pid == pid)

    def pids(self) -> set[int]:
        """Return all PIDs we know of."""
        return {process.pid for process in self.started} | set(self.also)

    def stop(self) -> None:
        """Kill and collect everything that was started."""
        for process in self.started:
            for number in (signal.SIGCONT, signal.SIGKILL):
                _signal(os.killpg, process.pid, number)
            process.wait()
            if process.stdout:
                process.stdout.close()
        wait_until(lambda: not any(is_alive(pid) for pid in self.pids()))


def _signal(send: Callable[[int, int], None], pid: int, number: int) -> None:
    try:
        send(pid, number)
    except ProcessLookupError:
        return


def is_alive(pid: int) -> bool:
    """Whether a process exists and has not exited."""
    stat = read_stat(pid)
    return stat is not None and stat.state not in {"Z", "X"}


def state_of(pid: int) -> str:
    """Return a process's state letter."""
    stat = read_stat(pid)
    return stat.state if stat else ""


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for a condition; fails when it does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.02)


def py_spies_of(pids: set[int]) -> list[int]:
    """Return py-spy processes that work on one of these PIDs."""
    found = []
    for path in PROC.iterdir():
        command = strings(read_bytes(path / "cmdline")) if path.name.isdigit() else ()
        if "dump" in command and any(str(pid) in command for pid in pids):
            found.append(int(path.name))
    return found


def stopped_tasks(pids: set[int]) -> list[int]:
    """Return those PIDs that have a stopped or traced task."""
    return [pid for pid in pids if any(t.task.state in "Tt" for t in read_tasks(pid))]


def fake_py_spy(folder: Path, script: str) -> str:
    """Write a shell script that stands for py-spy, and return its path; $REAL is py-spy."""
    path = folder / "py-spy"
    path.write_text(f"#!/bin/sh\nREAL={find_py_spy('')}\n{script}\n")
    path.chmod(0o755)
    return str(path)
