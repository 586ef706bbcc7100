"""Pattern rules: which frames mean what. The rules are data (docs/patterns.md)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Any, Literal

from rankscope.analysis.names import Kind, bare, frame_kind, package_path
from rankscope.errors import ConfigurationError
from rankscope.model.capture import Frame

RULES = Path(__file__).parent / "rules"

Strength = Literal["firm", "soft", "leaf", "inline", "service", "section"]
WaitsFor = Literal["peers", "peers_unless_running", "holder", "nobody"]


@dataclass(frozen=True, slots=True)
class Family:
    """What the rules of one file mean.

    strength tells how far a match carries: `firm` decides, `soft` decides unless a firm one lies
    further out, `leaf` and `inline` count for the innermost Python frame only, `service` marks a
    whole thread or process, `section` a part of the program that one rank alone runs.
    """

    name: str
    waits_for: WaitsFor
    strength: Strength


@dataclass(frozen=True, slots=True)
class Match:
    """A frame's meaning; op is the operation's name, plain whether only a name was matched."""

    family: Family
    op: str
    plain: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    family: Family
    names: frozenset[str]
    name: re.Pattern[str] | None
    path: re.Pattern[str] | None
    kinds: frozenset[Kind]
    op: str

    def matches(self, name: str, path: str, kind: Kind) -> bool:
        if self.kinds and kind not in self.kinds:
            return False
        if self.path and not self.path.fullmatch(path):
            return False
        if not self.names and not self.name:
            return True
        return name in self.names or bool(self.name and self.name.fullmatch(name))


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules, in the order of their files."""

    rules: tuple[_Rule, ...]

    def matches(self, frame: Frame) -> tuple[Match, ...]:
        """Return what a frame means, at most once per family, in the order of the families."""
        name, path, kind = bare(frame.name), package_path(frame.filename), frame_kind(frame)
        found: dict[Family, Match] = {}
        for rule in self.rules:
            if rule.family not in found and rule.matches(name, path, kind):
                found[rule.family] = Match(rule.family, rule.op or name, plain=rule.path is None)
        return tuple(found.values())

    def without(self, family: str) -> "RuleBook":
        """Return the rules without one family."""
        return RuleBook(tuple(rule for rule in self.rules if rule.family.name != family))


def load_rules(folders: Iterable[Path]) -> RuleBook:
    """Read every `*.toml` of the folders, in order; raises ConfigurationError for a bad rule."""
    files = [path for folder in folders for path in sorted(folder.glob("*.toml"))]
    return RuleBook(tuple(rule for path in files for rule in _read(path)))


@cache
def default_rules() -> RuleBook:
    """Return the rules that come with rankscope."""
    return load_rules([RULES])


def _read(path: Path) -> list[_Rule]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        family = Family(content["family"], content["waits_for"], content["strength"])
        return [_rule(family, entry) for entry in content.get("rule", [])]
    except (KeyError, ValueError, TypeError, re.error) as error:
        raise ConfigurationError(
            f"The pattern file {path} cannot be used: {error}.", "See docs/patterns.md."
        ) from error


def _rule(family: Family, entry: Mapping[str, Any]) -> _Rule:
    unknown = set(entry) - {"names", "name_regex", "paths", "kinds", "op"}
    if unknown:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    # A path matches at its end: images and public reports put anything before it.
    ends = "|".join(translate(path) for path in entry.get("paths", ()))
    return _Rule(
        family=family,
        names=frozenset(entry.get("names", ())),
        name=re.compile(entry["name_regex"]) if "name_regex" in entry else None,
        path=re.compile(f"(?:.*/)?(?:{ends})") if ends else None,
        kinds=frozenset(Kind(kind) for kind in entry.get("kinds", ())),
        op=entry.get("op", ""),
    )
