"""What people type is answered."""

import json
from dataclasses import replace

import pytest

from rankscope.feishu.errors import FeishuRejected
from rankscope.incidents import handle_event, silence_of
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.captures import remember_capture
from rankscope.model.capture import Trigger
from rankscope.model.chat import ChatMessage
from rankscope.model.event import Event, EventJob, EventLog
from rankscope.model.state import (
    AgentBeat,
    AgentJob,
    CaptureRecord,
    CaptureState,
    Incident,
    Job,
    JobState,
    Outgoing,
)
from rankscope.queueing import submitted
from tests.cards.news import OOM
from tests.incidents.conftest import queued, replies
from tests.workers.conftest import LATER_ID, PRINT_ID, FakeFeishu, a_report
from workers.acts import NO_JOB
from workers.context import Context
from workers.messages import handle_message

NEWEST_ID = "1780890605107774003"
TYPED = ChatMessage(
    message_id="om_1", chat_id="oc_here", chat_type="group", sender="ou_li", text=""
)


@pytest.fixture
def job(context: Context) -> None:
    seen = AgentJob(job_id="jo-1a2b")
    context.state.beat(AgentBeat(node="a", endpoint="http://10.0.0.1", version="1", jobs=(seen,)))


def answer(context: Context, text: str, message_id: str = "om_1") -> str:
    handle_message(context, replace(TYPED, text=text, message_id=message_id))
    return replies(context.state)[message_id]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/help", "/capture"),
        ("", "/capture"),
        ("/captrue", "/capture"),
        ("/capture", "jo-1a2b"),
        ("/capture jo-1a2b jo-2", "jo-2"),
        ("/capture nothing-like-it", "jo-1a2b"),
    ],
)
def test_every_message_gets_a_helpful_answer(
    context: Context, job: None, text: str, said: str
) -> None:
    assert said in answer(context, text)
    assert list(context.state.all(CaptureRecord)) == []


def test_a_capture_is_started_for_the_beginning_of_an_id(context: Context, job: None) -> None:
    assert "jo-1a2b" in answer(context, "/capture jo-1a")

    [record] = context.state.all(CaptureRecord)
    [incident] = context.state.all(Incident)
    assert (record.job_id, record.requested_by) == ("jo-1a2b", "ou_li")
    assert incident.chat_id == "oc_here"
    assert "deliver-command_om_1-1" in queued(context.redis)


def test_a_second_command_joins(context: Context, job: None) -> None:
    answer(context, "/capture jo-1a2b")
    answer(context, "/capture jo-1a2b", "om_2")

    assert len(list(context.state.all(CaptureRecord))) == 1


def test_a_job_that_has_failed_is_refused_with_where_to_look(context: Context, job: None) -> None:
    failed = Job(id="jo-1a2b", state=JobState.FAILED, message="exit code 1", url="http://p/1")
    context.state.save(failed)

    said = answer(context, "/capture jo-1a2b")

    assert "exit code 1" in said
    assert "http://p/1" in said


def test_a_message_handled_twice_is_answered_once(context: Context, job: None) -> None:
    for _ in range(2):
        answer(context, "/capture jo-1a2b")

    assert len(list(context.state.all(CaptureRecord))) == 1
    assert len(replies(context.state)) == 1


def test_a_reaction_comes_first_and_may_fail(context: Context, feishu: FakeFeishu) -> None:
    feishu.failures = [FeishuRejected("no such emoji")]

    assert answer(context, "/help")
    assert feishu.made == ["react"]


@pytest.fixture
def captured(context: Context, job: None) -> Context:
    """jo-1a2b with two reported captures, whose stacks are in the store."""
    for print_id in (PRINT_ID, LATER_ID):
        record = CaptureRecord(
            id=print_id,
            job_id="jo-1a2b",
            incident_id="in-1",
            trigger=Trigger.HANG,
            requested_at=1780890495.0,
            state=CaptureState.REPORTED,
        )
        remember_capture(context.state, record)
        context.captures.write_report(a_report(print_id))
        context.captures.write_capture(print_id, CAPTURE_LINES)
    return context


HEADER = {"schema": "rankscope.capture/1", "job_id": "jo-1a2b", "print_id": LATER_ID}
PROCESS = {
    "pid": 7,
    "rank": 5,
    "local_rank": 1,
    "role": "trainer",
    "threads": [
        {
            "thread_name": "MainThread",
            "os_thread_id": 7,
            "frames": [{"name": "read_shard", "filename": "/app/<at id=all>/data.py", "line": 31}],
        }
    ],
}
CAPTURE_LINES = [
    json.dumps(line).encode()
    for line in (HEADER, {"node": "gpu07", "sample": 0, "processes": [PROCESS]})
]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/jobs", "jo-1a2b"),
        ("/jobs", "last captured"),
        ("/status", "a"),
        ("/report jo-1a", "all alike"),
        (f"/report {PRINT_ID}", PRINT_ID),
        ("/report jo-1a", "/captures/"),
        ("/stack jo-1a 5", "read_shard"),
        ("/stack jo-1a worker-0-gpu-1", "read_shard"),
        ("/stack jo-1a 9", "Ranks in it: 5"),
        ("/stack jo-1a gpu", "worker-0-gpu-0"),
        ("/nccl jo-1a", "did not query NCCL RAS"),
        ("/audit jo-1a", "Nobody has acted"),
        ("/lang en", "English"),
        ("/silence jo-1a", "until"),
        ("/silence jo-1a end", "until the job ends"),
        ("/silence jo-1a off", "not silenced"),
        ("/compare jo-1a", "Comparing"),
        ("/compare jo-1a 495107774003 505107774003", "Comparing"),
        ("/compare jo-1a 495107774003 495107774003", "two different"),
        ("/compare jo-1a 1 2", "no capture"),
        ("/capture jo-1a --samples nine", "Usage"),
    ],
)
def test_every_command_is_answered(captured: Context, text: str, said: str) -> None:
    assert said in answer(captured, text)


