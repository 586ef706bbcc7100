from rankscope.analysis import analyse
from rankscope.model.capture import Capture
from rankscope.model.report import Report
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running
from tests.analysis.test_nccl_status import twice
from tests.changing import replace
from tests.nccl import jobs
from tests.nccl.answers import Job

STUCK = others(8, At(b.ALL_REDUCE))


def report(made: Job, capture: Capture | None = None) -> Report:
    return analyse(replace(capture or job(STUCK, STUCK, per_node=4), nccl=twice(made)))


def test_ras_names_whom_the_stacks_cannot() -> None:
    found = report(jobs.HANG)

    [suspect] = found.suspects
    assert (suspect.rank, suspect.node) == (5, "node-1")
    assert "fewer collectives" in suspect.reasons[0].en
    assert found.verdict.pattern == "ras_behind"
    assert found.verdict.confidence == "medium"
    assert "rank 5" in found.verdict.text.zh


def test_ras_adds_a_reason_to_a_rank_that_is_suspect_already() -> None:
    reading = others(8, At(b.ALL_REDUCE), r5=piped(b.READ))
    found = report(jobs.HANG, job(reading, reading, per_node=4))

    [suspect] = found.suspects
    assert suspect.rank == 5
    assert found.verdict.pattern == "user"
    assert any("fewer collectives" in reason.en for reason in suspect.reasons)


def test_ras_never_overrules_a_stack() -> None:
    reading = others(8, At(b.ALL_REDUCE), r2=piped(b.READ))
    found = report(jobs.HANG, job(reading, reading, per_node=4))

    assert [suspect.rank for suspect in found.suspects] == [2]


def test_ras_decides_who_is_wrong_where_stacks_only_differ() -> None:
    differ = others(8, At(b.ALL_REDUCE), r3=At(b.BROADCAST))
    capture = job(differ, differ, per_node=4)
    assert [s.rank for s in analyse(capture).suspects] == [3]

    assert [s.rank for s in report(jobs.HANG, capture).suspects] == [5]


def test_a_process_that_does_not_answer_ras() -> None:
    found = report(jobs.SILENT)

    assert [suspect.rank for suspect in found.suspects] == [5]
    assert found.verdict.pattern == "ras_lost"
    assert "did not answer" in found.suspects[0].reasons[0].en


def test_nobody_is_named_of_a_job_that_moves() -> None:
    one, other = others(8, running(b.FORWARD)), others(8, running(b.OPTIMIZER))
    found = report(jobs.HANG, job(one, other, per_node=4))

    assert found.verdict.progress == "moving"
    assert found.suspects == ()


def test_nobody_is_named_when_many_are_behind_or_nothing_differs() -> None:
    assert report(jobs.TWO_AHEAD).suspects == ()
    assert report(jobs.HEALTHY).suspects == ()
    assert report(jobs.ONE_INIT).suspects == ()
