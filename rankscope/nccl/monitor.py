"""Reads what MONITOR printed (NCCL 2.29.2 and later): events of the RAS mesh, not a status.

rankscope never sends MONITOR, which would occupy the connection; people save such files.
"""

import json
import re
from collections.abc import Iterator

import msgspec

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.client_words import reason_of
from rankscope.nccl.model import RasAnswer, RasEvent
from rankscope.text import say

TEXT_EVENT = re.compile(
    r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] ([A-Z_]+): (Process \d+ on node \S+ managing GPUs? "
    r"[\d,]+(?: \(NVML [\d,]+\))?|\S+<\d+>)(?: (.*))?\Z"
)


class Peer(msgspec.Struct, frozen=True):
    """Whom an event is about: a process, or only its address."""

    host: str = ""
    pid: int = -1
    cuda_devs: tuple[int, ...] = ()
    nvml_devs: tuple[int, ...] = ()
    addr: str = ""

    def describe(self) -> str:
        """Return the peer as the text form writes it."""
        if self.addr:
            return self.addr
        gpus = ",".join(map(str, self.cuda_devs))
        return f"Process {self.pid} on node {self.host} managing GPU {gpus}"


class JsonEvent(msgspec.Struct, frozen=True):
    """One event in JSON."""

    timestamp: str
    group: str
    event: str
    peer: Peer
    details: str = ""


def looks_like_events(text: str) -> bool:
    """Whether a text begins with an event, in either form."""
    first = text.lstrip()[:400]
    line = first.partition("\n")[0]
    return bool(TEXT_EVENT.match(line)) or (first.startswith("{") and '"event":' in first)


def monitor_answer(text: str) -> RasAnswer:
    """Read events in either form; never raises."""
    is_json = text.lstrip().startswith("{")
    events, unknown = _json_events(text) if is_json else _text_events(text)
    return RasAnswer(
        outcome=NcclOutcome.ANSWERED,
        format="json" if is_json else "text",
        reliable=not unknown,
        problems=(say("nccl-sign-unknown-line", line=unknown[0][:80]),) if unknown else (),
        events=tuple(events),
        unknown_lines=tuple(unknown),
    )


def _text_events(text: str) -> tuple[list[RasEvent], list[str]]:
    events, unknown = [], []
    *lines, partial = text.replace("\r\n", "\n").split("\n")
    for line in lines:
        if match := TEXT_EVENT.match(line):
            events.append(RasEvent(match[1], match[2], match[3], (match[4] or "").strip()))
        elif line.strip() and reason_of(line) is None:
            unknown.append(line)
    unknown += [partial] if partial.strip() else []
    return events, unknown


def _json_events(text: str) -> tuple[list[RasEvent], list[str]]:
    events = []
    try:
        for item in _objects(text):
            found = msgspec.convert(item, JsonEvent)
            who = found.peer.describe()
            events.append(RasEvent(found.timestamp, found.event, who, found.details))
    except (ValueError, msgspec.ValidationError) as error:
        return events, [str(error)]
    return events, []


def _objects(text: str) -> Iterator[object]:
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        item, at = decoder.raw_decode(text, at)
        yield item
