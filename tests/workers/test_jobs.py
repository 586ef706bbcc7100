"""The functions RQ calls, run by a real RQ worker: from an event to a card, and back by clicks."""

from collections.abc import Iterator

import msgspec
import pytest
from redis import Redis
from rq import SimpleWorker
from rq.scheduler import RQScheduler
from rq.utils import import_attribute

from rankscope.feishu.errors import FeishuUnavailable
from rankscope.model.chat import ChatMessage, Click
from rankscope.model.event import Event, EventJob
from rankscope.model.state import Incident, IncidentState, Outgoing
from rankscope.queueing import JSON_SERIALIZER, Queue, Task, rq_queue, submit
from rankscope.store.state import State
from tests.capture.fake_agent import FakeAgent, fake_agent
from tests.workers.conftest import FakeFeishu, seen_by
from workers import context as context_module
from workers.context import Context


@pytest.fixture
def agent(
    redis: Redis, context: Context, feishu: FakeFeishu, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeAgent]:
    monkeypatch.setattr(context_module, "settings", lambda: context.settings)
    monkeypatch.setattr(context_module, "LarkSender", lambda _: feishu)
    with fake_agent("gpu07") as agent:
        seen_by(State(redis), agent)
        yield agent


class QuietWorker(SimpleWorker):
    """Listens to no commands: RQ's listening thread may leave its connection behind."""

    def subscribe(self) -> None:
        pass

    def unsubscribe(self) -> None:
        pass


def work(redis: Redis) -> None:
    """Run what is queued, and what is to be tried again, until nothing is left."""
    queues = [rq_queue(redis, name) for name in Queue]
    for _ in range(3):
        worker = QuietWorker(queues, connection=redis, serializer=JSON_SERIALIZER)
        worker.work(burst=True)
        for queue in queues:
            for job_id in queue.scheduled_job_registry.get_job_ids():
                job = queue.fetch_job(job_id)
                assert job is not None
                queue.scheduled_job_registry.schedule(job, job.created_at)
        scheduler = RQScheduler(queues, connection=redis, serializer=JSON_SERIALIZER)
        scheduler.prepare_registries([queue.name for queue in queues])
        scheduler.enqueue_scheduled_jobs()  # type: ignore[no-untyped-call]


def the_incident(redis: Redis) -> Incident:
    [incident] = State(redis).all(Incident)
    return incident


def hang(redis: Redis) -> Incident:
    event = Event(id="1", type="job.hang", job=EventJob(id="jo-1"), message="no step")
    submit(redis, Task.HANDLE_EVENT, msgspec.to_builtins(event), unique_id="event-1")
    work(redis)
    return the_incident(redis)


def click(incident: Incident, action: str) -> Click:
    return Click(
        event_id=action,
        action=action,
        incident_id=incident.id,
        revision=incident.revision,
        operator="ou_li",
        message_id="om_1",
        chat_id=incident.chat_id,
    )


@pytest.mark.parametrize("task", Task)
def test_every_task_is_a_function(task: Task) -> None:
    assert callable(import_attribute(task.value))


def test_an_event_becomes_one_card_with_a_report(
    redis: Redis, agent: FakeAgent, feishu: FakeFeishu
) -> None:
    incident = hang(redis)

    assert incident.state is IncidentState.REPORTED
    assert feishu.made.count("create") == 1
    assert feishu.made.count("reply") == 1
    assert all(o.sent == o.wanted for o in State(redis).all(Outgoing))


def test_recapture_and_compare(redis: Redis, agent: FakeAgent, feishu: FakeFeishu) -> None:
    for action in ("recapture", "compare"):
        pressed = msgspec.to_builtins(
            click(the_incident(redis) if feishu.calls else hang(redis), action)
        )
        submit(redis, Task.HANDLE_CLICK, pressed, unique_id=f"click-{action}")
        work(redis)

    incident = the_incident(redis)
    cards = [c for c in feishu.calls if c.what == "reply" and c.msg_type == "interactive"]
    assert len(incident.captures) == 2
    assert incident.last_action == "compare"
    assert len(cards) == 1
    assert feishu.made.count("create") == 1


def test_a_message_is_answered(redis: Redis, agent: FakeAgent, feishu: FakeFeishu) -> None:
    typed = ChatMessage(
        message_id="om_ask", chat_id="oc_team", chat_type="group", sender="ou_li", text="/help"
    )
    submit(redis, Task.HANDLE_MESSAGE, msgspec.to_builtins(typed), unique_id="message-1")
    work(redis)

    assert feishu.made == ["react", "reply"]


def test_while_feishu_is_away_nothing_is_lost(
    redis: Redis, agent: FakeAgent, feishu: FakeFeishu
) -> None:
    feishu.failures = [FeishuUnavailable("down", retry_after_s=1)] * 2

    hang(redis)

    cards = [call for call in feishu.calls if call.what == "create"]
    assert len({call.uuid for call in cards}) == 1
    assert all(o.sent == o.wanted for o in State(redis).all(Outgoing))


def test_the_regular_tasks_run(redis: Redis, agent: FakeAgent) -> None:
    submit(redis, Task.RECONCILE, unique_id="reconcile")
    submit(redis, Task.RETENTION, unique_id="retention")
    work(redis)

    assert not [
        q for name in Queue if (q := rq_queue(redis, name)).failed_job_registry.get_job_ids()
    ]
