"""Everything that can go wrong when Feishu is told something, and what becomes of the message.

The codes are those that rankscope.feishu.classify knows: a new one without a scenario fails here.
A person types a command, whose card or answer meets the trouble; then a button's update does.
"""

from dataclasses import replace

import pytest

from rankscope.feishu import classify
from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable, MessageGone
from rankscope.model.state import Outgoing
from rankscope.store.state import PREFIX
from sandbox.feishu.faults import Fault
from sandbox.feishu.model import stable_id
from sandbox.feishu.troubles import FAULTS, HTML
from tests.scenarios.rig import OPERATORS_CHAT, Rig, acts_of, open_id

CREATE = r"/im/v1/messages$"
PATCH = r"/im/v1/messages/om_\w+$"
MESSAGES = r"/im/v1/messages"

PASSING: dict[str, Fault] = {
    "rate of the app, with its reset": Fault(path="", status=429, code=99991400, retry_after_s=2),
    "rate of the app, old API": Fault(path="", status=400, code=99991400),
    "rate of the chat": Fault(path="", status=400, code=230020),
    "being sent now": Fault(path="", status=400, code=230049),
    "internal error": Fault(path="", status=500, body='{"code": 1, "msg": "internal"}'),
    "bad gateway": Fault(path="", status=502, body=HTML),
    "error page with status 200": Fault(path="", status=200, body=HTML),
    "not an object": Fault(path="", status=200, body="[]"),
    "answer lost": Fault(path="", status=504, body=HTML, after=True),
    "token invalid": Fault(path="", status=400, code=99991663),
    "token missing": Fault(path="", status=400, code=99991661),
    "no such thread": Fault(path="", status=400, code=230071),
    "an aggregated message": Fault(path="", status=400, code=230072),
}
"""Trouble that a repetition, or a new token, ends."""

GONE = (230011, 230031, 230110)
"""Recalled, older than 14 days, deleted."""
CARD = (230099, 230025)
FINAL = (
    10003,
    10014,
    10015,
    99991672,
    230027,
    230002,
    230006,
    230013,
    230018,
    230035,
    230022,
    230028,
    232009,
)
"""What no repetition helps against; somebody has to do something."""


def classified() -> set[int]:
    """Return all codes that the sender knows."""
    tables = (classify._TRANSIENT, classify._CARD, classify._GONE, classify._NEXT_STEP)
    return (
        {code for table in tables for code in table}
        | classify.TOKEN_REFUSED
        | set(classify.NO_THREADS)
    )


def test_every_code_that_is_known_has_a_scenario() -> None:
    passing = {fault.code for fault in PASSING.values() if fault.code}
    assert passing | {*GONE, *CARD, *FINAL} == classified()


@pytest.mark.parametrize("name", PASSING)
def test_trouble_that_passes_leaves_one_message(rig: Rig, name: str) -> None:
    """An answer below a command, a new card, and an update of it."""
    rig.tell("job.running", state="running")
    fault = replace(PASSING[name], path=MESSAGES, method="POST")
    rig.apps.emulator.client.fault(fault)
    said = rig.ask("/capture jo-1")
    if fault.code not in classify.NO_THREADS:
        rig.apps.emulator.client.fault(replace(fault, path=PATCH, method="PATCH"))
    rig.press("b_ack")
    rig.work()

    assert "Capturing job jo-1" in said
    [card] = rig.cards()
    assert "ack" not in acts_of(card.content)
    assert all(one.sent == one.wanted and not one.error for one in rig.state.all(Outgoing))


@pytest.mark.parametrize("code", CARD)
def test_a_card_that_is_refused_is_sent_simpler(rig: Rig, code: int) -> None:
    rig.apps.emulator.client.fault(Fault(path=CREATE, status=400, code=code, times=1))
    rig.tell("job.hang", message="no step for 30 min")

    [card] = rig.cards()
    assert "jo-1" in card.text
    [entry] = [one for one in rig.state.all(Outgoing) if one.incident_id]
    assert entry.is_simpler


@pytest.mark.parametrize("code", CARD)
def test_a_card_that_is_refused_in_every_form_becomes_a_text(rig: Rig, code: int) -> None:
    rig.apps.emulator.client.fault(Fault(path=CREATE, status=400, code=code, times=2))
    rig.tell("job.hang", message="no step for 30 min")

    [first] = [one for one in rig.messages() if one.sender.is_bot and not one.parent_id]
    assert first.msg_type == "text"
    assert "jo-1" in first.text


