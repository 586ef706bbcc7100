from collections.abc import Callable
from dataclasses import replace

import pytest

from rankscope.model.capture import Capture, CaptureHeader, NodeSample, Process, Role
from rankscope.nccl.findings import Kind
from rankscope.nccl.model import RasAnswer
from rankscope.nccl.read import read_answer
from rankscope.nccl.verdict import Context, RasVerdict, judge
from tests.nccl import jobs
from tests.nccl.answers import Comm, Job, as_text, split, world
from tests.nccl.jobs import CONDITIONS, VERSIONS, WITH_JSON, of_version
from tests.nccl.json_answers import as_json

LATER = "2026-03-04 05:06:17"
SOON = "2026-03-04 05:06:09"


def text(job: Job, version: str = "2.30.7") -> RasAnswer:
    return read_answer(as_text(of_version(job, version)))


def data(job: Job, version: str = "2.30.7") -> RasAnswer:
    return read_answer(as_json(of_version(job, version)))


def said(verdict: RasVerdict) -> str:
    return verdict.text.en


ONE_ANSWER = {
    "healthy": Kind.EVEN,
    "one_behind": Kind.MISMATCH,
    "two_ahead": Kind.MISMATCH,
    "hang": Kind.MISMATCH,
    "several_kinds": Kind.MISMATCH,
    "silent": Kind.INCOMPLETE,
    "dead": Kind.DEAD,
    "mixed_loss": Kind.DEAD,
    "lost_and_behind": Kind.INCOMPLETE,
    "failed": Kind.ERROR,
    "nccl_timeout": Kind.ERROR,
    "one_init": Kind.INITIALISING,
    "all_init": Kind.INITIALISING,
    "leaving": Kind.TRANSITION,
    "many_lost": Kind.INCOMPLETE,
}


@pytest.mark.parametrize(("name", "kind"), ONE_ANSWER.items())
@pytest.mark.parametrize("version", VERSIONS)
def test_one_text_answer(name: str, kind: Kind, version: str) -> None:
    verdict = judge(text(CONDITIONS[name], version))

    assert (verdict.kind, verdict.progress) == (kind, "unknown")


@pytest.mark.parametrize(("name", "kind"), ONE_ANSWER.items())
@pytest.mark.parametrize("version", WITH_JSON)
def test_one_json_answer(name: str, kind: Kind, version: str) -> None:
    assert judge(data(CONDITIONS[name], version)).kind == kind


@pytest.mark.parametrize("name", [*CONDITIONS])
@pytest.mark.parametrize("read", [text, data])
def test_no_verdict_ever_says_that_there_is_no_hang(
    name: str, read: Callable[[Job], RasAnswer]
) -> None:
    verdict = judge(read(CONDITIONS[name]), read(CONDITIONS[name]))

    for phrase in ("no hang", "not hung", "not hanging", "healthy"):
        assert phrase not in said(verdict).lower()
    for phrase in ("没有卡住", "没有 hang", "正常运行中"):
        assert phrase not in verdict.text.zh.lower()


@pytest.mark.parametrize("name", [n for n in CONDITIONS if n != "empty"])
def test_what_is_not_counted_is_always_said(name: str) -> None:
    verdict = judge(data(CONDITIONS[name]))

    assert "launches, not completions" in said(verdict)
    assert "Send/Recv" in said(verdict)
    assert "CUDA graph" in said(verdict)
    assert "CUDA graph" in verdict.text.zh


@pytest.mark.parametrize("version", VERSIONS)
def test_a_hang_in_two_texts_names_one_process_behind_in_two_communicators(version: str) -> None:
    verdict = judge(text(jobs.HANG, version), text(jobs.HANG, version))

    assert (verdict.kind, verdict.progress) == (Kind.STALLED, "frozen")
    (culprit,) = verdict.culprits.found
    assert culprit.process is not None
    assert culprit.process.pid == 4005
    assert [(comm.size, rank) for comm, rank in culprit.ranks] == [(8, 5), (4, 1)]
    assert "rank 5 (10.0.0.2, pid 4005, GPU 1)" in verdict.line.en
    assert "rank 5（10.0.0.2, pid 4005, GPU 1）" in verdict.line.zh


@pytest.mark.parametrize("version", WITH_JSON)
def test_a_hang_in_two_json_answers(version: str) -> None:
    later = replace(jobs.HANG, at=LATER)
    verdict = judge(data(later, version), data(jobs.HANG, version))

    assert (verdict.kind, verdict.progress) == (Kind.STALLED, "frozen")
    assert verdict.comparison is not None
    assert verdict.comparison.seconds == 10
    assert [culprit.process and culprit.process.pid for culprit in verdict.culprits.found] == [4005]


def test_a_hang_seen_in_json_first_and_in_text_then() -> None:
    verdict = judge(text(jobs.HANG), data(jobs.HANG))

    assert (verdict.kind, verdict.progress) == (Kind.STALLED, "frozen")


