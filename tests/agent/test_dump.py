"""The order of tries, with a py-spy whose answers are written down."""

import json
import os
from pathlib import Path

import pytest

from agent.dump import Dumper
from agent.outcome import Dump, Mode, Reason, first_lines, reason_of
from agent.procfs import read_stat
from tests.agent.conftest import agent_settings


class Script:
    """A py-spy that gives one prepared answer after another, and counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.binary = folder / "py-spy"
        self.binary.write_text(
            f'#!/bin/sh\ncd {folder}\necho "$@" >> calls\n'
            "n=$(wc -l < calls)\n"
            "[ -f err.$n ] && { cat err.$n >&2; exit 1; }\n"
            "exec cat out.$n\n"
        )
        self.binary.chmod(0o755)
        self.prepared = 0

    def roots(self, *names: str) -> None:
        for name in names:
            self.prepared += 1
            thread = {"os_thread_id": os.getpid(), "frames": [{"name": "f"}, {"name": name}]}
            (self.folder / f"out.{self.prepared}").write_text(json.dumps([thread]))

    def errors(self, *texts: str) -> None:
        for text in texts:
            self.prepared += 1
            (self.folder / f"err.{self.prepared}").write_text(text)

    async def dump(self, *, native: bool = False) -> Dump:
        stat = read_stat(os.getpid())
        assert stat
        dumper = Dumper(str(self.binary), agent_settings(process_timeout_s=20))
        return await dumper.dump((stat.pid, stat.start), native=native)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


async def test_a_good_dump_is_one_try(script: Script) -> None:
    script.roots("<module>")
    dump = await script.dump()
    assert (dump.attempts, dump.mode, dump.torn, dump.error) == (1, "nonblocking", False, None)


async def test_a_torn_dump_is_tried_again(script: Script) -> None:
    script.roots("train_step", "<module>")
    dump = await script.dump()
    assert (dump.attempts, dump.torn) == (2, False)


async def test_an_unusual_root_seen_twice_is_believed(script: Script) -> None:
    script.roots("embedded_main", "embedded_main")
    dump = await script.dump()
    assert (dump.attempts, dump.mode, dump.torn) == (2, "nonblocking", False)


async def test_the_last_try_stops_the_process(script: Script) -> None:
    script.roots("a", "b", "c", "<module>")
    dump = await script.dump()
    assert (dump.attempts, dump.mode) == (4, "blocking")
    assert dump.pause_ms


async def test_the_best_torn_dump_is_kept(script: Script) -> None:
    script.roots("a", "b", "c")
    script.errors("Error: Failed to suspend process EPERM")
    dump = await script.dump()
    assert dump.threads
    assert dump.torn
    assert dump.error is None


async def test_what_cannot_change_is_not_repeated(script: Script) -> None:
    script.errors("Error: Failed to find python version from target process")
    dump = await script.dump()
    assert dump.attempts == 1
    assert dump.reason is Reason.NOT_PYTHON


async def test_native_frames_fall_back_to_plain_ones(script: Script) -> None:
    script.errors("Error: Failed to merge native and python frames (Have 2 native and 1 python)")
    script.roots("<module>")
    dump = await script.dump(native=True)
    assert (dump.attempts, dump.mode, dump.error) == (2, Mode.NONBLOCKING, None)


async def test_a_missing_py_spy_is_a_reason(tmp_path: Path) -> None:
    dumper = Dumper(str(tmp_path / "nowhere"), agent_settings())
    stat = read_stat(os.getpid())
    assert stat
    dump = await dumper.dump((stat.pid, stat.start))
    assert dump.reason is Reason.NO_PY_SPY


async def test_another_process_under_the_same_pid_is_not_taken_for_ours(script: Script) -> None:
    script.roots("<module>")
    dumper = Dumper(str(script.binary), agent_settings())
    dump = await dumper.dump((os.getpid(), 1))
    assert dump.reason is Reason.GONE
    assert dump.threads is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Error: Failed to get process executable name.\n0: No such file", Reason.GONE),
        ("Error: No such process (os error 3)", Reason.GONE),
        ("Error: Failed to get process executable name\n0: Permission denied", Reason.FORBIDDEN),
        ("Error: No such file or directory (os error 2)", Reason.DELETED),
        ("Error: Unsupported version of Python: 3.99", Reason.UNSUPPORTED),
        ("thread panicked", Reason.FAILED),
    ],
)
def test_py_spy_s_messages(text: str, reason: Reason) -> None:
    assert reason_of(text) is reason


def test_a_backtrace_is_not_repeated() -> None:
    assert first_lines("Error: a\n  b\n\nStack backtrace:\n 0: x") == "Error: a b"


async def test_a_pid_that_was_given_to_another_process_is_not_dumped(script: Script) -> None:
    script.roots("<module>")
    dumper = Dumper(str(script.binary), agent_settings())

    dump = await dumper.dump((os.getpid(), 1))

    assert dump.reason is Reason.GONE
    assert not (script.folder / "calls").exists()