@pytest.mark.parametrize("code", CARD)
def test_an_update_that_is_refused_is_shown_simpler(rig: Rig, code: int) -> None:
    rig.reported()
    rig.apps.emulator.client.fault(Fault(path=PATCH, method="PATCH", status=400, code=code))
    rig.press("b_ack")
    rig.work()

    [card] = rig.cards()
    assert "jo-1" in card.text


@pytest.mark.parametrize("code", GONE)
def test_a_card_that_is_gone_comes_anew(rig: Rig, code: int) -> None:
    rig.reported()
    rig.apps.emulator.client.fault(Fault(path=PATCH, method="PATCH", status=400, code=code))
    rig.press("b_ack")
    rig.work()

    old, new = rig.cards()
    assert old.message_id != new.message_id
    assert open_id("王伟") in str(new.content)


@pytest.mark.parametrize("code", FINAL)
def test_what_cannot_be_sent_is_told_to_others(rig: Rig, code: int) -> None:
    """To the custom bot of another group, and to the admin."""
    rig.apps.emulator.client.fault(Fault(path=CREATE, status=400, code=code, times=1))
    rig.tell("job.hang", message="no step for 30 min")

    elsewhere = rig.messages(stable_id("oc", OPERATORS_CHAT))
    assert any("jo-1" in one.text for one in elsewhere)
    told = rig.messages(rig.private("周工"))
    assert any(f"code {code}" in one.text for one in told)


def test_a_chat_that_feishu_never_takes_costs_nothing(rig: Rig) -> None:
    """Not even the custom bot answers: the message waits in the outbox, with its error."""
    for path in (MESSAGES, r"/bot/v2/hook/"):
        rig.apps.emulator.client.fault(Fault(path=path, status=503, body=HTML, times=99))
    rig.tell("job.hang")
    [entry] = [one for one in rig.state.all(Outgoing) if one.incident_id]
    assert entry.error
    assert entry.sent < entry.wanted

    rig.apps.emulator.client.trouble("clear")
    rig.deliver(entry.id)
    [card] = rig.cards()
    assert "jo-1" in card.text


def test_a_token_that_is_refused_is_renewed_once(rig: Rig) -> None:
    rig.reported()
    rig.apps.emulator.client.revoke_tokens()
    rig.press("b_ack")
    rig.work()

    assert open_id("王伟") in str(rig.card().content)


def test_a_slow_answer_is_waited_for(rig: Rig) -> None:
    rig.apps.emulator.client.fault(Fault(path=CREATE, delay_s=0.5))
    rig.tell("job.hang")

    assert len(rig.cards()) == 1


def test_an_answer_that_does_not_come_is_asked_for_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankscope.feishu.sender.TIMEOUT_S", 0.5)
    rig.renew_sender()
    rig.apps.emulator.client.fault(Fault(path=CREATE, delay_s=1.5, after=True))
    rig.tell("job.hang")

    assert len(rig.cards()) == 1


def test_every_trouble_of_the_fault_panel_has_a_scenario() -> None:
    statuses = {fault.status for fault in PASSING.values()}
    for name, fault in FAULTS.items():
        known = fault.code in classified() or fault.status in statuses | {0}
        assert known, name


def test_every_class_of_error_has_a_scenario() -> None:
    tree = {FeishuUnavailable, FeishuRejected, CardRejected, MessageGone}
    made = {type(classify.failure(code, "", 400, {})) for code in (230020, *CARD, *GONE, *FINAL)}
    assert made == tree


# A card that is locked, and the pace of a chat.


def test_a_locked_card_is_updated_later(rig: Rig) -> None:
    rig.reported()
    locked = '{"code": 230099, "msg": "ErrCode: 11310; ErrMsg: card action is lock"}'
    rig.apps.emulator.client.fault(Fault(path=PATCH, method="PATCH", status=400, body=locked))
    rig.press("b_ack")
    rig.work()

    [card] = rig.cards()
    assert open_id("王伟") in str(card.content)
    [entry] = [one for one in rig.state.all(Outgoing) if one.incident_id]
    assert not entry.is_simpler


def test_many_updates_become_few(rig: Rig) -> None:
    incident = rig.reported()
    before = rig.card().revisions
    for _ in range(20):
        rig.state.change(Outgoing, incident.id, lambda o: replace(o, wanted=o.wanted + 1))
    rig.deliver(incident.id)

    assert rig.card().revisions == before + 1
    assert rig.apps.redis.keys(f"{PREFIX}:pace:*")
