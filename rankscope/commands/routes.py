"""`rankscope routes`: check a routes file, and see who would hear about an event."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from rankscope.decoding import decode_json
from rankscope.errors import ConfigurationError, UnusableInput
from rankscope.incidents.job_events import apply_event
from rankscope.incidents.routes import facts_of
from rankscope.model.capture import Trigger
from rankscope.model.event import Event
from rankscope.model.state import Job, JobState
from rankscope.model.text import Language
from rankscope.routing.explain import Explanation, Meant, explain
from rankscope.routing.load import parse_routes
from rankscope.routing.match import Facts
from rankscope.routing.model import ALERTS, ON_CALL, Book, Kind
from rankscope.routing.oncall import on_call
from rankscope.routing.people import person_of
from rankscope.settings import settings
from rankscope.text import say

LANGUAGES = click.Choice(["zh", "en"])
KINDS = click.Choice([*ALERTS, "manual"])
_PATH = click.Path(path_type=Path, dir_okay=False)

_file = click.option(
    "--routes", "file", type=_PATH, help="Routes file; default: RANKSCOPE_ROUTES_FILE."
)
_language = click.option("--lang", type=LANGUAGES, help="Language; default: the settings'.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_at = click.option(
    "--at", "moment", metavar="TIME",
    help="When, as 2026-06-02T23:00 or with +08:00; default: the event's time, else now.",
)  # fmt: skip


@click.group()
def routes() -> None:
    """Check a routes file (docs/routing.md), and see who would hear about an event."""


@routes.command()
@_file
@_at
@_json
@_language
def check(*, file: Path | None, moment: str | None, as_json: bool, lang: Language | None) -> None:
    """Check the routes file, and show its routes and who is on call.

    Exit code 0 when it is good, 2 when it is not; every problem is named with line, route, field.
    """
    book, language = _book(file), lang or settings().language
    at = _moment(moment, book) or datetime.now(UTC)
    if as_json:
        names = [route.name for route in book.routes]
        turns = {name: person_of(book, f"{ON_CALL}{name}", "", at) for name in book.oncall}
        _print_json({"routes": names, "on_call": turns})
        return
    click.echo(say("routes-good", count=len(book.routes)).of(language))
    for route in book.routes:
        hears = ", ".join(route.chats) or say("routes-mute", reason=route.reason).of(language)
        click.echo(f"  {route.name} → {hears}")
    for name, rota in book.oncall.items():
        until = _shown(on_call(book, rota, at).until, book)
        person = person_of(book, f"{ON_CALL}{name}", "", at)
        click.echo(say("routes-on-call", rota=name, person=person, until=until).of(language))


@routes.command()
@click.argument("event", type=click.File("rb"))
@_file
@_at
@click.option("--kind", type=KINDS, help="Kind of alert; default: the event's.")
@_json
@_language
def test(
    *,
    event: BinaryIO,
    file: Path | None,
    moment: str | None,
    kind: Kind | None,
    as_json: bool,
    lang: Language | None,
) -> None:
    """Show who would hear about EVENT, a JSON file of the form rankscope.event/1, or - for stdin.

    Each route with the condition that does not fit; then the chats, who is mentioned and on call at
    that moment, whether a capture is taken by itself, and when it escalates. Nothing is sent.
    """
    book, language = _book(file), lang or settings().language
    facts = _facts(_event(event.read()), kind, _moment(moment, book))
    found = explain(book, facts)
    if as_json:
        _print_json({"kind": facts.kind, "at": facts.at.isoformat(), **asdict(found)})
        return
    for line in sentences(found, facts, book, language):
        click.echo(line)


def _print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


def _book(file: Path | None) -> Book:
    chosen = file or settings().routes_file
    if chosen is None:
        raise ConfigurationError(
            "There is no routes file.", "Name one with --routes, or set RANKSCOPE_ROUTES_FILE."
        )
    try:
        return parse_routes(chosen.read_text(encoding="utf-8"), str(chosen))
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput(f"{chosen} cannot be read: {error}.") from None


def _event(raw: bytes) -> Event:
    try:
        return decode_json(raw, Event)
    except msgspec.MsgspecError as error:
        raise UnusableInput(
            f"The event cannot be read: {error}.", "docs/webhooks.md describes rankscope.event/1."
        ) from None


def _moment(words: str | None, book: Book) -> datetime | None:
    """Return a moment as typed; one without a zone is in that of the routes file."""
    if not words:
        return None
    try:
        at = datetime.fromisoformat(words)
    except ValueError:
        raise UnusableInput(f"{words!r} is no time.", "Write it as 2026-06-02T23:00.") from None
    return at if at.tzinfo else at.replace(tzinfo=book.zone_of(None))


def _facts(event: Event, kind: Kind | None, at: datetime | None) -> Facts:
    now = at or _time_of(event) or datetime.now(UTC)
    applied = apply_event(Job(id=event.job.id), event, now.timestamp())
    trigger = applied.alert
    if trigger is None and applied.job.state is JobState.FAILED:
        trigger = Trigger.FAILED
    if trigger is None and kind is None:
        raise UnusableInput(
            f"An event {event.type} is no alert, so that nobody hears about it.",
            "Use --kind to see where an alert of its job would go.",
        )
    facts = facts_of(applied.job, trigger or Trigger.MANUAL, now)
    return replace(facts, kind=kind) if kind else facts


def _time_of(event: Event) -> datetime | None:
    if event.time is None:
        return None
    return event.time if event.time.tzinfo else event.time.replace(tzinfo=UTC)


def sentences(found: Explanation, facts: Facts, book: Book, language: Language) -> Iterator[str]:
    """Yield an explanation for people."""

    def said(message_id: str, **parameters: object) -> str:
        return say(message_id, **parameters).of(language)

    def named(people: tuple[Meant, ...]) -> str:
        return ", ".join(_named(one, book, language) for one in people)

    kind = said(f"routes-kind-{facts.kind}")
    yield said("routes-event", job=facts.job_id, kind=kind, time=_shown(facts.at, book))
    for one in found.tried:
        why = "later" if one.later else "failed" if one.failed else "fits"
        yield said(f"routes-{why}", route=one.route, condition=one.failed)
    if found.muted:
        yield said("routes-muted", reason=found.muted)
        return
    yield from _heard(found, book, language)
    yield _captures(found.auto_capture, facts, language)
    for step in found.steps:
        yield said("routes-step", minutes=step.after_min, people=named(step.people))


def _heard(found: Explanation, book: Book, language: Language) -> Iterator[str]:
    if not found.chats:
        yield say("routes-default", chat=settings().feishu_chat_id or "-").of(language)
    for chat in found.chats:
        spoken = chat.language or "-"
        yield say("routes-chat", chat=chat.chat_id, language=spoken).of(language)
        if chat.mentioned:
            people = ", ".join(_named(one, book, language) for one in chat.mentioned)
            yield say("routes-mentioned", people=people).of(language)


def _captures(decided: bool | None, facts: Facts, language: Language) -> str:
    wanted = facts.kind in settings().auto_capture if decided is None else decided
    by = "settings" if decided is None else "route"
    return say("routes-capture", wanted="yes" if wanted else "no", by=by).of(language)


def _named(one: Meant, book: Book, language: Language) -> str:
    if not one.open_id:
        return say("routes-nobody", word=one.word).of(language)
    if one.until:
        until = _shown(one.until, book)
        return say("routes-turn", who=one.open_id, word=one.word, until=until).of(language)
    return one.open_id if one.word == one.open_id else f"{one.open_id} ({one.word})"


def _shown(at: datetime, book: Book) -> str:
    return f"{at.astimezone(book.zone_of(None)):%Y-%m-%d %H:%M} ({book.zone})"
