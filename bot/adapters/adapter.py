"""What an adapter is, and what it is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from rankscope.errors import UnusableInput
from rankscope.model.event import Event
from rankscope.model.text import Language

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the request and the settings tell beside the body.

    job is the id from `?job=` or `X-Rankscope-Job`; job_labels are names tried for it before ours;
    zone is that of times without one.
    """

    job: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    job_labels: tuple[str, ...] = ()
    zone: tzinfo = UTC
    language: Language = "zh"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a body tells of: a JSON value or a text, what lay around it, and what is told."""

    value: object
    told: Told = field(default_factory=Told)
    envelope: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A source: its name in the address, how its items are recognised, and how they are read.

    read raises UnusableInput that says what is missing and how to add it. settle sees all events of
    a body together, for what one item cannot tell alone.
    """

    name: str
    read: Callable[[Item], list[Event]]
    recognises: Callable[[Item], bool]
    aliases: tuple[str, ...] = ()
    settle: Callable[[list[Event]], list[Event]] = list


class JobUnknown(UnusableInput):
    """No job can be found in an item."""


class NothingTold(UnusableInput):
    """An item tells nothing of a job that rankscope knows."""
