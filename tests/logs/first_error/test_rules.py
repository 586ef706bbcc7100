import re
import tomllib
from pathlib import Path

import pytest

from rankscope.errors import ConfigurationError
from rankscope.logs.first_error import RuleBook, default_rules, load_rules
from rankscope.logs.first_error.model import Layer, Role
from rankscope.logs.first_error.rules import RULES, Rule, check, loosened
from rankscope.model.text import Text

BOOK = default_rules()
ALL = (*BOOK.rules, *BOOK.signals)

MINE = """
layer = "platform"

[[rule]]
id = "our-storage"
words = ["quobyte"]
pattern = '''quobyte: volume (?P<volume>\\w+) is gone'''
match = ["quobyte: volume v1 is gone"]
no_match = ["quobyte ok"]
source = "our storage team"
advice = { zh = "问存储组。", en = "Ask the storage team." }
"""


def write(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.id)
def test_a_rule_knows_its_own_examples(rule: Rule) -> None:
    check(rule)


@pytest.mark.parametrize("rule", [r for r in BOOK.rules if r.role is not Role.HARMLESS])
def test_an_example_meets_its_own_rule_first_and_has_advice(rule: Rule) -> None:
    for text in rule.match:
        found = BOOK.first(text)
        assert found is not None
        assert found[0].role == rule.role or found[0].layer == rule.layer
        advice = rule.advise(found[1].groupdict())
        assert advice.zh
        assert advice.en


def test_ids_are_unique_and_there_are_many_rules() -> None:
    files = (tomllib.loads(path.read_text(encoding="utf-8")) for path in RULES.glob("*.toml"))
    found = [rule["id"] for content in files for rule in content["rule"]]

    assert len(found) == len(set(found)) >= 130


def test_named_groups_fill_the_advice() -> None:
    found = BOOK.first("ModuleNotFoundError: No module named 'flash_attn'")

    assert found is not None
    assert "flash_attn" in found[0].advise(found[1].groupdict()).en


def test_a_user_adds_rules(tmp_path: Path) -> None:
    book = load_rules([RULES, write(tmp_path, MINE)])
    found = book.first("quobyte: volume v7 is gone")

    assert found is not None
    assert (found[0].id, found[0].layer) == ("our-storage", Layer.PLATFORM)
    assert found[0].advise({}) == Text("问存储组。", "Ask the storage team.")


def test_a_user_replaces_a_rule(tmp_path: Path) -> None:
    text = MINE.replace("our-storage", "disk-full").replace("quobyte", "no space left")

    assert load_rules([RULES, write(tmp_path, text)])["disk-full"].source == "our storage team"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["quobyte: volume v1 is gone"]', '["something else"]'),
        ('["quobyte ok"]', '["quobyte: volume v2 is gone"]'),
        ('["quobyte"]', '["Quobyte"]'),
        ('["quobyte"]', '["v1"]'),
        ('source = "our storage team"', 'sorce = "x"'),
        ("is gone'''", "is (gone'''"),
        ('layer = "platform"', 'layer = "cloud"'),
        ("[[rule]]", "[[rule"),
    ],
)
def test_a_bad_rule_is_refused_with_its_file(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(ConfigurationError, match=r"mine\.toml"):
        load_rules([write(tmp_path, MINE.replace(old, new))])


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder"):
        load_rules([tmp_path / "nowhere"])


def test_a_book_without_rules_finds_nothing() -> None:
    assert RuleBook([]).first("ValueError: x") is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^Killed", "Killed"),
        (r"\AKilled", "Killed"),
        (r"(?:^|\s)Killed", "Killed"),
        (r"[a^b]Killed", "^Killed"),
        (r"[]^]Killed", "^Killed"),
        (r"[^]^]Killed", "xKilled"),
        (r"\^Killed", "^Killed"),
        (r"\\|^Killed", "Killed"),
        (r"(?!^x)\wKilled", "yKilled"),
        (r"x(?<!^)Killed", "xKilled"),
        (r"^(?!.*(?!^y)x)\w*Killed", "Killed"),
    ],
)
def test_a_loose_pattern_matches_wherever_the_pattern_does(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert re.search(loosened(pattern), text)


@pytest.mark.parametrize("pattern", [r"^Killed", r"\AKilled", r"(?:^|,)Killed", r"\\|^Killed"])
def test_a_loose_pattern_matches_behind_a_prefix(pattern: str) -> None:
    assert re.search(loosened(pattern), "worker-0 | Killed")


@pytest.mark.parametrize("rule", default_rules().rules, ids=lambda rule: rule.id)
def test_every_example_is_found_behind_a_prefix(rule: Rule) -> None:
    assert all(rule.loose.search(f"[rank3]: {text}") for text in rule.match)
