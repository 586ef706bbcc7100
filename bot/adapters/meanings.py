"""What words of other systems mean: `meanings.toml` and `alerts.toml`, read once."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec

from bot.adapters.look import snake
from rankscope.model.event import Severity

_FOLDER = Path(__file__).parent
NOTICE = "job.notice"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The type of an event, and what follows from it: the job's state, its phase, a severity."""

    type: str
    state: str = ""
    phase: str = ""
    severity: Severity = "info"


@cache
def data() -> dict[str, Any]:
    """Return the contents of `meanings.toml`."""
    return tomllib.loads((_FOLDER / "meanings.toml").read_text(encoding="utf-8"))


def meaning_of_type(type_: str) -> Meaning | None:
    """Return what follows from a type of event, or None when it is none of ours."""
    entry = data()["types"].get(type_)
    if entry is None:
        return None
    state = entry["state"]
    phase = "running" if state in {"hang", "slow"} else state
    return Meaning(type_, state, phase, entry["severity"])


def meaning_of(system: str, word: str) -> Meaning | None:
    """Return what a word of a system means, or None."""
    entry = data()["words"][system].get(word)
    if entry is None:
        return None
    type_, phase, severity = (*([entry] if isinstance(entry, str) else entry), "", "")[:3]
    meaning = known(type_)
    return replace(meaning, phase=phase or meaning.phase, severity=severity or meaning.severity)


def known(type_: str) -> Meaning:
    """Return what follows from a type of ours; raises LookupError when the table has it not."""
    meaning = meaning_of_type(type_)
    if meaning is None:
        raise LookupError(f"meanings.toml has no type {type_}.")
    return meaning


def meaning_of_word(word: str) -> Meaning | None:
    """Return what a type or status means that people wrote: `job.hang`, `a.b.job.hang`, `Failed`.

    A whole type of ours at the end wins over a single word.
    """
    parts = [snake(part) for part in word.split(".")]
    return meaning_of_type(".".join(parts[-2:])) or meaning_of("generic", parts[-1])


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule of `alerts.toml`."""

    type: str
    where: str
    words: tuple[str, ...]
    severity: Severity | None = None

    def matches(self, name: str, texts: str) -> bool:
        read = name if self.where == "name" else f"{name}\n{texts}"
        # With ASCII, \b also parts Chinese from Latin letters: `任务Hang`.
        return any(re.search(word, read, re.IGNORECASE | re.ASCII) for word in self.words)


@cache
def _rules() -> tuple[_Rule, ...]:
    loaded = tomllib.loads((_FOLDER / "alerts.toml").read_text(encoding="utf-8"))
    return msgspec.convert(loaded["rule"], tuple[_Rule, ...])


def meaning_of_alert(name: str, texts: Sequence[str]) -> Meaning:
    """Return what an alert means by its name, else by its texts; one nobody knows is a notice."""
    words = snake(name[:200]).replace("_", " ")
    joined = "\n".join(texts)[:4000]
    rule = next((rule for rule in _rules() if rule.matches(words, joined)), None)
    meaning = known(rule.type if rule else NOTICE)
    return replace(meaning, severity=rule.severity) if rule and rule.severity else meaning


_SEVERITIES = {
    "critical": "critical", "fatal": "critical", "emergency": "critical", "error": "critical",
    "page": "critical", "high": "critical", "p0": "critical", "p1": "critical",
    "warning": "warning", "warn": "warning", "medium": "warning", "p2": "warning",
    "info": "info", "information": "info", "low": "info", "none": "info", "normal": "info",
}  # fmt: skip


def severity_of(word: str, otherwise: Severity) -> Severity:
    """Return the severity a source names in its own words."""
    return cast("Severity", _SEVERITIES.get(word.lower(), otherwise))
