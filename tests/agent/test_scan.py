import os
import threading
from collections.abc import Iterator, Mapping
from mmap import PROT_READ, mmap
from pathlib import Path

import pytest

from agent import scan as scan_module
from agent.procfs import CLOCK_TICKS, Stat, read_stat
from agent.scan import Proc, Scanner, python_version


@pytest.mark.parametrize(
    ("executable", "maps", "version"),
    [
        ("/usr/bin/python3.11", "", "3.11"),
        ("/usr/bin/python3.13t", "", ""),
        ("/usr/bin/python", "7f00-7f01 r--p 0 0:0 1 /usr/lib/libpython3.12.so.1.0", "3.12"),
        ("/opt/trainer", "7f00-7f01 r--p 0 0:0 1 /usr/lib/libpython3.9.so", "3.9"),
        ("/usr/bin/pypy3.10", "", "3.10"),
        ("/usr/bin/bash", "", None),
        ("/usr/bin/python-argcomplete", "", None),
    ],
)
def test_what_is_python(executable: str, maps: str, version: str | None) -> None:
    assert python_version(executable, maps) == version


def test_this_process_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_JOB_ID", "set just now")
    me = Scanner().scan().procs[os.getpid()]
    assert me.python
    assert me.env["RANKSCOPE_JOB_ID"] == "set just now"
    assert me.cmdline


def test_each_look_sees_the_variables_of_its_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner = Scanner()

    def env() -> Mapping[str, str]:
        return scanner.scan().procs[os.getpid()].env

    before = env()
    monkeypatch.setenv("RANK", "3")
    assert env() == {**before, "RANK": "3"}
    monkeypatch.setenv("RANK", "40000")
    assert env()["RANK"] == "40000"
    monkeypatch.delenv("RANK")
    assert env() == before


def test_a_library_that_is_loaded_between_two_looks_is_seen(tmp_path: Path) -> None:
    library = tmp_path / "libtorch_cpu.so"
    library.write_bytes(b"x" * 8192)
    scanner = Scanner()
    before = scanner.scan().procs[os.getpid()].libraries
    assert scanner.scan().procs[os.getpid()].libraries == before

    with library.open("rb") as file, mmap(file.fileno(), 0, prot=PROT_READ):
        after = scanner.scan().procs[os.getpid()].libraries

    assert set(after) - set(before) == {str(library)}


def test_a_heartbeat_uses_again_what_cannot_have_changed_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # GIVEN a process that started 100 s ago and was read just now
    stat = read_stat(os.getpid())
    assert stat
    monkeypatch.setattr(scan_module, "boot_clock", lambda: stat.start / CLOCK_TICKS + 100)
    scanner = Scanner()
    before = scanner.scan().procs[os.getpid()]
    described: list[int] = []
    describe = Scanner._describe

    def noting(self: Scanner, stat: Stat) -> Proc:
        described.append(stat.pid)
        return describe(self, stat)

    monkeypatch.setattr(Scanner, "_describe", noting)

    again = scanner.scan(fresh=False).procs[os.getpid()]
    assert os.getpid() not in described
    assert again.cmdline == before.cmdline
    scanner.scan(fresh=True)
    assert os.getpid() in described


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Make the reading of this process hang until the event is set."""
    event = threading.Event()
    describe = Scanner._describe

    def hang(self: Scanner, stat: Stat) -> Proc:
        if stat.pid == os.getpid() and scan_module.STALL_S < 1:
            event.wait()
        return describe(self, stat)

    monkeypatch.setattr(Scanner, "_describe", hang)
    yield event
    event.set()


def test_a_process_that_cannot_be_read_holds_up_nobody(
    gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN a process that was read once and then blocks its readers
    scanner = Scanner()
    known = scanner.scan().procs[os.getpid()]
    monkeypatch.setattr(scan_module, "STALL_S", 0.2)

    # WHEN all processes are read twice more
    first, second = scanner.scan(), scanner.scan()

    # THEN it is named, described as it was before, and the others are read
    for scan in (first, second):
        assert scan.stuck == (os.getpid(),)
        assert scan.procs[os.getpid()].cmdline == known.cmdline
        assert os.getppid() in scan.procs
    # AND it is read again once it can be
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "rankscope-scan":
            thread.join()
    assert scanner.scan().stuck == ()
