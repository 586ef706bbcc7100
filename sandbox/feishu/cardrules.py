"""What a value inside a card may be: small rules that name every problem they find."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

BAD_JSON: Final = 200621
"""`parse card json err`: an unknown attribute, a missing one, or a value of the wrong kind."""
BAD_TAG: Final = 200861


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that the platform refuses in a card, and where it is."""

    code: int
    what: str
    path: str


Rule = Callable[[object, str], Iterator[Problem]]


def wrong(what: str, path: str, code: int = BAD_JSON) -> Iterator[Problem]:
    """Yield one problem."""
    yield Problem(code, what, path)


def anything(value: object, path: str) -> Iterator[Problem]:
    """Take every value."""
    del value, path
    return iter(())


def boolean(value: object, path: str) -> Iterator[Problem]:
    """Take true or false."""
    if not isinstance(value, bool):
        yield from wrong("must be true or false", path)


def text(value: object, path: str) -> Iterator[Problem]:
    """Take a string."""
    if not isinstance(value, str):
        yield from wrong("must be a string", path)


def mapping(value: object, path: str) -> Iterator[Problem]:
    """Take an object with any keys."""
    if not isinstance(value, dict):
        yield from wrong("must be an object", path)


def integer(low: int, high: int) -> Rule:
    """Take a whole number in a range."""

    def check(value: object, path: str) -> Iterator[Problem]:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (whole and isinstance(value, int) and low <= value <= high):
            yield from wrong(f"must be a whole number from {low} to {high}", path)

    return check


def one_of(*choices: str) -> Rule:
    """Take one of a few strings."""

    def check(value: object, path: str) -> Iterator[Problem]:
        if value not in choices:
            yield from wrong(f"{value!r} is not one of {', '.join(choices)}", path)

    return check


def matching(pattern: str, wanted: str) -> Rule:
    """Take a string of a certain form."""
    compiled = re.compile(pattern)

    def check(value: object, path: str) -> Iterator[Problem]:
        if not (isinstance(value, str) and compiled.fullmatch(value)):
            yield from wrong(f"{value!r} is not {wanted}", path)

    return check


def either(*rules: Rule) -> Rule:
    """Take what one of the rules takes; the first rule explains a refusal."""

    def check(value: object, path: str) -> Iterator[Problem]:
        found = [list(rule(value, path)) for rule in rules]
        if all(found):
            yield from found[0]

    return check


def many(rule: Rule, most: int = 10_000) -> Rule:
    """Take a list whose items all follow a rule."""

    def check(value: object, path: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield from wrong("must be a list", path)
            return
        if len(value) > most:
            yield from wrong(f"has {len(value)} items, at most {most} are allowed", path)
        for place, item in enumerate(value):
            yield from rule(item, f"{path}[{place}]")

    return check


def length(most: int, rule: Rule) -> Rule:
    """Take a plain text object whose content is short enough."""

    def check(value: object, path: str) -> Iterator[Problem]:
        yield from rule(value, path)
        if isinstance(value, dict) and len(str(value.get("content", ""))) > most:
            yield from wrong(f"is longer than {most} characters", path)

    return check


def record(attributes: Mapping[str, Rule], *required: str) -> Rule:
    """Take an object with known attributes only."""

    def check(value: object, path: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield from wrong("must be an object", path)
            return
        for name in required:
            if name not in value:
                yield from wrong(f"property {name} is required", path)
        for name, item in value.items():
            if name in attributes:
                yield from attributes[name](item, f"{path}.{name}".lstrip("."))
            else:
                yield from wrong(f"unknown property, property: {name}", path)

    return check


def by_kind(key: str, shapes: Mapping[str, Rule], unknown: int = BAD_JSON) -> Rule:
    """Take an object whose `key` names one of the shapes; shapes may be filled in later."""

    def check(value: object, path: str) -> Iterator[Problem]:
        kind = value.get(key) if isinstance(value, dict) else None
        if not isinstance(kind, str):
            yield from wrong(f"must be an object with a {key}", path)
        elif kind not in shapes:
            yield from wrong(f"not support {key}: {kind}", path, unknown)
        else:
            yield from shapes[kind](value, path)

    return check


def by_tag(shapes: Mapping[str, Rule]) -> Rule:
    """Take an object whose tag names one of the shapes."""
    return by_kind("tag", shapes, BAD_TAG)
