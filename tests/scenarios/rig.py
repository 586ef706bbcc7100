"""The whole bot in an emulated Feishu: people at one end, an agent at the other.

Feishu's emulator, the real app under uvicorn, for the long connection the real listener, and the
tasks of the RQ workers with the real SDK; what waits in the queues is done when a test says so.
The apps are started once a session for each way, the rest is new for each test.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from redis import Redis
from rq import Retry
from rq.utils import import_attribute

from rankscope.feishu.sender import LarkSender
from rankscope.incidents.captures import remember_capture
from rankscope.incidents.outbox import show_card
from rankscope.model.capture import Trigger
from rankscope.model.state import (
    AgentBeat,
    AgentJob,
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    JobState,
)
from rankscope.queueing import Queue, rq_queue
from rankscope.settings import Settings
from rankscope.signing import sign_webhook
from rankscope.store.state import PREFIX, State
from sandbox.feishu.client import PressResult
from sandbox.feishu.model import stable_id
from sandbox.feishu.options import Options
from sandbox.feishu.pressing import Press
from sandbox.feishu.testing import RunningEmulator
from sandbox.feishu.views import MessageView
from tests.capture.fake_agent import FakeAgent
from tests.cards.capture_lines import capture_lines
from tests.feishu.payloads import click
from tests.workers.conftest import LATER_ID, PRINT_ID, a_report
from workers import jobs
from workers.context import Context

Json = dict[str, Any]

WAYS = ("http", "long connection")
TEAM, OPERATORS_CHAT = "训练值班群", "运维群"
OPERATOR, VIEWER, OWNER, ADMIN = "王伟", "林娜", "赵敏", "周工"
PEOPLE = (OPERATOR, VIEWER, OWNER, ADMIN)
CAPTURES = (PRINT_ID, LATER_ID)
MOST_TRIES = 5


def options_of(way: str) -> Options:
    """Return the app of one way: the SDK keeps one token for an app in a process."""
    return Options(
        app_id=f"cli_{way.split(maxsplit=1)[0]}",
        encrypt_key="encrypt-key",
        verification_token="verification-token",
        people=PEOPLE,
        chats=(TEAM, OPERATORS_CHAT),
        hook_secret="hook-secret",
        ping_s=60,
        reconnect_jitter_s=0,
        retry_after_s=(0.2,) * 8,
    )


def open_id(name: str) -> str:
    """Return a person's open_id."""
    return stable_id("ou", name)


@dataclass(frozen=True, slots=True)
class Apps:
    """What runs for one way."""

    way: str
    emulator: RunningEmulator
    http: httpx.Client
    settings: Settings
    redis: Redis