def test_answers_given_in_the_wrong_order_are_put_right() -> None:
    later = data(replace(jobs.HEALTHY, at=LATER))

    assert judge(data(jobs.ONE_BEHIND), later).kind == judge(later, data(jobs.ONE_BEHIND)).kind


def test_two_answers_too_close_to_each_other_do_not_show_standing_still() -> None:
    verdict = judge(data(replace(jobs.HANG, at=SOON)), data(jobs.HANG))

    assert (verdict.kind, verdict.progress) == (Kind.MISMATCH, "unknown")
    assert "2 s apart" in said(verdict)
    assert verdict.culprits.found == ()


def test_the_caller_may_know_the_seconds_between_two_texts() -> None:
    context = Context(seconds=3)

    assert judge(text(jobs.HANG), text(jobs.HANG), context).progress == "unknown"


def test_a_live_job_caught_with_a_difference_is_moving() -> None:
    before, after = jobs.ONE_BEHIND, moved(jobs.ONE_BEHIND, 50)

    for read in (text, data):
        verdict = judge(read(replace(after, at=LATER)), read(before))
        assert (verdict.kind, verdict.progress) == (Kind.MOVING, "moving")
        assert verdict.culprits.found == ()


def test_a_difference_that_is_gone_again_means_moving() -> None:
    for before, after in ((jobs.ONE_BEHIND, jobs.HEALTHY), (jobs.HEALTHY, jobs.ONE_BEHIND)):
        assert judge(text(after), text(before)).progress == "moving"


def moved(job: Job, by: int) -> Job:
    comms = [
        replace(
            comm,
            members=tuple(
                replace(m, launched=tuple((kind, n + by) for kind, n in m.launched))
                for m in comm.members
            ),
        )
        for comm in job.comms
    ]
    return replace(job, comms=tuple(comms))


def test_a_rank_that_alone_does_not_move_is_told_without_calling_it_a_hang() -> None:
    after = moved(jobs.HEALTHY, 50).comms[0].but(5, launched=(("AllReduce", 99),))
    verdict = judge(data(Job((after,), at=LATER)), data(Job((jobs.ONE_BEHIND.comms[0],))))

    assert (verdict.kind, verdict.progress) == (Kind.LAGGING, "moving")
    assert "rank 5" in verdict.line.en


def test_equal_counts_that_stand_still_name_nobody() -> None:
    verdict = judge(data(replace(jobs.HEALTHY, at=LATER)), data(jobs.HEALTHY))

    assert (verdict.kind, verdict.progress) == (Kind.STILL_EVEN, "frozen")
    assert verdict.culprits.found == ()
    assert "CUDA graphs" in said(verdict)


def test_two_texts_without_a_difference_tell_nothing_of_progress() -> None:
    verdict = judge(text(jobs.HEALTHY), text(jobs.HEALTHY))

    assert (verdict.kind, verdict.progress) == (Kind.EVEN, "unknown")


def test_a_majority_behind_accuses_nobody() -> None:
    verdict = judge(text(jobs.TWO_AHEAD), text(jobs.TWO_AHEAD))

    assert (verdict.kind, verdict.progress) == (Kind.STALLED, "frozen")
    assert verdict.culprits.found == ()
    assert "ranks 0-5 (ahead: 6-7)" in verdict.line.en


def test_ranks_that_went_different_ways_are_not_called_behind() -> None:
    one = judge(text(jobs.SEVERAL_KINDS))
    two = judge(data(replace(jobs.SEVERAL_KINDS, at=LATER)), data(jobs.SEVERAL_KINDS))

    assert "cross each other" in one.line.en
    assert any("different ways" in seen.en for seen in two.seen)


def test_one_process_behind_in_several_communicators_is_told_without_blame() -> None:
    verdict = judge(data(jobs.HANG))

    assert "One process, rank 5" in verdict.seen[0].en
    assert verdict.culprits.found == ()


def test_who_waits_for_somebody_else_is_excused() -> None:
    """Rank 4 waits for rank 5 in their group, and is behind in another group because of it."""
    whole = world()
    tensor = split(whole, range(4, 8), 0xAA02).but(1, launched=(("AllReduce", 70),))
    pipeline = split(whole, [0, 4], 0xBB01).but(1, launched=(("AllReduce", 90),))
    job = Job((whole, tensor, pipeline))
    verdict = judge(data(replace(job, at=LATER)), data(job))

    assert [culprit.process and culprit.process.pid for culprit in verdict.culprits.found] == [4005]
    assert not verdict.culprits.circle


def test_two_that_wait_for_each_other_are_a_circle() -> None:
    whole = world()
    one = split(whole, [0, 1], 0xAA01).but(0, launched=(("AllReduce", 99),))
    other = split(whole, [0, 1], 0xBB01).but(1, launched=(("AllReduce", 99),))
    job = Job((whole, one, other))
    verdict = judge(data(replace(job, at=LATER)), data(job))

    assert verdict.culprits.circle
    assert {c.process and c.process.pid for c in verdict.culprits.found} == {4000, 4001}
    assert "wait for each other" in verdict.line.en


