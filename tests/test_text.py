from pathlib import Path

import pytest
from fluent.runtime import FluentResource
from fluent.syntax import ast

from rankscope.text import LOCALES, say


def messages(path: Path) -> dict[str, ast.Message]:
    body = FluentResource(path.read_text(encoding="utf-8")).body
    junk = [entry for entry in body if isinstance(entry, ast.Junk)]
    assert not junk, f"{path} has an entry that Fluent cannot read: {junk[0].content}"
    return {entry.id.name: entry for entry in body if isinstance(entry, ast.Message)}


def variables(message: ast.Message) -> set[str]:
    found: set[str] = set()

    def walk(node: object) -> None:
        if isinstance(node, ast.VariableReference):
            found.add(node.id.name)
        if isinstance(node, ast.BaseNode):
            for value in vars(node).values():
                for child in value if isinstance(value, list) else [value]:
                    walk(child)

    walk(message)
    return found


AREAS = sorted({path.name for path in LOCALES.glob("*/*.ftl")})


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_say_the_same_things_with_the_same_facts(area: str) -> None:
    zh, en = (messages(LOCALES / language / area) for language in ("zh", "en"))

    assert zh.keys() == en.keys()
    assert {name: variables(m) for name, m in zh.items()} == {
        name: variables(m) for name, m in en.items()
    }


def test_no_message_id_is_used_twice() -> None:
    ids = [name for area in AREAS for name in messages(LOCALES / "en" / area)]

    assert len(ids) == len(set(ids))


def test_an_unknown_message_is_an_error() -> None:
    with pytest.raises(LookupError):
        say("no-such-message")


def test_an_absurdly_long_name_is_cut_and_does_not_cost_the_sentence() -> None:
    told = say("analysis-one-rank", ranks="7" * 5000)

    assert told.en.endswith("7…")
    assert len(told.en) < 2500
