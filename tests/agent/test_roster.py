import pytest

from agent import roster as roster_module
from agent.procfs import CLOCK_TICKS
from agent.roles import Member
from agent.roster import KEPT_S, Roster
from agent.scan import Proc
from tests.agent.builders import members, proc


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(roster_module, "boot_clock", lambda: self.now)

    def ticks(self) -> int:
        return int(self.now * CLOCK_TICKS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def look(roster: Roster, *procs: Proc) -> dict[int, Member]:
    by_pid = {p.pid: p for p in procs}
    found = members(*procs, orphans=roster.orphans(by_pid))
    return {m.proc.pid: m for m in roster.update(found.values(), by_pid)}


def test_the_dead_are_kept_while_others_live(clock: Clock) -> None:
    roster = Roster()
    look(roster, proc(10, rank=0), proc(11, rank=1))
    clock.now += 10 * KEPT_S
    look(roster, proc(10, rank=0), proc(11, rank=1))
    clock.now += KEPT_S - 1
    found = look(roster, proc(10, rank=0))
    clock.now += KEPT_S - 1
    found = look(roster, proc(10, rank=0))
    assert found[11].role == "dead"
    assert found[11].error
    assert found[11].error.startswith("gone: ")
    assert found[11].rank == 1


def test_the_dead_of_an_ended_job_are_forgotten_after_ten_minutes(clock: Clock) -> None:
    roster = Roster()
    look(roster, proc(10, rank=0))
    clock.now += KEPT_S - 1
    assert look(roster)[10].role == "dead"
    clock.now += 2
    assert look(roster) == {}


def test_a_restart_forgets_the_dead_also_when_it_has_fewer_ranks(clock: Clock) -> None:
    roster = Roster()
    look(roster, proc(10, rank=0), proc(11, rank=1))
    clock.now += 5
    assert set(look(roster, proc(20, rank=0, start=clock.ticks()))) == {20}


def test_a_rank_that_starts_late_does_not_hide_one_that_died(clock: Clock) -> None:
    roster = Roster()
    look(roster, proc(10, rank=0), proc(11, rank=1))
    clock.now += 5
    found = look(roster, proc(10, rank=0), proc(12, rank=2, start=clock.ticks()))
    assert found[11].role == "dead"


def test_a_reused_pid_is_another_process(clock: Clock) -> None:
    roster = Roster()
    look(roster, proc(10, rank=0), proc(11, rank=1))
    by_pid = {11: proc(11, start=clock.ticks(), python=None), 10: proc(10, rank=0)}
    dead = [m for m in roster.update(members(*by_pid.values()).values(), by_pid) if m.rank == 1]
    assert [m.error.split(":")[0] for m in dead if m.error] == ["gone"]


def test_a_zombie_is_named_by_its_former_rank(clock: Clock) -> None:
    roster = Roster()
    launcher = proc(9, cmdline=("python", "torchrun"))
    look(roster, launcher, proc(10, 9, rank=4), proc(11, 9, rank=5))
    found = look(roster, launcher, proc(10, 9, state="Z"), proc(11, 9, rank=5))
    assert found[10].role == "dead"
    assert found[10].rank == 4
    assert found[10].error
    assert found[10].error.startswith("zombie: ")
