"""The rules: which line means what. They are data, one file per family (docs/errors.md)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.errors import ConfigurationError
from rankscope.logs.first_error.model import Layer, Role
from rankscope.model.text import Text
from rankscope.text import say

RULES = Path(__file__).parent / "rules"
USER_ORDER = 25
_KEYS = frozenset(
    {"id", "role", "words", "coarse", "pattern", "advice", "phase", "source", "layer"}
)
_TESTS = frozenset({"match", "no_match"})
_DIGIT = re.compile(r"\d")
# The parts of a pattern that tell an anchor at the start from other uses of `^`.
_PARTS = re.compile(r"\\.|\[\^?\]?|\]|\(\?<?!|[()^]|[^\\\[\]()^]+", re.DOTALL)
# Places in a pattern whose digits are no literal text.
_NO_LITERAL = re.compile(r"\\d|\{[^}]*\}|\d-\d|\?P<\w+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of line.

    Every matching line contains one of words (lower case, no digits), and one of coarse: fewer,
    commoner words of many rules, by which lines are found quickly; without any, words serve. loose
    is the pattern without anchors at the start, for lines whose prefix is still there. counts says
    that digits decide: lines that differ in digits only are looked at one by one. advice is a
    catalogue id, or the text itself when the rule is a user's.
    """

    id: str
    role: Role
    layer: Layer
    words: tuple[str, ...]
    coarse: tuple[str, ...]
    pattern: re.Pattern[str]
    loose: re.Pattern[str]
    advice: str | Text
    source: str
    order: int
    counts: bool
    phase: str = ""
    match: tuple[str, ...] = ()
    no_match: tuple[str, ...] = ()

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
        self._places = {rule.id: place for place, rule in enumerate(ordered)}
        # A harmless line is worth no look of its own.
        self._harmless = tuple(rule for rule in ordered if rule.role is Role.HARMLESS)
        # By coarse word, then by finer word: the rules, by id.
        self._rules_of: dict[str, dict[str, dict[str, Rule]]] = {}
        for rule in ordered:
            for word in rule.coarse if rule.role is not Role.HARMLESS else ():
                for fine in rule.words:
                    self._rules_of.setdefault(word, {}).setdefault(fine, {})[rule.id] = rule

    def __getitem__(self, rule_id: str) -> Rule:
        """Return one rule; raises KeyError."""
        return self._by_id[rule_id]

    @property
    def words(self) -> frozenset[str]:
        """Return the words that make a line worth looking at."""
        return frozenset(self._rules_of)

    def suspects(self, text: str, words: Iterable[str] | None = None) -> tuple[Rule, ...]:
        """Return the rules and signals that may match a line of which text is a part, in order.

        The line's prefix may still be there, and other lines that are joined to it. words are those
        of self.words that occur in the text, when they are known. A harmless line has no suspects.
        """
        low = text.lower()
        words = [word for word in self._rules_of if word in low] if words is None else words
        named: dict[str, Rule] = {}
        for word in words:
            for fine, rules in self._rules_of.get(word, {}).items():
                if fine in low:
                    named.update(rules)
        found = [rule for rule in named.values() if rule.counts or rule.loose.search(text)]
        if found and "\n" not in text and self._is_harmless(text, low):
            found = [rule for rule in found if rule.role is Role.SIGNAL]
        elif found:
            found += [rule for rule in self._harmless if _has_word(rule.words, low)]
        return tuple(sorted(found, key=lambda rule: self._places[rule.id]))

    def _is_harmless(self, text: str, low: str) -> bool:
        return any(
            not rule.counts and _has_word(rule.words, low) and rule.loose.search(text)
            for rule in self._harmless
        )

    def first(
        self, text: str, rules: Iterable[Rule] | None = None
    ) -> tuple[Rule, re.Match[str]] | None:
        """Return the first of the rules (default: all) that matches, and its match; no signals."""
        tried = self.suspects(text) if rules is None else rules
        for rule in tried:
            found = None if rule.role is Role.SIGNAL else rule.pattern.search(text)
            if found:
                return rule, found
        return None


def _has_word(words: Iterable[str], low: str) -> bool:
    return any(word in low for word in words)


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
        layer=Layer(entry.get("layer", layer)),
        words=tuple(entry["words"]),
        coarse=tuple(entry.get("coarse", entry["words"])),
        pattern=re.compile(entry["pattern"]),
        loose=re.compile(loosened(entry["pattern"]), re.MULTILINE),
        advice=_advice(entry),
        source=entry["source"],
        order=order,
        counts=_DIGIT.search(_NO_LITERAL.sub("", entry["pattern"])) is not None,
        phase=entry.get("phase", ""),
        match=tuple(entry["match"]),
        no_match=tuple(entry["no_match"]),
    )
    check(rule)
    return rule


def loosened(pattern: str) -> str:
    """Return a pattern without anchors at the start, which matches wherever the pattern would.

    In what must not follow, an anchor counts as one that never holds: less is excluded then.
    """
    parts: list[str] = []
    groups, in_class = [False], False
    for part in _PARTS.findall(pattern):
        kept = part
        if in_class:
            in_class = not (part.endswith("]") and part[0] != "\\")
        elif part[0] == "[":
            in_class = True
        elif part[0] == "(":
            groups.append(groups[-1] != (part != "("))
        elif part == ")" and len(groups) > 1:
            groups.pop()
        elif part in {"^", "\\A"}:
            kept = "(?!)" if groups[-1] else "(?:)"
        parts.append(kept)
    return "".join(parts)


def _advice(entry: Mapping[str, Any]) -> str | Text:
    advice = entry.get("advice", entry["id"])
    if isinstance(advice, str):
        return f"errors-advice-{advice}"
    return Text(advice["zh"], advice["en"])


def check(rule: Rule) -> None:
    """Try a rule on its own examples; raises ValueError when one behaves otherwise."""
    if not (rule.match and rule.no_match and rule.words and rule.source):
        raise ValueError(f"rule {rule.id}: words, match, no_match and source must not be empty")
    if any(word != word.lower() or _DIGIT.search(word) for word in (*rule.words, *rule.coarse)):
        raise ValueError(f"rule {rule.id}: words are in lower case and without digits")
    for text in rule.match:
        low = text.lower()
        found = rule.pattern.search(text) and rule.loose.search(text)
        if not (found and _has_word(rule.words, low) and _has_word(rule.coarse, low)):
            raise ValueError(f"rule {rule.id} does not match {text!r}, or lacks a word for it")
    for text in rule.no_match:
        if rule.pattern.search(text):
            raise ValueError(f"rule {rule.id} matches {text!r}")
