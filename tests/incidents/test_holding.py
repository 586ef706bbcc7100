"""A card is held by one answer at a time, and never while it is being sent."""

from rankscope.incidents.holding import HOLD_S, held_for, hold, sending
from rankscope.store.state import State


def test_one_answer_holds_a_card(state: State) -> None:
    assert held_for(state, "in-1") == 0
    assert hold(state, "in-1")
    assert not hold(state, "in-1")
    assert hold(state, "in-2")
    assert 0 < held_for(state, "in-1") <= HOLD_S


def test_a_card_that_is_being_sent_is_not_held(state: State) -> None:
    with state.lock(sending("in-1")):
        assert not hold(state, "in-1")
        assert held_for(state, "in-1") == 0
    assert hold(state, "in-1")
