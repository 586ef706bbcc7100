"""From a body to events: every item is read by itself, so that a bad one loses no good one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import msgspec

from bot.adapters.adapter import Adapter, Item, Json, NothingTold, Told
from bot.adapters.canonical import check_event
from bot.adapters.look import items, mapping
from bot.adapters.table import adapter_for
from rankscope.decoding import decode_json
from rankscope.errors import UnusableInput
from rankscope.model.event import Event

MOST_ITEMS = 1000


@dataclass(frozen=True, slots=True)
class Reading:
    """The events of a body, earliest first, and why the other items gave none."""

    events: tuple[Event, ...]
    refused: tuple[UnusableInput, ...]


def read_events(adapter: Adapter, body: bytes, told: Told) -> Reading:
    """Read a body as a source sends it; raises UnusableInput when it cannot be read at all."""
    found: dict[Adapter, list[Event]] = {}
    refused: list[UnusableInput] = []
    every = list(islice(split(parse(body), told), MOST_ITEMS + 1))
    for item in every[:MOST_ITEMS]:
        try:
            reader = adapter_for(item, adapter)
            told_of = [check_event(msgspec.to_builtins(event)) for event in reader.read(item)]
            found.setdefault(reader, []).extend(told_of)
        except UnusableInput as error:
            refused.append(error)
    if len(every) > MOST_ITEMS:
        refused.append(NothingTold(f"Only the first {MOST_ITEMS} items were read.", "Send less."))
    if not every:
        refused.append(NothingTold("The body holds no event.", "docs/webhooks.md shows examples."))
    events = [event for reader, its in found.items() for event in reader.settle(its)]
    if len(events) > MOST_ITEMS:
        refused.append(NothingTold(f"Only the last {MOST_ITEMS} events were taken.", "Send less."))
    return Reading(tuple(sorted(events, key=_by_time)[-MOST_ITEMS:]), tuple(refused))


def _by_time(event: Event) -> float:
    return event.time.timestamp() if event.time else float("inf")


def parse(body: bytes) -> object:
    """Return a body's JSON value, its JSON lines as a list, or its text."""
    body = body.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        return decode_json(body, object)
    except RecursionError:
        raise UnusableInput("The JSON is nested too deeply to be read.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # Log lines may begin like JSON, as `[2025-01-01 …`.
        if not body.startswith(b"{"):
            return body.decode(errors="replace")
        return _json_lines(body, error)


def _json_lines(body: bytes, error: Exception) -> list[object]:
    try:
        return [decode_json(line, object) for line in body.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnusableInput(
            f"The body is not JSON: {error}.", "docs/webhooks.md shows the format of each source."
        ) from None


def split(value: object, told: Told) -> Iterator[Item]:
    """Yield the single things a body tells of, out of the envelopes senders put around them."""
    for one in value if isinstance(value, list) else [value]:
        yield from _open(one, told)


def _open(value: object, told: Told) -> Iterator[Item]:
    envelope = mapping(value)
    for name in ("alerts", "items", "jobs", "events"):
        if _is_list(envelope, name):
            yield from (Item(one, told, envelope) for one in items(envelope, name))
            return
    yield Item(_unwrapped(value), told)


def _is_list(envelope: Json, name: str) -> bool:
    """Whether the envelope is nothing but a list of things: alerts, objects, jobs, events."""
    inner = envelope.get(name)
    return isinstance(inner, list) and (
        name == "alerts" or (bool(inner) and all(isinstance(one, Mapping) for one in inner))
    )


def _unwrapped(value: object) -> object:
    """Return the Kubernetes object inside a watch event, an admission review or a CloudEvent."""
    for path in (("object",), ("request", "object"), ("data",)):
        inner = mapping(value, *path)
        if "kind" in inner and "apiVersion" in inner:
            return inner
    return value