def test_foreign_frames_mention_nobody(captured: Context) -> None:
    assert not set("<>@") & set(answer(captured, "/stack jo-1a 5"))


@pytest.mark.parametrize(
    "text", ["/report jo-1a", "/stack jo-1a 5", "/nccl jo-1a", "/compare jo-1a"]
)
def test_without_a_capture_the_answer_says_what_to_do(
    context: Context, job: None, text: str
) -> None:
    said = answer(context, text)

    assert "/capture jo-1a2b" in said or "Capture first" in said


def test_samples_and_native_ranks_reach_the_record(context: Context, job: None) -> None:
    answer(context, "/capture jo-1a --samples 3 --native 0,5")

    [record] = context.state.all(CaptureRecord)
    assert (record.samples, record.native) == (3, (0, 5))


def test_a_comparison_is_asked_for_below_the_command(captured: Context) -> None:
    answer(captured, "/compare jo-1a")

    assert submitted(captured.redis, "compare-message-om_1") == (
        "in-1",
        PRINT_ID,
        LATER_ID,
        "om_1",
    )


def test_a_chat_is_answered_in_its_language(captured: Context) -> None:
    answer(captured, "/lang zh")

    assert "共 1 个任务" in answer(captured, "/jobs", "om_2")


def test_a_long_answer_goes_into_a_thread(captured: Context) -> None:
    answer(captured, "/help")
    answer(captured, "/lang en", "om_2")

    assert captured.state.load(Outgoing, "command:om_1").in_thread
    assert not captured.state.load(Outgoing, "command:om_2").in_thread


@pytest.mark.parametrize(
    "text", ["/capture jo-1a", "/silence jo-1a 2h", "/compare jo-1a", "/lang zh"]
)
def test_who_is_no_operator_is_refused_and_that_is_on_record(captured: Context, text: str) -> None:
    captured.settings = captured.settings.model_copy(update={"operators": "ou_wang"})

    assert "RANKSCOPE_OPERATORS" in answer(captured, text)
    [deed] = deeds_of(captured.state, NO_JOB if "lang" in text else "jo-1a2b")
    assert deed.outcome == "refused"
    assert silence_of(captured.state, "jo-1a2b") is None


def test_everybody_may_look(captured: Context) -> None:
    captured.settings = captured.settings.model_copy(update={"operators": "ou_wang"})

    assert "all alike" in answer(captured, "/report jo-1a")


def test_the_owner_may_act_on_the_job(captured: Context) -> None:
    captured.settings = captured.settings.model_copy(update={"operators": "ou_wang"})
    captured.state.save(Job(id="jo-1a2b", owner="ou_li"))

    assert "silenced until" in answer(captured, "/silence jo-1a 2h")


def test_what_was_done_is_listed_with_names(captured: Context, feishu: FakeFeishu) -> None:
    feishu.names["ou_li"] = "李雷"
    answer(captured, "/silence jo-1a 2h")
    answer(captured, "/capture jo-1a", "om_2")

    lines = answer(captured, "/audit jo-1a", "om_3").splitlines()
    assert "李雷  capture: started" in lines[1]
    assert "李雷  silence: done" in lines[2]


def test_the_first_error_of_kept_logs_is_answered_in_both_languages(
    context: Context, job: None
) -> None:
    log = EventLog(worker="worker-1", text=OOM, first_line=101)
    told = Event(id="e", type="job.failed", job=EventJob(id="jo-1a2b"), logs=(log,))
    handle_event(context.state, told, context.settings)

    said = answer(context, "/errors jo-1")

    assert "worker-1:113" in said
    assert "CUDA out of memory" in said
    assert answer(context, "/lang en", "om_2")
    assert "First error worker-1:113" in answer(context, "/errors jo-1a2b", "om_3")
    assert context.state.load(Outgoing, "command:om_3").in_thread


@pytest.mark.parametrize("text", ["/errors jo-1a2b", "错误 jo-1a2b", "/erors", "/errors"])
def test_errors_without_a_log_or_mistyped_are_answered(
    context: Context, job: None, text: str
) -> None:
    said = answer(context, text)

    assert "/errors" in said or "rankscope watch" in said


def test_the_status_warns_while_nobody_tells_of_hangs(context: Context, job: None) -> None:
    assert "rankscope watch" in answer(context, "/status")

    told = Event(
        id="e", type="job.state", state="running", source="rankscope-watch",
        job=EventJob(id="jo-1a2b"),
    )  # fmt: skip
    handle_event(context.state, told, context.settings)
    assert "rankscope watch" not in answer(context, "/status", "om_2")


def test_errors_looks_at_the_variables_of_the_last_capture(captured: Context) -> None:
    twice = [PROCESS | {"pid": pid, "env": {"RANK": "5", "WORLD_SIZE": "8"}} for pid in (7, 8)]
    lines = (HEADER | {"print_id": NEWEST_ID}, {"node": "a", "sample": 0, "processes": twice})
    record = captured.state.load(CaptureRecord, LATER_ID)
    remember_capture(captured.state, replace(record, id=NEWEST_ID))
    captured.captures.write_capture(NEWEST_ID, [json.dumps(line).encode() for line in lines])

    assert "RANK is used twice: 5" in answer(captured, "/errors jo-1a")
