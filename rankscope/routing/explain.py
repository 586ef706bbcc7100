"""Why an alert goes where it goes: every route with what does not fit, and who is meant; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from rankscope.model.text import Language
from rankscope.routing.match import Facts, Plan, plan_for, refusal
from rankscope.routing.model import ON_CALL, Book
from rankscope.routing.oncall import on_call
from rankscope.routing.people import person_of


@dataclass(frozen=True, slots=True)
class Tried:
    """A route, and the first condition that does not hold; `later` when an earlier one counted."""

    route: str
    failed: str
    later: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """A word of the file, the open_id it means now (or nothing), and until when, if on call."""

    word: str
    open_id: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A chat that hears, in which language, and who is mentioned there."""

    chat_id: str
    language: Language | None
    mentioned: tuple[Meant, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A step of the escalation."""

    after_min: int
    people: tuple[Meant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that `rankscope routes test` tells; auto_capture is None when the settings decide."""

    tried: tuple[Tried, ...]
    chats: tuple[Heard, ...]
    auto_capture: bool | None
    steps: tuple[Called, ...]
    muted: str = ""


def explain(book: Book, facts: Facts) -> Explanation:
    """Return what a routes file makes of an alert, and why."""
    plan = plan_for(book, facts)
    return Explanation(
        tried=tuple(_tried(book, facts, plan)),
        chats=tuple(
            Heard(one.chat_id, one.language, tuple(_meant(book, one.mention, facts)))
            for one in plan.places
        ),
        auto_capture=plan.auto_capture,
        steps=tuple(
            Called(step.after_min, tuple(_meant(book, step.people, facts)))
            for step in plan.escalate
        ),
        muted=plan.muted,
    )


def _tried(book: Book, facts: Facts, plan: Plan) -> Iterator[Tried]:
    for route in book.routes:
        failed = refusal(book, route, facts)
        yield Tried(route.name, failed, later=not failed and route.name not in plan.routes)


def _meant(book: Book, words: Iterable[str], facts: Facts) -> Iterator[Meant]:
    for word in words:
        rota = book.oncall.get(word.removeprefix(ON_CALL)) if word.startswith(ON_CALL) else None
        until = on_call(book, rota, facts.at).until if rota else None
        yield Meant(word, person_of(book, word, facts.owner, facts.at), until)
