import pytest

from rankscope.analysis.nccl_status import NcclReading, read_nccl
from rankscope.model.capture import Capture, NcclAnswer, NcclOutcome
from rankscope.model.report import NcclStatus
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others
from tests.changing import replace
from tests.nccl import jobs
from tests.nccl.answers import Job, as_text
from tests.nccl.json_answers import as_json

TIMES = ("2026-06-08T03:49:00Z", "2026-06-08T03:49:11Z")


def capture(*answers: NcclAnswer, pids: tuple[int, ...] = ()) -> Capture:
    made = job([At(b.ALL_REDUCE)] * 8, nccl=answers, per_node=4)
    if not pids:
        return made
    samples = [
        replace(s, processes=tuple(replace(p, pid=pids[p.rank or 0]) for p in s.processes))
        for s in made.samples
    ]
    return replace(made, samples=tuple(samples))


def answered(made: Job, sample: int = 0, *, text: bool = False, node: str = "n") -> NcclAnswer:
    raw = as_text(made) if text else as_json(made)
    return NcclAnswer(node, NcclOutcome.ANSWERED, sample, TIMES[sample], made.version, "json", raw)


def read(*answers: NcclAnswer) -> NcclReading:
    return read_nccl(capture(*answers))


def status(*answers: NcclAnswer) -> NcclStatus:
    found = read(*answers).status
    assert found is not None
    return found


def twice(made: Job, *, text: bool = False) -> tuple[NcclAnswer, NcclAnswer]:
    later = replace(made, at="2026-03-04 05:06:18")
    return answered(made, text=text), answered(later, 1, text=text)


@pytest.mark.parametrize("outcome", set(NcclOutcome) - {NcclOutcome.ANSWERED})
def test_every_outcome_has_its_words(outcome: NcclOutcome) -> None:
    found = status(NcclAnswer("n", outcome, nccl_version="2.27.3"))

    assert found.outcome == outcome
    assert found.text.zh
    assert found.not_meant
    assert found.next_steps
    assert not found.reliable


def test_before_224_no_status_is_expected() -> None:
    found = status(NcclAnswer("n", NcclOutcome.REFUSED, nccl_version="2.21.5"))

    assert found.outcome == "unsupported"
    assert "expected" in found.text.en
    assert "2.21.5" in found.text.zh
    assert any("no evidence of an NCCL communication failure" in t.en for t in found.not_meant)


@pytest.mark.parametrize(
    ("outcome", "reason", "said"),
    [
        (NcclOutcome.UNSAFE, "starting", "is starting"),
        (NcclOutcome.UNSAFE, "dangerous", "may crash the job"),
        (NcclOutcome.UNSAFE, "version_unknown", "not known"),
        (NcclOutcome.REFUSED, "job_over", "job is over"),
        (NcclOutcome.FROZEN, "silent", "did not finish its answer"),
        (NcclOutcome.CUT, "other_job", "Another job answered"),
        (NcclOutcome.CUT, "nonsense", "unreliable"),
    ],
)
def test_the_agents_reason_is_more_precise(outcome: NcclOutcome, reason: str, said: str) -> None:
    answer = NcclAnswer("n", outcome, nccl_version="2.28.9", reason=reason, raw="{")

    assert said in status(answer).text.en


def test_a_cpu_job_has_no_nccl() -> None:
    assert "gloo" in status(NcclAnswer("n", NcclOutcome.NOT_INITIALISED)).text.en


def test_the_most_telling_node_counts() -> None:
    found = status(NcclAnswer("a", NcclOutcome.REFUSED), answered(jobs.HEALTHY))

    assert (found.outcome, found.nccl_version) == ("answered", "2.30.7")
    assert read().status is None


@pytest.mark.parametrize("text", [False, True])
def test_two_equal_answers_name_the_rank_behind(text: bool) -> None:
    found = read(*twice(jobs.HANG, text=text))

    assert found.status is not None
    assert (found.status.kind, found.status.progress) == ("stalled", "frozen")
    assert found.status.reliable
    assert "rank 5" in found.status.text.en
    worst = found.status.communicators[0]
    assert [(one.rank, one.node) for one in worst.behind if worst.size == 8][:1] == [(5, "node-1")]
    assert [(one.rank, one.why, one.comms) for one in found.blamed] == [(5, "behind", 2)]


def test_one_answer_blames_nobody() -> None:
    found = read(answered(jobs.HANG))

    assert found.blamed == ()
    assert found.status is not None
    assert (found.status.kind, found.status.progress) == ("mismatch", "unknown")


def test_answers_too_close_to_each_other_blame_nobody() -> None:
    one, other = twice(jobs.HANG)

    assert read(one, replace(other, asked_at="2026-06-08T03:49:04Z")).blamed == ()


def test_counts_that_move_blame_nobody() -> None:
    _, later = twice(jobs.ONE_BEHIND)
    found = read(answered(jobs.TWO_AHEAD), later)

    assert found.blamed == ()
    assert found.status is not None
    assert found.status.progress == "moving"


def test_dead_and_silent_processes_are_joined_with_ranks_and_nodes() -> None:
    found = read(answered(jobs.MIXED_LOSS))

    assert [(one.rank, one.why) for one in found.blamed] == [(5, "dead"), (6, "silent")]
    assert found.status is not None
    missing = found.status.communicators[0].missing
    assert [(one.rank, one.node, one.dead) for one in missing] == [
        (5, "node-1", True),
        (6, "node-1", False),
    ]


def test_an_unreliable_second_answer_gives_way_to_the_first() -> None:
    first = answered(jobs.DEAD)
    damaged = replace(
        answered(jobs.DEAD, 1), raw=as_json(jobs.DEAD).replace('"size": 8', '"size": 0')
    )
    found = read(first, damaged)

    assert found.status is not None
    assert found.status.reliable
    assert found.status.kind == "dead"


def test_a_cut_answer_concludes_nothing() -> None:
    cut = replace(answered(jobs.DEAD), raw=as_json(jobs.DEAD)[:900])
    found = read(cut)

    assert found.blamed == ()
    assert found.status is not None
    assert not found.status.reliable
    assert found.status.communicators == ()


def test_at_most_five_communicators_are_listed() -> None:
    many = replace(
        jobs.HEALTHY,
        comms=(*jobs.HANG.comms, *(replace(jobs.HEALTHY.comms[1], hash=n) for n in range(1, 9))),
    )
    found = status(*twice(many))

    assert len(found.communicators) == 5
    assert found.more_communicators == len(many.comms) - 5
    assert [bool(comm.text) for comm in found.communicators] == [True, True, False, False, False]


def test_pids_join_ranks_where_no_communicator_spans_the_job() -> None:
    half = Job((jobs.HANG.comms[2],))
    pids = tuple(4000 + rank for rank in range(8))
    found = read_nccl(capture(*twice(half), pids=pids))

    assert [(one.rank, one.node) for one in found.blamed] == [(5, "node-1")]


def test_of_a_capture_without_ranks() -> None:
    empty = job(others(0, At(b.ALL_REDUCE)), nccl=twice(jobs.HANG))

    assert read_nccl(empty).status is not None
