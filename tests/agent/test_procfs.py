import os
import subprocess

from agent.procfs import (
    TaskFacts,
    all_stats,
    has_ended,
    inner_pid,
    may_be_stopped,
    pairs,
    parse_stat,
    read_stat,
    read_tasks,
    same_process,
)
from rankscope.model.capture import Task

STAT = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 0 0 0 11 22 0 0 20 0 1 0 12345 1 1"


def facts(state: str, wchan: str = "") -> TaskFacts:
    return TaskFacts(Task(1, "python", state, wchan, 0), 1)


def test_a_name_with_blanks_and_parentheses() -> None:
    stat = parse_stat(STAT)
    assert (stat.pid, stat.comm, stat.state, stat.ppid) == (7, "a) b (c)", "S", 1)
    assert (stat.cpu_ticks, stat.start) == (33, 12345)


def test_this_process() -> None:
    stat = read_stat(os.getpid())
    assert stat
    assert stat.ppid == os.getppid()
    assert same_process(stat.pid, stat.start)
    assert not same_process(stat.pid, stat.start + 1)
    assert stat.pid in {s.pid for s in all_stats()}
    assert read_tasks(stat.pid)[0].task.tid == stat.pid


def test_a_process_that_is_gone() -> None:
    assert read_stat(1 << 22) is None
    assert read_tasks(1 << 22) == ()


def test_a_zombie_has_ended_though_it_exists() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert has_ended(child.pid)
    assert read_stat(child.pid)
    child.wait()
    assert has_ended(child.pid)
    assert not has_ended(os.getpid())


def test_the_innermost_pid() -> None:
    assert inner_pid("Name:\tx\nNSpid:\t4711\t12\t1\nNSpgid:\t9\n", 4711) == 1
    assert inner_pid("Name:\tx\n", 4711) == 4711


def test_variables_may_hold_equal_signs() -> None:
    assert pairs(b"A=b=c\0broken\0\xff=1\0") == {"A": "b=c", "\ufffd": "1"}


def test_only_processes_that_can_stop_are_stopped() -> None:
    assert may_be_stopped((facts("S"), facts("R")))
    assert not may_be_stopped(())
    for state in "DTt":
        assert not may_be_stopped((facts("S"), facts(state)))
    assert not may_be_stopped((facts("S", "do_freezer_trap"),))
