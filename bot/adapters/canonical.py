"""rankscope's own `rankscope.event/1`, checked strictly: its senders can be corrected."""

import re
from collections.abc import Mapping

import msgspec

from bot.adapters.adapter import Adapter, Item
from rankscope.errors import UnusableInput
from rankscope.model.event import EVENT_SCHEMA, Event

_PLACE = re.compile(r"^(?P<what>.*) - at `(?P<place>[^`]*)`$", re.DOTALL)
_FORMAT = "docs/webhooks.md shows the format `rankscope.event/1`."
_FAMILY = EVENT_SCHEMA.partition("/")[0]


def _recognises(item: Item) -> bool:
    value = item.value
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("schema"), str):
        return str(value["schema"]).startswith(f"{_FAMILY}/")
    foreign = {"specversion", "apiVersion"} & value.keys()
    return isinstance(value.get("job"), Mapping) and "type" in value and not foreign


def _read(item: Item) -> list[Event]:
    if not isinstance(item.value, Mapping):
        raise UnusableInput("The body is not JSON that holds an object.", _FORMAT)
    return [check_event(item.value)]


def check_event(value: object) -> Event:
    """Read an event from JSON values; raises UnusableInput that names the field and what it is."""
    try:
        event = msgspec.convert(value, Event)
    except msgspec.ValidationError as error:
        raise UnusableInput(_explain(str(error)), _FORMAT) from None
    if event.schema != EVENT_SCHEMA:
        raise UnusableInput(f"schema: expected {EVENT_SCHEMA}, got {event.schema[:80]}.", _FORMAT)
    return event


def _explain(error: str) -> str:
    """Turn "Expected `str`, got `int` - at `$.job.id`" into "job.id: expected `str`, …"."""
    found = _PLACE.match(error)
    what = found["what"] if found else error
    place = found["place"].removeprefix("$").removeprefix(".") if found else ""
    return f"{place or 'event'}: {what[:1].lower()}{what[1:]}."


ADAPTER = Adapter(name="rankscope", read=_read, recognises=_recognises)
