"""The sender is killed at every step of a send, and started again: one card, the final state.

A step is a command to Redis or a call of Feishu. Each is killed twice over: before it takes effect,
and after it did but before the sender knew.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from fakeredis import FakeRedis, FakeServer
from redis.connection import AbstractConnection

from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.model.state import Incident, IncidentState, Outgoing
from rankscope.model.text import Text
from rankscope.store.state import PREFIX, State
from tests.conftest import MakeSettings
from tests.workers.conftest import CHAT, FakeFeishu, an_incident
from workers.context import Context
from workers.delivery import deliver

CARD, REPLY = "in-1", "in-1:reported"


class Killed(BaseException):
    """The process is gone: nothing may catch this."""


@dataclass
class Killer:
    """Kills at one step; None at none. Counts the steps of a run; who is dead does nothing more."""

    at: int | None = None
    after: bool = False
    is_dead: bool = False
    steps: int = 0
    names: list[str] = field(default_factory=list)

    def step(self, name: str, act: Callable[[], Any]) -> Any:
        number, self.steps = self.steps, self.steps + 1
        self.names.append(name)
        self.is_dead = self.is_dead or (number == self.at and not self.after)
        if self.is_dead:
            raise Killed(name)
        done = act()
        self.is_dead = number == self.at
        if self.is_dead:
            raise Killed(name)
        return done


@dataclass
class World:
    """Redis and Feishu, which outlive the sender."""

    redis: FakeServer = field(default_factory=FakeServer)
    sent: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Mapping[str, object]] = field(default_factory=dict)


class MortalFeishu(FakeFeishu):
    """Remembers what people see; one uuid makes one message, as on the platform."""

    def __init__(self, world: World, killer: Killer) -> None:
        super().__init__()
        self._world = world
        self._killer = killer

    def _place(self, content: Mapping[str, object], uuid: str) -> str:
        message_id = self._world.sent.setdefault(uuid, f"om_{len(self._world.sent)}")
        self._world.shown.setdefault(message_id, content)
        return message_id

    def create(self, chat_id: str, msg_type: str, content: Mapping[str, object], uuid: str) -> str:
        return str(self._killer.step("create", lambda: self._place(content, uuid)))

    def reply(
        self,
        message_id: str,
        msg_type: str,
        content: Mapping[str, object],
        uuid: str,
        *,
        in_thread: bool,
    ) -> str:
        return str(self._killer.step("reply", lambda: self._place(content, uuid)))

    def patch(self, message_id: str, content: Mapping[str, object]) -> None:
        self._killer.step("patch", lambda: self._world.shown.update({message_id: content}))


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    """Makes every command that goes to Redis a step."""
    killer = Killer()
    plain: Callable[..., None] = AbstractConnection.send_command

    def send_command(self: AbstractConnection, *args: Any, **options: Any) -> None:
        killer.step(f"redis {args[0]}", partial(plain, self, *args, **options))

    monkeypatch.setattr(AbstractConnection, "send_command", send_command)
    return killer


def sender(make_settings: MakeSettings, world: World, killer: Killer) -> Context:
    settings = make_settings(feishu_chat_id=CHAT, language="en")
    context = Context(settings, FakeRedis(server=world.redis))
    context.feishu = MortalFeishu(world, killer)
    return context


def prepare(world: World) -> None:
    """Put a card and a reply into the outbox."""
    state = State(FakeRedis(server=world.redis))
    incident = an_incident(state=IncidentState.CAPTURING)
    state.save(incident)
    show_card(state, incident)
    reply_in_thread(state, incident, "reported", Text("完成", "done"), "en")


def finish(context: Context) -> None:
    """Let the incident reach its final state while the sender is down."""
    final = replace(context.state.load(Incident, CARD), state=IncidentState.RESUMED, revision=2)
    context.state.save(final)
    show_card(context.state, final)


def restart(world: World) -> None:
    """Let the locks of the killed sender lapse, as they do in seconds."""
    redis = FakeRedis(server=world.redis)
    for key in redis.scan_iter(f"{PREFIX}:lock:*"):
        redis.delete(key)


def send_all(context: Context) -> None:
    for outgoing_id in (CARD, REPLY):
        deliver(context, outgoing_id)


def run(make_settings: MakeSettings, killer: Killer, at: int | None, *, after: bool) -> World:
    world = World()
    killer.at = None
    prepare(world)
    context = sender(make_settings, world, killer)
    killer.at, killer.after, killer.steps = at, after, 0
    killer.names.clear()
    try:
        send_all(context)
        finish(context)
        deliver(context, CARD)
    except Killed:
        killer.at, killer.is_dead = None, False
        restart(world)
        context = sender(make_settings, world, killer)
        finish(context)
        send_all(context)
    killer.at = None
    return world


def check(world: World) -> None:
    state = State(FakeRedis(server=world.redis))
    assert len(world.sent) == 2, "one card and one reply"
    [card] = [content for content in world.shown.values() if "header" in content]
    assert card["header"]["title"]["content"] == "Training resumed"  # type: ignore[index]
    assert all(entry.sent == entry.wanted for entry in state.all(Outgoing))


def test_a_killed_sender_leaves_one_card_that_shows_the_final_state(
    make_settings: MakeSettings, killer: Killer
) -> None:
    check(run(make_settings, killer, None, after=False))
    names = list(killer.names)
    assert {"create", "reply", "patch"} <= set(names)
    assert len([name for name in names if name.startswith("redis")]) > 10

    for at in range(len(names)):
        for after in (False, True):
            check(run(make_settings, killer, at, after=after))
