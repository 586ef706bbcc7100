"""Events that come twice, late, or in another order; a connection that is lost in between."""

from typing import Any

import pytest
from redis.exceptions import RedisError

from rankscope import queueing
from rankscope.incidents.audit import deeds_of
from rankscope.model.state import CaptureRecord, Incident, IncidentState
from tests.feishu.payloads import message
from tests.scenarios.rig import ADMIN, OPERATOR, Rig


def test_what_feishu_delivers_twice_is_done_once(rig: Rig) -> None:
    rig.tell("job.running", state="running")
    rig.apps.emulator.client.trouble("twice")
    rig.ask("/capture jo-1")
    rig.apps.emulator.client.trouble("clear")
    rig.until(lambda: [d.state for d in rig.apps.emulator.client.deliveries()] == ["delivered"] * 2)
    rig.work()

    assert len(list(rig.state.all(CaptureRecord))) == 1
    assert len([one for one in rig.messages() if one.parent_id and not one.thread_id]) == 1


def test_commands_in_another_order_are_each_done_once(rig: Rig) -> None:
    rig.reported()
    client = rig.apps.emulator.client
    client.reorder(2)
    for text in ("/silence jo-1 2h", "/silence jo-1 off"):
        client.say(rig.team, text, user=OPERATOR)
    rig.until(lambda: len(rig.queued()) == 2)
    rig.work()

    assert sorted(deed.what for deed in deeds_of(rig.state, "jo-1")) == ["silence", "unsilence"]


@pytest.mark.parametrize("event_ids", [("a", "a"), ("a", "b")])
def test_one_message_is_one_command(rig: Rig, event_ids: tuple[str, str]) -> None:
    bot = rig.apps.emulator.emulator.world.bot
    for event_id in event_ids:
        said = message("/help", mentions=(), chat_type="p2p", event_id=event_id)
        said["event"]["message"]["mentions"] = [
            {"key": "@_user_1", "id": {"open_id": bot.open_id}, "name": bot.name}
        ]
        assert rig.apps.emulator.client.deliver(said).status == 200

    assert rig.queued() == ["message-om_1"]


def test_a_click_that_is_replayed_is_done_once(rig: Rig) -> None:
    rig.reported()
    pressed = rig.click({"act": "ack", "incident": "in-1", "rev": 1}, user=OPERATOR)
    kinds = []
    for _ in range(3):
        kinds.append(rig.apps.emulator.client.deliver(pressed).answer["toast"]["type"])  # type: ignore[index]
        rig.work()

    assert kinds == ["success", "info", "info"]
    assert len(deeds_of(rig.state, "jo-1")) == 1


def test_alerts_that_come_again_join_one_incident(rig: Rig) -> None:
    for _ in range(3):
        rig.tell("job.hang")

    assert len(list(rig.state.all(Incident))) == 1
    assert len(rig.cards()) == 1


def test_the_end_that_comes_before_the_alert_stays_the_end(rig: Rig) -> None:
    rig.tell("job.hang", time="2026-06-08T03:00:00Z")
    rig.tell("job.succeeded", state="succeeded", time="2026-06-08T03:10:00Z")
    rig.tell("job.hang", time="2026-06-08T03:05:00Z")

    assert rig.incident().state is IncidentState.ENDED
    assert len(rig.cards()) == 1


def test_an_event_that_was_not_recorded_comes_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis is away for a moment: the bot says so, and Feishu repeats the event."""
    refusals = iter([RedisError("away")])

    def submit(*arguments: Any, **options: Any) -> bool:
        for refusal in refusals:
            raise refusal
        return queueing.submit(*arguments, **options)

    monkeypatch.setattr("bot.receiving.submit", submit)
    answer = rig.ask("/help")

    [delivery] = rig.apps.emulator.client.deliveries()
    assert "/capture JOB-ID" in answer
    assert [attempt["outcome"] == "200" for attempt in delivery.attempts] == [False, True]


def test_a_lost_connection_is_opened_again(rig: Rig) -> None:
    connections = rig.apps.emulator.emulator.connections
    if rig.apps.way == "long connection":
        assert rig.apps.emulator.client.drop_connections() == 1
        rig.until(lambda: bool(connections.open), 30)

    assert "/capture JOB-ID" in rig.ask("/help")


def test_who_was_first_is_told_by_name(rig: Rig) -> None:
    rig.reported()
    rig.press("b_ack")
    rig.work()
    pressed = rig.click({"act": "ack", "incident": "in-1", "rev": 1}, user=ADMIN)

    assert OPERATOR in str(rig.apps.emulator.client.deliver(pressed).answer["toast"])
