"""The rules: which line means what. They are data, one file per family (docs/errors.md)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.errors import ConfigurationError
from rankscope.logs.first_error.model import IGNORED, Layer, Role
from rankscope.model.text import Text
from rankscope.text import say

RULES = Path(__file__).parent / "rules"
USER_ORDER = 25
_KEYS = frozenset({"id", "role", "words", "pattern", "advice", "phase", "source"})
_TESTS = frozenset({"match", "no_match"})
_DIGIT = re.compile(r"\d")
# Places in a pattern whose digits are no literal text.
_NO_LITERAL = re.compile(r"\\d|\{[^}]*\}|\d-\d|\?P<\w+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of line.

    Every matching line contains one of words (lower case, no digits), which is how lines are found
    quickly. advice is a catalogue id, or the text itself when the rule is a user's.
    """

    id: str
    role: Role
    layer: Layer
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    advice: str | Text
    source: str
    order: int
    phase: str = ""
    match: tuple[str, ...] = ()
    no_match: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether lines that differ in digits only must be looked at one by one."""
        return _DIGIT.search(_NO_LITERAL.sub("", self.pattern.pattern)) is not None

    def advise(self, found: Mapping[str, str | None]) -> Text:
        """Return the advice; named groups of the pattern fill its gaps."""
        if isinstance(self.advice, Text):
            return self.advice
        known = {name: value for name, value in found.items() if value}
        gaps = {name: known.get(name, "") for name in self.pattern.groupindex}
        if "name" in known:
            gaps["variable"] = known["name"]
        return say(self.advice, **gaps)


class RuleBook:
    """All rules in the order in which they are tried: by the order of their file, then as written.

    Harmless lines come first, so that they hide nothing but themselves.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        ordered = sorted(rules, key=lambda rule: rule.order)
        self.rules = tuple(rule for rule in ordered if rule.role is not Role.SIGNAL)
        self.signals = tuple(rule for rule in ordered if rule.role is Role.SIGNAL)
        self._by_id = {rule.id: rule for rule in ordered}

    def __getitem__(self, rule_id: str) -> Rule:
        """Return one rule; raises KeyError."""
        return self._by_id[rule_id]

    @property
    def words(self) -> frozenset[str]:
        """Return the words that make a line worth looking at."""
        lookers = [rule for rule in self.rules if rule.role not in IGNORED]
        lookers += [self._by_id[name] for name in ("retry", "recovered") if name in self._by_id]
        return frozenset(word for rule in (*lookers, *self.signals) for word in rule.words)

    def candidates(self, text: str) -> tuple[Rule, ...]:
        """Return the rules one of whose words is in the text, in order; no signals."""
        low = text.lower()
        return tuple(rule for rule in self.rules if _has_word(rule, low))

    def signs(self, text: str) -> tuple[Rule, ...]:
        """Return the signal rules that match."""
        low = text.lower()
        return tuple(r for r in self.signals if _has_word(r, low) and r.pattern.search(text))

    def first(self, text: str) -> tuple[Rule, re.Match[str]] | None:
        """Return the first rule that matches, and its match."""
        for rule in self.candidates(text):
            found = rule.pattern.search(text)
            if found:
                return rule, found
        return None


def _has_word(rule: Rule, low: str) -> bool:
    return any(word in low for word in rule.words)


def load_rules(folders: Iterable[Path]) -> RuleBook:
    """Read every `*.toml` of the folders; raises ConfigurationError for a bad rule.

    A rule with the id of an earlier one replaces it.
    """
    found: dict[str, Rule] = {}
    for folder in folders:
        if not folder.is_dir():
            raise ConfigurationError(f"There is no folder of rules at {folder}.", "Check --rules.")
        for path in sorted(folder.glob("*.toml")):
            found |= {rule.id: rule for rule in _read(path)}
    return RuleBook(found.values())


@cache
def default_rules() -> RuleBook:
    """Return the rules that come with rankscope."""
    return load_rules([RULES])


def _read(path: Path) -> list[Rule]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        layer, order = Layer(content.get("layer", "")), int(content.get("order", USER_ORDER))
        return [_rule(layer, order, entry) for entry in content.get("rule", [])]
    except (KeyError, ValueError, TypeError, re.error) as error:
        raise ConfigurationError(
            f"The rule file {path} cannot be used: {error}.", "See docs/errors.md."
        ) from error


def _rule(layer: Layer, order: int, entry: Mapping[str, Any]) -> Rule:
    unknown = set(entry) - _KEYS - _TESTS
    if unknown:
        raise ValueError(f"rule {entry.get('id')}: unknown keys {sorted(unknown)}")
    rule = Rule(
        id=entry["id"],
        role=Role(entry.get("role", "root")),
        layer=layer,
        words=tuple(entry["words"]),
        pattern=re.compile(entry["pattern"]),
        advice=_advice(entry),
        source=entry["source"],
        order=order,
        phase=entry.get("phase", ""),
        match=tuple(entry["match"]),
        no_match=tuple(entry["no_match"]),
    )
    check(rule)
    return rule


def _advice(entry: Mapping[str, Any]) -> str | Text:
    advice = entry.get("advice", entry["id"])
    if isinstance(advice, str):
        return f"errors-advice-{advice}"
    return Text(advice["zh"], advice["en"])


def check(rule: Rule) -> None:
    """Try a rule on its own examples; raises ValueError when one behaves otherwise."""
    if not (rule.match and rule.no_match and rule.words and rule.source):
        raise ValueError(f"rule {rule.id}: words, match, no_match and source must not be empty")
    if any(word != word.lower() or _DIGIT.search(word) for word in rule.words):
        raise ValueError(f"rule {rule.id}: words are in lower case and without digits")
    for text in rule.match:
        if not rule.pattern.search(text) or not _has_word(rule, text.lower()):
            raise ValueError(f"rule {rule.id} does not match {text!r}, or lacks a word for it")
    for text in rule.no_match:
        if rule.pattern.search(text):
            raise ValueError(f"rule {rule.id} matches {text!r}")
