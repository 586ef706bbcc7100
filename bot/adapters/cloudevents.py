"""CloudEvents 1.0: structured, in a batch, or binary with `ce-` headers.

The type ends in one of ours, as `com.example.train.job.hang`; the job is in the data, or is the
subject. The id is unique for its source (CloudEvents, section "id").
"""

import base64
import binascii
from collections.abc import Mapping

import msgspec

from bot.adapters.adapter import Adapter, Item
from bot.adapters.canonical import check_event
from bot.adapters.generic import read_flat
from bot.adapters.look import flat, mapping, text
from rankscope.decoding import decode_json
from rankscope.errors import UnusableInput
from rankscope.model.event import EVENT_SCHEMA, Event

_HEADER = "ce-"


def _recognises(item: Item) -> bool:
    return "specversion" in mapping(item.value) or f"{_HEADER}type" in item.told.headers


def _read(item: Item) -> list[Event]:
    value = mapping(item.value)
    if "specversion" not in value:
        value = {**_attributes(item), "data": item.value}
    data = value.get("data") if "data_base64" not in value else _decoded(value)
    if text(data, "schema") == EVENT_SCHEMA:
        return [check_event(data)]
    if not isinstance(data, Mapping):
        data = {"message": text(data)}
    if not text(value, "type"):
        raise UnusableInput("type: a CloudEvent has one.", "Send its attribute `type`.")
    # The attributes win over what the data say of type and time; the subject may be the job.
    attributes = {name: text(value, name) for name in ("type", "time", "subject")}
    flattened = {**flat(data), **{name: one for name, one in attributes.items() if one}}
    own = (text(value, "source"), text(value, "id")) if text(value, "id") else ()
    return [read_flat(item, flattened, source="cloudevents", identity=own)]


def _decoded(value: Mapping[str, object]) -> object:
    """Return the data that are in base64, which the JSON format allows for any (section 3.1.1)."""
    try:
        raw = base64.b64decode(text(value, "data_base64"), validate=True)
    except binascii.Error:
        raise UnusableInput("data_base64: it is no base64.", "Send the data as `data`.") from None
    try:
        return decode_json(raw, object)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw.decode(errors="replace")


def _attributes(item: Item) -> dict[str, str]:
    headers = item.told.headers
    return {
        name.removeprefix(_HEADER): value
        for name, value in headers.items()
        if name.startswith(_HEADER)
    }


ADAPTER = Adapter(name="cloudevents", read=_read, recognises=_recognises, aliases=("cloudevent",))