@pytest.mark.parametrize("version", VERSIONS)
def test_a_rank_in_init_hidden_under_running(version: str) -> None:
    one = judge(text(jobs.ONE_INIT, version))
    two = judge(text(jobs.ONE_INIT, version), text(jobs.ONE_INIT, version))

    assert "shows as RUNNING" in one.line.en
    assert (two.kind, two.progress) == (Kind.INIT_STUCK, "frozen")
    assert "rank 3" in two.line.en
    assert "pid 4007" in two.line.en


def test_a_whole_communicator_stuck_in_init() -> None:
    verdict = judge(data(replace(jobs.ALL_INIT, at=LATER)), data(jobs.ALL_INIT))

    assert verdict.kind == Kind.INIT_STUCK
    assert "all ranks" in verdict.line.en


@pytest.mark.parametrize("version", VERSIONS)
def test_a_dead_process_is_named_with_its_rank(version: str) -> None:
    verdict = judge(text(jobs.DEAD, version))

    assert "rank 5 (10.0.0.2, pid 4005, GPU 1)" in verdict.line.en
    assert "DEAD" in verdict.line.zh
    assert len(verdict.worst) == 2


def test_a_failure_by_itself_comes_before_those_that_suffer_from_it() -> None:
    line = judge(data(jobs.FAILED)).findings[0].text.en

    assert line.index("Unhandled CUDA error") < line.index("Remote process error")
    assert "ranks 0-5" in line


def test_answers_of_different_jobs_are_not_compared() -> None:
    other = Job((world(name=0x99),))
    verdict = judge(data(replace(other, at=LATER)), data(jobs.HANG))

    assert verdict.progress == "unknown"
    assert "cannot be compared" in said(verdict)


def test_an_unreliable_earlier_answer_is_not_compared_with() -> None:
    cut = read_answer(as_text(jobs.HANG)[:600])
    verdict = judge(text(jobs.HANG), cut)

    assert (verdict.kind, verdict.progress) == (Kind.MISMATCH, "unknown")
    assert "cannot be compared" in said(verdict)


def test_a_size_other_than_the_jobs_is_said() -> None:
    verdict = judge(text(jobs.HEALTHY), context=Context(world_size=16))

    assert "RAS sees 8 GPUs, the job is configured for 16" in said(verdict)


def test_timeouts_and_retries_are_said() -> None:
    answer = replace(text(jobs.SILENT), handshake_retries=3)

    assert "2 timeout(s)" in said(judge(answer))
    assert "retried 3 time(s)" in said(judge(answer))


def test_a_cut_answer_is_to_be_asked_again() -> None:
    verdict = judge(read_answer(as_text(jobs.DEAD)[:500]))

    assert verdict.kind == Kind.UNRELIABLE
    assert "ask again" in verdict.line.en
    assert "再问一次" in verdict.line.zh


def test_an_empty_answer_is_not_called_unreliable_but_empty() -> None:
    assert "empty" in judge(read_answer(b"")).line.en


def capture_of(whole: Comm, *, shift: int = 0) -> Capture:
    nodes = sorted({member.host for member in whole.members})
    samples = tuple(
        NodeSample(
            node=f"gpu-{number}",
            sample=0,
            processes=tuple(
                Process(pid=m.pid + shift, rank=m.rank, role=Role.TRAINER)
                for m in whole.members
                if m.host == host and not m.absent
            ),
        )
        for number, host in enumerate(nodes)
    )
    return Capture(CaptureHeader(job_id="jo-1", print_id="1", world_size=8), samples)


def test_missing_ranks_are_joined_with_nodes_of_the_capture() -> None:
    capture = capture_of(jobs.DEAD.comms[0])
    verdict = judge(data(jobs.DEAD), context=Context(capture=capture))

    assert "rank 5 (gpu-1 10.0.0.2, pid 4005, GPU 1)" in verdict.line.en


def test_pids_of_a_container_leave_the_rank_of_the_whole_communicator() -> None:
    capture = capture_of(jobs.DEAD.comms[0], shift=100_000)
    verdict = judge(data(jobs.DEAD), context=Context(capture=capture))

    assert "rank 5 (10.0.0.2, pid 4005, GPU 1)" in verdict.line.en


def test_without_a_communicator_of_the_whole_job_pids_give_the_global_rank() -> None:
    right = jobs.HANG.comms[2]
    job = Job((right,))
    capture = capture_of(world())
    alone = judge(data(job), context=Context(world_size=8))
    joined = judge(data(job), context=Context(capture=capture))

    assert "its rank 1 (" in alone.line.en
    assert "rank 5 (gpu-1 10.0.0.2" in joined.line.en


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_sentence_is_there_in_both_languages(name: str) -> None:
    verdict = judge(data(CONDITIONS[name]), data(CONDITIONS[name]))
    texts = [verdict.line, *verdict.seen, *verdict.not_meant, *verdict.next_steps]

    assert verdict.next_steps
    assert verdict.not_meant
    assert all(one.zh and one.en for one in texts)
