"""Many people and many events at once, against the running bot and a worker beside it."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from redis import Redis

from rankscope.incidents import handle_event
from rankscope.incidents.people import remember_name
from rankscope.model.chat import Click
from rankscope.model.event import Event
from rankscope.model.state import AgentBeat, AgentJob, CaptureRecord, Incident, IncidentState, Job
from rankscope.queueing import Queue, Task, rq_queue
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.feishu.payloads import Json, click, message
from tests.scenarios.conftest import RunningBot
from tests.scenarios.queued import tasks
from tests.scenarios.test_feishu_clicks import INCIDENT
from tests.scenarios.test_feishu_messages import push
from tests.scenarios.test_webhook import EVENT, _post
from tests.workers.conftest import FakeFeishu
from workers.clicks import handle_click
from workers.context import Context

PEOPLE = 10


def click_of(person: str) -> Json:
    payload = click({"act": "recapture", "incident": "in-1", "rev": 2})
    payload["event"]["operator"]["open_id"] = person
    return payload


@pytest.fixture
def bot(either_bot: RunningBot) -> RunningBot:
    return either_bot


@pytest.fixture
def hung(bot: RunningBot) -> RunningBot:
    """jo-1 hangs, an agent sees it, and its card can be pressed by people with names."""
    seen = AgentJob(job_id="jo-1", ranks=(0,), world_size=1)
    bot.state.beat(AgentBeat(node="a", endpoint="http://10.0.0.1", version="1", jobs=(seen,)))
    bot.state.save(INCIDENT)
    bot.state.set_open_incident("jo-1", INCIDENT.id)
    for number in range(PEOPLE):
        remember_name(bot.state, f"ou_{number}", f"同事{number}")
    return bot


@contextmanager
def working(settings: Settings, redis: Redis) -> Iterator[None]:
    """Handle clicks beside the bot, as an RQ worker would."""
    context, over = Context(settings, redis), threading.Event()
    context.feishu = FakeFeishu()
    handled: set[str] = set()

    def work() -> None:
        while not over.is_set():
            for job in rq_queue(redis, Queue.CHAT).get_jobs():
                if job.func_name == Task.HANDLE_CLICK and job.id not in handled:
                    handled.add(job.id)
                    handle_click(context, msgspec.convert(job.args[0], Click))
            time.sleep(0.01)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
        while set(tasks(redis)) & {Task.HANDLE_CLICK} and not handled:
            time.sleep(0.01)
    finally:
        over.set()
        thread.join()


def test_of_ten_who_press_within_a_second_nine_hear_who_was_first(hung: RunningBot) -> None:
    def press(number: int) -> tuple[int, dict[str, Any]]:
        return number, push(hung, click_of(f"ou_{number}")).json()["toast"]

    with working(hung.settings, hung.redis), ThreadPoolExecutor(PEOPLE) as pool:
        toasts = dict(pool.map(press, range(PEOPLE)))

    [first] = [number for number, toast in toasts.items() if toast["type"] == "success"]
    others = [toast for number, toast in toasts.items() if number != first]
    assert len(others) == PEOPLE - 1
    assert all(f"同事{first}" in toast["i18n"]["zh_cn"] for toast in others)
    assert all(f"同事{first}" in toast["i18n"]["en_us"] for toast in others)
    [record] = hung.state.all(CaptureRecord)
    assert record.requested_by == f"ou_{first}"


def test_a_thousand_duplicate_and_reordered_messages_are_acted_on_once_each(
    bot: RunningBot,
) -> None:
    pushes = [
        message(f"@_user_1 /capture jo-{number}", message_id=f"om_{number}", event_id=f"ev-{copy}")
        for number in range(250)
        for copy in (f"{number}-a", f"{number}-a", f"{number}-b", f"{number}-b")
    ]
    random.Random(7).shuffle(pushes)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda payload: push(bot, payload), pushes))

    assert [answer.status_code for answer in answers] == [200] * 1000
    if bot.line is None:  # Over a long connection there is no more to an answer.
        assert [answer.json()["status"] for answer in answers].count("accepted") == 250
    assert len(tasks(bot.redis)) == 250


def test_a_thousand_clicks_in_any_order_act_once(bot: RunningBot) -> None:
    captures = tuple(f"178089054510777400{number}" for number in range(5))
    known = replace(INCIDENT, captures=captures)
    bot.state.save(known)
    pairs = [(a, b) for a in captures for b in captures if a < b]
    pushes = [
        _compare(before, after, f"ev-{before}-{after}-{copy}")
        for before, after in pairs
        for copy in range(50)
        for _ in range(2)
    ]
    random.Random(7).shuffle(pushes)

    with ThreadPoolExecutor(8) as pool:
        kinds = list(pool.map(lambda payload: push(bot, payload).json()["toast"]["type"], pushes))

    assert len(pushes) == 1000
    assert kinds.count("success") == len(pairs)
    assert len(tasks(bot.redis)) == len(pairs)


def _compare(before: str, after: str, event_id: str) -> Json:
    payload = click({"act": "compare", "incident": "in-1", "rev": 2}, event_id)
    payload["event"]["action"]["form_value"] = {"before": before, "after": after}
    return payload


def test_a_thousand_duplicate_and_reordered_job_events_leave_the_newest_state(
    bot: RunningBot,
) -> None:
    events = [
        {
            **EVENT,
            "id": f"{number}",
            "type": "job.state",
            "state": "hang" if number % 2 else "running",
            "time": f"2026-06-08T03:{number // 60:02}:{number % 60:02}Z",
            "attempt": 1,
        }
        for number in range(250)
        for _ in range(4)
    ]
    random.Random(7).shuffle(events)
    for event in events:
        assert _post(bot, event).status_code == 202

    jobs = rq_queue(bot.redis, Queue.CHAT).get_jobs()
    assert len(jobs) == 250
    for job in jobs:
        handle_event(bot.state, msgspec.convert(job.args[0], Event), bot.settings)

    job_id = EVENT["job"]["id"]
    assert bot.state.load(Job, job_id).state.value == "hang"
    assert len([i for i in bot.state.all(Incident) if i.job_id == job_id]) == 1
    assert _state_of(bot.state) in {IncidentState.OPEN, IncidentState.CAPTURING}


def _state_of(state: State) -> IncidentState:
    [incident] = state.all(Incident)
    return incident.state
