"""Keeps the outbox from a card while the answer to a click on it carries the card.

Feishu locks a card while a click is being answered, and an update that comes too early is undone.
Who answers holds the card first and then looks whether it is being sent; who sends has the lock
first and then looks whether the card is held. So at least one of them sees the other, and no older
card replaces a newer one. A hold lapses by itself.
"""

from rankscope.store.state import PREFIX, State

HOLD_S = 1.2
"""Feishu needs up to a second to take the answer; until then the newest update waits."""


def sending(card_id: str) -> str:
    """Return the name of the lock that is held while a message of the outbox is being sent."""
    return f"deliver:{card_id}"


def hold(state: State, card_id: str) -> bool:
    """Hold a card; False when another answer holds it, or while it is being sent."""
    key = _key(card_id)
    if not state.redis.set(key, 1, px=int(HOLD_S * 1000), nx=True):
        return False
    if state.is_locked(sending(card_id)):
        state.redis.delete(key)
        return False
    return True


def held_for(state: State, card_id: str) -> float:
    """Return for how many seconds a card is still held, 0 when it is free."""
    return max(0.0, state.redis.pttl(_key(card_id)) / 1000)


def _key(card_id: str) -> str:
    return f"{PREFIX}:held:{card_id}"
