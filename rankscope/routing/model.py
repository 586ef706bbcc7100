"""The routes file as types; rankscope.routing.load reads it, docs/routing.md explains it."""

from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from rankscope.model.event import Severity
from rankscope.model.text import Language

Kind = Literal["hang", "slow", "failed", "manual"]
ALERTS: tuple[Kind, ...] = ("hang", "slow", "failed")

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OWNER = "owner"
ON_CALL = "oncall:"
OPEN_ID = r"^ou_[A-Za-z0-9_]+$"
CHAT_ID = r"^oc_[A-Za-z0-9_]+$"
LONGEST_MIN = 7 * 24 * 60
# Far enough from the ends of the calendar that counting turns cannot pass them.
FIRST_START, LAST_START = date(2000, 1, 1), date(2100, 12, 31)


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its IANA name or as an offset such as +08:00; raises ValueError."""
    if name[:1] in {"+", "-"}:
        offset = datetime.strptime(name, "%z").utcoffset() or timedelta(0)
        return timezone(offset)
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError.
        raise ValueError(f"{name!r} is no time zone; write Asia/Shanghai, UTC or +08:00") from None


def clock_of(words: str) -> time:
    """Return a time of day written as HH:MM; raises ValueError."""
    try:
        return datetime.strptime(words.strip(), "%H:%M").time()
    except ValueError:
        raise ValueError(f"{words!r} is no time of day; write it as 09:00") from None


def days_of(words: str) -> tuple[str, ...]:
    """Return the weekdays in `mon` or `fri-mon`; raises ValueError."""
    first, dash, last = words.strip().lower().partition("-")
    if first not in DAYS or (dash and last not in DAYS):
        raise ValueError(f"{words!r} is no weekday; write mon, tue … sun, or a span as mon-fri")
    start, end = DAYS.index(first), DAYS.index(last or first)
    length = (end - start) % 7 + 1
    return tuple(DAYS[(start + step) % 7] for step in range(length))


def hours_of(words: str) -> tuple[time, time]:
    """Return the span in `22:00-08:00`, which may pass midnight; raises ValueError."""
    first, dash, last = words.partition("-")
    if not dash:
        raise ValueError(f"{words!r} is no span of hours; write it as 09:00-21:00")
    span = clock_of(first), clock_of(last)
    if span[0] == span[1]:
        raise ValueError(f"{words!r} is an empty span of hours; leave it out to mean all day")
    return span


def _checked_zone(name: str) -> str:
    zone_of(name)
    return name


Zone = Annotated[str, AfterValidator(_checked_zone)]
OpenId = Annotated[str, Field(pattern=OPEN_ID)]
ChatId = Annotated[str, Field(pattern=CHAT_ID)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Pattern = Annotated[str, Field(min_length=1, max_length=200)]
"""Shell wildcards: `*` stands for any letters, `?` for one."""


class _Strict(BaseModel):
    """Refuses names it does not know, since a misspelt condition would match everything."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatEntry(_Strict):
    """A chat with a name; language is that of its cards, unless its people chose with /lang."""

    id: ChatId
    language: Language | None = None


class Rota(_Strict):
    """People who take turns; the first one's turn begins on the day `start`.

    The turn passes on at the time `at`, every day or every week on `weekday`.
    """

    people: tuple[Name, ...] = Field(min_length=1)
    start: date = Field(ge=FIRST_START, le=LAST_START)
    every: Literal["day", "week"] = "week"
    weekday: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] = "mon"
    at: str = "09:00"
    zone: Zone | None = None

    @field_validator("at")
    @classmethod
    def _is_clock(cls, words: str) -> str:
        clock_of(words)
        return words


class Step(_Strict):
    """Whom to buzz when nobody has acknowledged an incident so many minutes after it began."""

    after_min: int = Field(ge=1, le=LONGEST_MIN)
    people: tuple[Name, ...] = Field(min_length=1)


class Route(_Strict):
    """Conditions, all of which must hold, and what follows; an absent condition always holds."""

    name: Name
    kinds: tuple[Kind, ...] = ALERTS
    jobs: tuple[Pattern, ...] = ()
    owners: tuple[Pattern, ...] = ()
    labels: dict[str, Pattern] = Field(default_factory=dict)
    severities: tuple[Severity, ...] = ()
    days: tuple[str, ...] = ()
    hours: str | None = None
    zone: Zone | None = None

    chats: tuple[Name, ...] = ()
    mute: bool = False
    reason: Annotated[str, Field(max_length=200)] = ""
    mention: tuple[Name, ...] = ()
    auto_capture: bool | None = None
    language: Language | None = None
    escalate: tuple[Step, ...] = ()
    go_on: bool = Field(default=False, alias="continue")

    @field_validator("days")
    @classmethod
    def _are_days(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(day for one in words for day in days_of(one))

    @field_validator("hours")
    @classmethod
    def _are_hours(cls, words: str | None) -> str | None:
        if words is not None:
            hours_of(words)
        return words

    @model_validator(mode="after")
    def _is_heard_or_mute(self) -> Self:
        if not self.mute and not self.chats:
            raise ValueError(
                "it has no chats; name at least one, or write mute = true and a reason"
            )
        if self.mute and not self.reason.strip():
            raise ValueError("mute = true needs a reason, which is shown and kept on record")
        if self.mute and (self.chats or self.mention or self.escalate or self.go_on):
            raise ValueError(
                "a mute route tells nobody; take out chats, mention, escalate and continue"
            )
        return self

    @field_validator("escalate")
    @classmethod
    def _later_and_later(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        minutes = [step.after_min for step in steps]
        if minutes != sorted(set(minutes)):
            raise ValueError("every step's after_min must be greater than that of the one before")
        return steps


class Book(_Strict):
    """A whole routes file; routes are tried from top to bottom, and the first that fits counts."""

    zone: Zone = "Asia/Shanghai"
    people: dict[Name, OpenId] = Field(default_factory=dict)
    chats: dict[Name, ChatEntry] = Field(default_factory=dict)
    oncall: dict[Name, Rota] = Field(default_factory=dict)
    routes: tuple[Route, ...] = ()

    def zone_of(self, own: str | None) -> tzinfo:
        """Return the time zone of a route or rota: its own, else that of the file."""
        return zone_of(own or self.zone)
