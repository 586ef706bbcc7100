"""Jobs that are slow, or get on: less is sure of them than of jobs that stand still."""

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Capture, Trigger
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running
from tests.analysis.scenarios import WAITS, asleep


def named(capture: Capture) -> list[int]:
    return sorted(suspect.rank for suspect in analyse(capture).suspects)


def test_the_rank_that_works_in_both_samples_of_a_slow_job_is_slow() -> None:
    before = others(8, WAITS, r5=At(b.FORWARD, wchan="hrtimer_nanosleep"))
    after = others(8, WAITS, r5=At(b.OPTIMIZER, wchan="hrtimer_nanosleep"))

    assert named(job(before, after, trigger=Trigger.SLOW)) == [5]
    assert named(job(before, after, trigger=Trigger.MANUAL)) == []


def test_a_few_ranks_that_wait_twice_by_chance_accuse_nobody_of_a_job_that_goes_on() -> None:
    before = others(8, asleep(b.FORWARD), r2=WAITS, r3=WAITS, r7=asleep(b.OPTIMIZER))
    after = others(8, asleep(b.OPTIMIZER), r0=asleep(b.FORWARD), r2=WAITS, r3=WAITS)

    report = analyse(job(before, after))

    assert report.suspects == ()
    assert report.verdict.progress == "moving"


def test_a_slow_job_does_not_stand_still_because_two_samples_are_alike() -> None:
    ranks = others(8, WAITS, r5=running(b.READ))

    report = analyse(job(ranks, ranks, trigger=Trigger.SLOW))

    assert [suspect.rank for suspect in report.suspects] == [5]
    assert report.verdict.progress == "unknown"


def test_ranks_at_work_in_a_slow_job_are_not_blocked_for_being_there_twice() -> None:
    ranks = others(8, WAITS, r1=asleep(b.FORWARD), r2=running(b.READ))

    assert named(job(ranks, ranks, trigger=Trigger.SLOW)) == []


@pytest.mark.parametrize(
    ("place", "most"),
    [(piped(b.READ), "medium"), (At(b.LOADER, wchan="do_sys_poll"), "medium"),
     (At(b.BARRIER), "low"), (At(b.FORWARD, state="T"), "high")],
    ids=["blocked", "loader", "another collective", "stopped"],
)  # fmt: skip
def test_only_what_lasts_is_sure_in_a_slow_job(place: At, most: str) -> None:
    ranks = others(8, WAITS, r5=place)

    report = analyse(job(ranks, ranks, trigger=Trigger.SLOW))

    assert [suspect.rank for suspect in report.suspects] == [5]
    assert report.verdict.confidence == most


def test_one_moment_of_a_slow_job_names_a_rank_alone_or_nobody() -> None:
    alone = others(8, WAITS, r5=piped(b.READ))
    two = others(8, WAITS, r5=piped(b.READ), r6=piped(b.READ))

    report = analyse(job(alone, trigger=Trigger.SLOW))

    assert [suspect.rank for suspect in report.suspects] == [5]
    assert report.verdict.confidence == "low"
    assert named(job(two, trigger=Trigger.SLOW)) == []


def test_sleeping_ranks_that_used_a_cpu_in_between_got_on() -> None:
    before = others(4, At(b.ALL_REDUCE, ticks=100))

    still = analyse(job(before, others(4, At(b.ALL_REDUCE, ticks=101))))
    on = analyse(job(before, others(4, At(b.ALL_REDUCE, ticks=150))))
    polls = At(b.ALL_REDUCE, state="R", wchan="0", ticks=100)
    spinning = analyse(job(others(4, polls), others(4, polls)))

    assert still.verdict.progress == "frozen"
    assert on.verdict.progress == "moving"
    assert spinning.verdict.progress == "frozen"
