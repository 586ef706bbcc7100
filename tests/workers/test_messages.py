"""What people type is answered."""

from dataclasses import replace

import pytest

from rankscope.feishu.errors import FeishuRejected
from rankscope.model.chat import ChatMessage
from rankscope.model.state import AgentBeat, AgentJob, CaptureRecord, Incident, Job, JobState
from tests.incidents.conftest import queued, replies
from tests.workers.conftest import FakeFeishu
from workers.context import Context
from workers.messages import handle_message

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
