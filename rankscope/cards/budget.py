"""Keep every card under Feishu's limits by leaving out the least important things first."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Card = dict[str, object]

MAX_BYTES = 30_000
"""Feishu refuses larger cards (error 230025); a thousand is taken for a KB, to be safe."""
MAX_ELEMENTS = 200
"""Feishu refuses more tagged elements, nested ones included (error 230099, ErrCode 11310)."""
ROOM_BYTES = 26_000
"""What we use of it: Feishu counts its stored form, in which style tags take more room."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many entries of each list a card shows, and how many characters of one foreign text.

    points are those of a chart.
    """

    suspects: int = 5
    reasons: int = 3
    groups: int = 5
    missing: int = 5
    communicators: int = 3
    cautions: int = 3
    steps: int = 6
    chars: int = 240
    points: int = 60


# From all that helps to the bare minimum: next steps go first, then groups, missing ranks, reasons.
LEVELS = (
    Limits(),
    Limits(steps=3, cautions=2, reasons=2),
    Limits(
        steps=2, cautions=1, groups=4, missing=3, communicators=2, reasons=2, chars=160, points=40
    ),
    Limits(
        steps=0, cautions=1, groups=3, missing=2, communicators=1, reasons=1, chars=120, points=24
    ),
    Limits(
        steps=0, cautions=0, groups=2, missing=1, communicators=0, reasons=1, chars=80, points=0
    ),
    Limits(
        steps=0,
        cautions=0,
        groups=0,
        missing=1,
        communicators=0,
        reasons=1,
        suspects=3,
        chars=40,
        points=0,
    ),
)


def card_bytes(card: Card) -> int:
    """Return the size of a card as JSON in its longest form: every letter beyond ASCII escaped."""
    return len(json.dumps(card))


def _elements(node: object) -> Iterator[object]:
    if isinstance(node, dict):
        if "tag" in node:
            yield node
        for value in node.values():
            yield from _elements(value)
    elif isinstance(node, list):
        for value in node:
            yield from _elements(value)


def count_elements(card: Card) -> int:
    """Return how many tagged elements a card has, nested ones included."""
    return sum(1 for _ in _elements(card))


def fits(card: Card) -> bool:
    """Whether a card is well within both limits."""
    return card_bytes(card) <= ROOM_BYTES and count_elements(card) <= MAX_ELEMENTS


def fit(draw: Callable[[Limits], Card]) -> Card:
    """Draw a card with the most generous limits that fit; the barest when none does."""
    for limits in LEVELS[:-1]:
        card = draw(limits)
        if fits(card):
            return card
    return draw(LEVELS[-1])
