from dataclasses import replace
from pathlib import Path

import pytest

from rankscope.model.report import (
    Comparison,
    Progress,
    RankChange,
    RankComparison,
    Report,
    Summary,
    Suspect,
    Verdict,
)
from rankscope.model.text import Text
from sandbox.cluster.faults import Fault
from sandbox.demo.parts import Ports, Setup
from sandbox.demo.tour import Outcome, conclude, print_outcome, problems

WORDS = Text("话", "words")


def setup_of(fault: Fault) -> Setup:
    ports = Ports(emulator=1, bot=2, agent=3)
    return Setup(
        folder=Path("/x"), ports=ports, job_id="jo-1", fault=fault, fault_rank=5, language="en"
    )


def report(*ranks: int, progress: Progress = "frozen") -> Report:
    return Report(
        summary=Summary("jo-1", "then", "1", 8, 8),
        verdict=Verdict("pattern", "high", progress, WORDS),
        suspects=tuple(Suspect(rank, "node-b", 0.9, (WORDS,)) for rank in ranks),
        groups=(),
        functions=(),
        missing=(),
        cautions=(),
        next_steps=(),
    )


def comparison(change: RankChange) -> Comparison:
    ranks = (
        RankComparison(4, "node-b", "frozen", "a", "a"),
        RankComparison(5, "node-b", change, "a", "b"),
    )
    return Comparison("jo-1", "1", "2", ranks, WORDS)


def said(fault: Fault, outcome: Outcome) -> list[str]:
    return [text.en for text in problems(setup_of(fault), outcome)]


@pytest.mark.parametrize("fault", [Fault.FIFO, Fault.SPIN, Fault.SIGSTOP])
def test_the_stuck_rank_alone_named_and_frozen_is_right(fault: Fault) -> None:
    outcome = Outcome((report(5), report(5), report(5)), comparison("frozen"))

    assert said(fault, outcome) == []
    assert "rank 5 on node-b" in conclude(setup_of(fault), outcome).en


@pytest.mark.parametrize("named", [(), (4,), (5, 4), (4, 5)])
def test_any_other_naming_is_wrong(named: tuple[int, ...]) -> None:
    outcome = Outcome((report(5), report(*named)), comparison("frozen"))

    assert said(Fault.FIFO, outcome) == [f"Capture 2 names {[*named]}, it should be [5]."]


def test_a_stuck_rank_that_moved_is_wrong() -> None:
    outcome = Outcome((report(5),), comparison("moved"))

    assert said(Fault.FIFO, outcome) == ["The comparison says of rank 5: “moved”."]


def test_a_killed_rank_is_gone_or_absent() -> None:
    gone = Outcome((report(5),), comparison("gone"))
    absent = Outcome((report(5),), Comparison("jo-1", "1", "2", (), WORDS))

    assert said(Fault.KILLED, gone) == said(Fault.KILLED, absent) == []
    assert "gone" in conclude(setup_of(Fault.KILLED), gone).en
    assert "dead" in conclude(setup_of(Fault.KILLED), absent).en
    assert said(Fault.KILLED, Outcome((report(5),), comparison("moved")))
    assert said(Fault.FIFO, absent)


def test_a_rank_in_a_loop_may_move_within_its_function() -> None:
    def moved(after: str) -> Outcome:
        place = "document_length (data.py:40)"
        one = RankComparison(5, "node-b", "moved", place, after)
        return Outcome((report(5),), Comparison("jo-1", "1", "2", (one,), WORDS))

    circling = moved("document_length (data.py:41)")

    assert said(Fault.SPIN, circling) == []
    assert "loop" in conclude(setup_of(Fault.SPIN), circling).en
    assert said(Fault.SPIN, moved("forward (trainer.py:41)"))
    assert said(Fault.FIFO, circling)


def test_a_healthy_job_has_no_suspects() -> None:
    outcome = Outcome((report(progress="moving"),))

    assert said(Fault.NONE, outcome) == []
    assert "nobody was named" in conclude(setup_of(Fault.NONE), outcome).en
    assert said(Fault.NONE, Outcome((report(5, progress="moving"),)))
    assert said(Fault.NONE, Outcome((report(progress="frozen"),)))


@pytest.mark.parametrize("named", [(), (5,)])
def test_a_slow_rank_may_be_named_or_not(named: tuple[int, ...]) -> None:
    outcome = Outcome((report(*named, progress="moving"),))

    assert said(Fault.SLOW, outcome) == []
    assert "5" in conclude(setup_of(Fault.SLOW), outcome).en
    assert said(Fault.SLOW, Outcome((report(4, progress="moving"),)))


def test_what_is_wrong_is_printed_and_not_concluded(capsys: pytest.CaptureFixture[str]) -> None:
    setup = replace(setup_of(Fault.FIFO), language="zh")

    assert not print_outcome(setup, Outcome((report(4),)))

    printed = capsys.readouterr().out
    assert "✗ 第 1 次采集点名 [4]，应为 [5]。" in printed
    assert "✓" not in printed
