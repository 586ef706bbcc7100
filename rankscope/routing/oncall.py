"""Who is on call at a moment, and until when; pure."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from rankscope.routing.model import DAYS, Book, Rota, clock_of


@dataclass(frozen=True, slots=True)
class Turn:
    """One person's turn: the name as the file has it, and when it passes on."""

    person: str
    until: datetime


def on_call(book: Book, rota: Rota, at: datetime) -> Turn:
    """Return whose turn it is; days are counted by the calendar, so that clock changes shift none.

    Before `start` the rota is counted backwards.
    """
    zone, hand_over = book.zone_of(rota.zone), clock_of(rota.at)
    local = at.astimezone(zone)
    day = local.date() if local.time() >= hand_over else local.date() - timedelta(days=1)
    length = 7 if rota.every == "week" else 1
    first = _first_day(rota)
    number = (day - first).days // length
    next_day = first + timedelta(days=(number + 1) * length)
    return Turn(rota.people[number % len(rota.people)], _moment(next_day, rota, zone))


def _first_day(rota: Rota) -> date:
    """Return the day of the first hand-over: in a weekly rota the weekday on or before `start`."""
    if rota.every == "day":
        return rota.start
    back = (rota.start.weekday() - DAYS.index(rota.weekday)) % 7
    return rota.start - timedelta(days=back)


def _moment(day: date, rota: Rota, zone: tzinfo) -> datetime:
    return datetime.combine(day, clock_of(rota.at), tzinfo=zone)