@dataclass
class Rig:
    """What a scenario acts on."""

    apps: Apps
    context: Context
    agent: FakeAgent
    done: list[str] = field(default_factory=list)

    @property
    def state(self) -> State:
        return self.context.state

    @property
    def team(self) -> str:
        return stable_id("oc", TEAM)

    # What there is.

    def reported(self, **changes: Any) -> Incident:
        """Let jo-1 have hung, with two reports on its card."""
        for print_id in CAPTURES:
            self.context.captures.write_report(a_report(print_id))
            self.context.captures.write_capture(print_id, capture_lines())
            record = CaptureRecord(
                id=print_id,
                job_id="jo-1",
                incident_id="in-1",
                trigger=Trigger.HANG,
                requested_at=0.0,
                state=CaptureState.REPORTED,
            )
            remember_capture(self.state, record)
        values: Json = {
            "id": "in-1",
            "job_id": "jo-1",
            "kind": Trigger.HANG,
            "chat_id": self.team,
            "opened_at": time.time(),
            "state": IncidentState.REPORTED,
            "captures": CAPTURES,
        }
        incident = Incident(**(values | changes))
        self.state.save(Job(id="jo-1", owner=open_id(OWNER), state=JobState.HANG))
        self.state.save(incident)
        self.state.set_open_incident("jo-1", incident.id)
        show_card(self.state, incident)
        self.work()
        return incident

    # What the platform tells.

    def tell(self, kind: str, job_id: str = "jo-1", **more: Any) -> None:
        """Bring an event about a job, and do what follows in the chat."""
        number = len(self.done)
        event = {
            "id": f"evt-{number}-{time.time_ns()}",
            "source": "platform",
            "type": kind,
            "job": {"id": job_id, "name": "pretrain", "owner": open_id(OWNER)},
            **more,
        }
        body = json.dumps(event).encode()
        signed = sign_webhook(self.apps.settings.webhook_secret.get_secret_value(), body)
        answer = self.apps.http.post("/webhooks/rankscope", content=body, headers=signed)
        assert answer.status_code == 202, answer.text
        self.work()

    # What people do.

    def say(self, text: str, *, chat: str = "", user: str = OPERATOR, mention: bool = True) -> str:
        """Write to the bot, and return the id of the message once the bot has it."""
        client, chat = self.apps.emulator.client, chat or self.team
        said = client.say(chat, text, user=user, mention_bot=mention)
        self.until(lambda: f"message-{said.message_id}" in self.queued())
        return said.message_id

    def ask(self, text: str, *, chat: str = "", user: str = OPERATOR) -> str:
        """Write to the bot, do what follows in the chat, and return what it answers."""
        asked = self.say(text, chat=chat, user=user)
        self.work()
        answers = [one for one in self.messages(chat) if one.parent_id == asked]
        assert answers, f"no answer to {text}"
        return answers[-1].text

    def press(
        self, button: str, *, chat: str = "", user: str = OPERATOR, **filled: Any
    ) -> PressResult:
        """Press a button of the newest card."""
        act = Press(button=button, user=user, **filled)
        return self.apps.emulator.client.act(self.card(chat).message_id, act)

    def click(self, value: Json, *, user: str, **filled: Any) -> Json:
        """Return a click as Feishu tells of it, of a card that need not be there any more."""
        payload = click(value)
        payload["event"]["operator"]["open_id"] = open_id(user)
        payload["event"]["action"] |= filled
        payload["event"]["context"]["open_chat_id"] = self.team
        return payload

    def choose(self, event_key: str, *, user: str = OPERATOR) -> None:
        """Choose an item of the bot's menu, and do what follows."""
        before = self.queued()
        self.apps.emulator.client.choose(event_key, user=user)
        self.until(lambda: self.queued() != before)
        self.work()

    # What they see.

    def messages(self, chat: str = "") -> list[MessageView]:
        return self.apps.emulator.client.messages(chat or self.team)

    def private(self, name: str) -> str:
        """Return a person's chat with the bot."""
        return stable_id("oc", f"p2p:{open_id(name)}")

    def cards(self, chat: str = "") -> list[MessageView]:
        return [one for one in self.messages(chat) if one.msg_type == "interactive"]

    def card(self, chat: str = "") -> MessageView:
        return self.cards(chat)[-1]

    def title(self) -> str:
        return title_of(self.card().content)

    def incident(self) -> Incident:
        """Return the newest incident."""
        return max(self.state.all(Incident), key=lambda one: one.id)

    # What the workers do.

    def queued(self) -> list[str]:
        return [job.id for name in Queue for job in rq_queue(self.apps.redis, name).get_jobs()]

    def work(self, *queues: Queue) -> None:
        """Do what waits in the queues, of the chat unless others are named, until nothing does."""
        chosen = queues or (Queue.CHAT,)
        while waiting := [job for name in chosen for job in rq_queue(self.apps.redis, name).jobs]:
            for job in waiting:
                rq_queue(self.apps.redis, Queue(job.origin)).remove(job)
                self._run(str(job.func_name), job.args)
                self.done.append(job.id)

    def work_all(self) -> None:
        """Do everything that waits, captures and analyses as well."""
        self.work(*Queue)

    def _run(self, task: str, arguments: Any) -> None:
        for _ in range(MOST_TRIES):
            self.answers_taken()
            if not isinstance(import_attribute(task)(*arguments), Retry):
                return

    def renew_sender(self) -> None:
        """Make the sender anew, as when a limit of its module has changed."""
        self.context.feishu = LarkSender(self.apps.settings, pause=lambda _: None)

    def deliver(self, outgoing_id: str) -> None:
        """Send one message of the outbox, as a worker does."""
        jobs.deliver(outgoing_id)

    def answers_taken(self) -> None:
        """Let Feishu have taken all answers to clicks, which else takes a second."""
        for key in self.apps.redis.scan_iter(f"{PREFIX}:held:*"):
            self.apps.redis.delete(key)

    def until(self, fact: Callable[[], bool], seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not fact():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.005)


def title_of(card: Json) -> str:
    """Return a card's title."""
    return str(card["header"]["title"]["content"])


def acts_of(card: object) -> Iterator[str]:
    """Yield what the buttons of a card call back with, those that are disabled left out."""
    if isinstance(card, dict):
        value = card.get("value")
        if card.get("type") == "callback" and isinstance(value, dict):
            yield value["act"]
        if not card.get("disabled"):
            for part in card.values():
                yield from acts_of(part)
    elif isinstance(card, list):
        for part in card:
            yield from acts_of(part)


@contextmanager
def rigged(apps: Apps, agent: FakeAgent) -> Iterator[Rig]:
    """Make a rig of running apps: empty chats, an empty Redis, an agent that sees jo-1."""
    apps.redis.flushall()
    apps.emulator.client.reset()
    context = Context(apps.settings, apps.redis)
    context.feishu = LarkSender(apps.settings, pause=lambda _: None)
    seen = AgentJob(job_id="jo-1", ranks=(0,), world_size=1)
    context.state.beat(AgentBeat(node=agent.node, endpoint=agent.url, version="1", jobs=(seen,)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "current_context", lambda: context)
        yield Rig(apps, context, agent)
