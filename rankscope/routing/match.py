"""What a routes file says about one alert; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from rankscope.model.event import Severity
from rankscope.model.text import Language
from rankscope.routing.model import DAYS, Book, Kind, Route, Step, hours_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What routes look at: an alert of a job, and when it came (with a time zone)."""

    kind: Kind
    job_id: str
    at: datetime
    name: str = ""
    owner: str = ""
    severity: Severity = "info"
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A chat that hears, in which language, and whom to mention there (words of the file)."""

    chat_id: str
    language: Language | None = None
    mention: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What follows from the routes that fit; without any, all is as without a routes file."""

    routes: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    auto_capture: bool | None = None
    escalate: tuple[Step, ...] = ()
    muted: str = ""
    """Why nobody hears, in the words of the route that says so; empty when somebody does."""


NO_ROUTE = Plan()


def plan_for(book: Book, facts: Facts) -> Plan:
    """Return what the first route that fits says, and those after it while `continue` is set.

    Every chat hears once; with a mute route nobody does, unless an earlier one goes on to it.
    Automatic capture and escalation are those of the first that names them.
    """
    routes = list(matching(book, facts))
    places: dict[str, Place] = {}
    for place in (one for route in routes for one in _places(book, route)):
        places[place.chat_id] = _merged(places.get(place.chat_id), place)
    captures = (one.auto_capture for one in routes if one.auto_capture is not None)
    return Plan(
        routes=tuple(route.name for route in routes),
        places=tuple(places.values()),
        auto_capture=next(captures, None),
        escalate=next((one.escalate for one in routes if one.escalate), ()),
        muted="" if places else next((one.reason for one in routes if one.mute), ""),
    )


def matching(book: Book, facts: Facts) -> Iterator[Route]:
    """Yield the routes that count for an alert, in the order of the file."""
    for route in book.routes:
        if refusal(book, route, facts) == "":
            yield route
            if not route.go_on:
                return


def refusal(book: Book, route: Route, facts: Facts) -> str:
    """Return the name of the first condition of a route that does not hold, or an empty string."""
    checks = {
        "kinds": facts.kind in route.kinds,
        "jobs": _any(route.jobs, (facts.job_id, facts.name)),
        "owners": _any(route.owners, (facts.owner,)),
        "labels": _labelled(route.labels, facts.labels),
        "severities": not route.severities or facts.severity in route.severities,
    }
    failed = next((name for name, holds in checks.items() if not holds), "")
    return failed or _wrong_time(book, route, facts.at)


def _any(patterns: Iterable[str], values: Iterable[str]) -> bool:
    wanted = tuple(patterns)
    known = [value for value in values if value]
    return not wanted or any(fnmatchcase(value, one) for one in wanted for value in known)


def _labelled(wanted: dict[str, str], labels: dict[str, str]) -> bool:
    return all(name in labels and fnmatchcase(labels[name], wanted[name]) for name in wanted)


def _wrong_time(book: Book, route: Route, at: datetime) -> str:
    """Return `hours` or `days` when a moment is outside, else an empty string.

    A span past midnight belongs to the day on which it begins.
    """
    local = at.astimezone(book.zone_of(route.zone))
    day, clock = local.date(), local.time()
    if route.hours:
        first, last = hours_of(route.hours)
        if first < last:
            inside = first <= clock < last
        else:
            inside = clock >= first or clock < last
            day = day if clock >= first else day - timedelta(days=1)
        if not inside:
            return "hours"
    return "days" if route.days and DAYS[day.weekday()] not in route.days else ""


def _places(book: Book, route: Route) -> Iterator[Place]:
    """Yield the chats of a route; people are mentioned in the first only, not in every one."""
    for number, name in enumerate(route.chats):
        entry = book.chats.get(name)
        yield Place(
            chat_id=entry.id if entry else name,
            language=(entry.language if entry else None) or route.language,
            mention=route.mention if number == 0 else (),
        )


def _merged(known: Place | None, place: Place) -> Place:
    if known is None:
        return place
    return Place(
        chat_id=place.chat_id,
        language=known.language or place.language,
        mention=tuple(dict.fromkeys((*known.mention, *place.mention))),
    )
