"""Messages are recorded once and submitted for delivery."""

from rankscope.incidents.outbox import reply_to_message, send_once, show_card, uuid_of
from rankscope.model.capture import Trigger
from rankscope.model.state import Incident, Outgoing
from rankscope.model.text import Text
from rankscope.store.state import State
from tests.incidents.conftest import queued

INCIDENT = Incident(id="in-1", job_id="jo-1", kind=Trigger.HANG, chat_id="oc", opened_at=0.0)


def test_a_card_keeps_its_uuid_and_counts_what_is_wanted(state: State) -> None:
    show_card(state, INCIDENT)
    first = state.load(Outgoing, "in-1")
    show_card(state, INCIDENT)
    second = state.load(Outgoing, "in-1")

    assert first.uuid == second.uuid == uuid_of("in-1")
    assert (first.wanted, second.wanted) == (1, 2)
    assert queued(state.redis) == ["deliver-in-1-1", "deliver-in-1-2"]


def test_a_reply_is_recorded_once(state: State) -> None:
    for words in ("first", "second"):
        reply_to_message(state, "om_1", "", Text(words, words), "en")

    [reply] = state.all(Outgoing)
    assert (reply.id, reply.reply_to) == ("command:om_1", "om_1")
    assert reply.content == {"text": "first"}
    assert not reply.in_thread


def test_any_id_becomes_one_that_rq_takes(state: State) -> None:
    send_once(state, Outgoing(id="in-1:отчёт/1", uuid="u", reply_to="om_1"))

    [job_id] = queued(state.redis)
    assert job_id.isascii()
    assert ":" not in job_id
