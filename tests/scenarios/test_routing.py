"""Routes, mentions, buzzes, subscriptions and fallbacks, sent by the real SDK to the emulator."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from redis import Redis

from rankscope.feishu.sender import LarkSender
from rankscope.incidents import acknowledge, handle_event
from rankscope.incidents.escalation import Escalation
from rankscope.incidents.subscriptions import Subscription, subscribe
from rankscope.model.event import Event, EventJob
from rankscope.model.state import Incident, Outgoing
from sandbox.feishu.faults import Fault
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator
from sandbox.feishu.views import MessageView
from tests.conftest import MakeSettings
from workers.context import Context
from workers.delivery import deliver
from workers.escalating import escalate

OPTIONS = Options(chats=("默认群", "大模型", "基础设施"), hook_secret="hook")
ROUTES = """
[people]
lisi = "{owner}"

[oncall.infra]
people = ["{on_call}"]
start = 2026-06-01

[[routes]]
name = "llm"
labels = {{ team = "llm" }}
chats = ["{llm}", "{infra}"]
mention = ["owner", "oncall:infra", "ou_left"]
language = "en"
escalate = [{{ after_min = 5, people = ["oncall:infra", "ou_left"] }}]
"""


@dataclass(frozen=True, slots=True)
class Channel:
    """A team with three groups, and a worker's context whose Feishu is the emulator."""

    emulator: RunningEmulator
    context: Context
    chats: dict[str, str]
    people: tuple[str, str]

    def happen(self, kind: str, number: int = 0, message: str = "no step for 20 min") -> Incident:
        event = Event(
            id=f"{kind}-{number}",
            type=kind,
            job=EventJob(id="jo-1", owner="lisi"),
            labels={"team": "llm"},
            message=message,
        )
        handle_event(self.context.state, event, self.context.settings)
        self.send()
        [incident] = self.context.state.all(Incident)
        return incident

    def send(self) -> None:
        """Send all that waits, cards first; the emulator's clock moves, so that no rate is met."""
        for _ in range(2):
            for one in sorted(self.context.state.all(Outgoing), key=lambda one: one.id):
                self.emulator.client.skip(1)
                deliver(self.context, one.id)

    def messages(self, name: str) -> list[MessageView]:
        return self.emulator.client.messages(self.chats[name])

    def card(self, name: str) -> MessageView:
        [card] = [one for one in self.messages(name) if one.msg_type == "interactive"]
        return card


@pytest.fixture
def channel(make_settings: MakeSettings, redis: Redis, tmp_path: Path) -> Iterator[Channel]:
    with running_emulator(OPTIONS) as emulator:
        chats = {name: emulator.client.chat_id(name) for name in OPTIONS.chats}
        people = emulator.emulator.world.humans[:2]
        file = tmp_path / "routes.toml"
        file.write_text(
            ROUTES.format(
                owner=people[0].open_id,
                on_call=people[1].open_id,
                llm=chats["大模型"],
                infra=chats["基础设施"],
            ),
            encoding="utf-8",
        )
        settings = make_settings(
            feishu_domain=emulator.url,
            feishu_app_id=OPTIONS.app_id,
            feishu_app_secret=OPTIONS.app_secret,
            feishu_chat_id=chats["默认群"],
            routes_file=file,
            data_dir=tmp_path,
            fallback_webhook_url=f"{emulator.url}/open-apis/bot/v2/hook/{chats['默认群']}",
            fallback_webhook_secret="hook",
        )
        context = Context(settings, redis)
        context.feishu = LarkSender(settings, lambda _: None)
        names = (people[0].name, people[1].name)
        yield Channel(emulator, context, chats, names)


def test_two_chats_have_one_card_each_and_both_are_kept_up_to_date(channel: Channel) -> None:
    incident = channel.happen("job.hang")
    person = channel.emulator.emulator.world.humans[0]
    acknowledge(channel.context.state, incident.id, person.open_id)
    channel.send()

    assert channel.messages("默认群") == []
    for name in ("大模型", "基础设施"):
        card = channel.card(name)
        assert "Training may hang" in card.text
        assert card.revisions >= 1


def test_the_right_people_are_mentioned_in_the_thread(channel: Channel) -> None:
    channel.happen("job.hang", message='<at user_id="all"></at>')

    card = channel.card("大模型")
    [mention] = [one for one in channel.messages("大模型") if one.mentions]
    assert tuple(mention.mentions.values()) == channel.people
    assert mention.parent_id == card.message_id
    assert "Please look: job jo-1" in mention.text
    everything = [*channel.messages("大模型"), *channel.messages("基础设施")]
    assert not any("@_all" in one.text for one in everything)
    assert not any(one.mentions for one in channel.messages("基础设施"))


def test_an_escalation_buzzes_and_says_whom_feishu_does_not_know(channel: Channel) -> None:
    incident = channel.happen("job.hang")
    [one] = channel.context.state.all(Escalation)
    channel.context.state.save(replace(one, since=one.since - 400))
    escalate(channel.context, incident.id)
    channel.send()

    assert channel.card("大模型").urgent_for == (channel.people[1],)
    last = channel.messages("大模型")[-1]
    assert "escalation step 1" in last.text
    assert "1 of these people are unknown" in last.text
    assert tuple(last.mentions.values()) == (channel.people[1],)


def test_a_buzz_whose_answer_is_lost_is_repeated(channel: Channel) -> None:
    incident = channel.happen("job.hang")
    [one] = channel.context.state.all(Escalation)
    channel.context.state.save(replace(one, since=one.since - 400))
    channel.emulator.client.fault(Fault(path="urgent_app", status=502, after=True))
    escalate(channel.context, incident.id)

    assert channel.card("大模型").urgent_for == (channel.people[1],)


def test_a_subscriber_gets_a_link_and_hears_of_the_end(channel: Channel) -> None:
    private = next(one for one in channel.emulator.client.chats() if one.chat_type == "p2p")
    subscribe(channel.context.state, Subscription(private.chat_id, "jo-*"))
    channel.happen("job.hang")
    channel.happen("job.resumed", 1)

    opened, over = (one.text for one in channel.emulator.client.messages(private.chat_id))
    assert "jo-1" in opened
    assert f"{channel.emulator.url}/#{channel.chats['大模型']}" in opened
    assert "jo-1" in over


def test_a_chat_without_the_bot_hands_its_card_to_the_default_chat(channel: Channel) -> None:
    channel.emulator.client.move_bot(channel.chats["大模型"], inside=False)
    incident = channel.happen("job.hang")

    assert "训练疑似挂起" in channel.card("默认群").text
    assert channel.card("基础设施")
    said = [one.text for one in channel.messages("默认群")]
    assert any("230002" in text for text in said)
    assert channel.context.state.load(Outgoing, incident.id).error == ""


def test_while_the_app_is_refused_the_custom_bot_speaks(channel: Channel) -> None:
    refused = Fault(path="/im/v1/messages", code=230006, times=50)
    channel.emulator.client.fault(refused)
    channel.happen("job.hang")

    card, *_ = channel.messages("默认群")
    assert card.msg_type == "interactive"
    assert "jo-1" in card.text
    assert card.buttons == ()


def test_a_recalled_card_comes_back_as_a_new_one(channel: Channel) -> None:
    channel.happen("job.hang")
    first = channel.card("大模型")
    channel.emulator.emulator.world.messages[first.message_id].recalled = True
    channel.happen("job.resumed", 1)

    cards = [one for one in channel.messages("大模型") if one.msg_type == "interactive"]
    assert [one.recalled for one in cards] == [True, False]
    assert "Training resumed" in cards[-1].text
