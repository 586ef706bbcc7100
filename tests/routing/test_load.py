"""A routes file is read, or refused with line, route and field."""

import re
from pathlib import Path

import pytest

from rankscope.errors import UnusableInput
from rankscope.routing.load import parse_routes
from tests.routing.books import TEXT, book


def refused(text: str) -> str:
    with pytest.raises(UnusableInput) as caught:
        parse_routes(text, "r.toml")
    return str(caught.value)


def test_a_good_file_is_read() -> None:
    one = book()

    assert [route.name for route in one.routes] == ["night", "llm", "grave"]
    assert one.routes[0].days == ("mon", "tue", "wed", "thu", "fri")
    assert one.chats["team"].language == "en"


ROOT = Path(__file__).parents[2]


def test_the_example_and_that_of_the_page_are_good() -> None:
    example = (ROOT / "deploy" / "routes.example.toml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "routing.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)

    assert len(parse_routes(example).routes) == 3
    assert parse_routes(shown).routes[0].name == "llm at night"


def test_an_empty_file_has_no_routes() -> None:
    assert parse_routes("").routes == ()


def test_broken_toml_names_its_line() -> None:
    assert "line 3" in refused('zone = "UTC"\n\n[[routes\n')


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"22:00-08:00"', '"22"', "r.toml line 20, route 1 (night), hours: '22' is no"),
        ('["mon-fri"]', '["mo"]', "line 21, route 1 (night), days: 'mo' is no weekday"),
        ('["hang"]', '["hung"]', "line 22, route 1 (night), kinds.1: 'hung' is none of 'hang'"),
        (
            "continue = true",
            "contine = true",
            "line 28, route 1 (night), contine: there is no field 'contine'",
        ),
        ("after_min = 30", "after_min = 10", "line 37, route 2 (llm), escalate: every step's"),
        ("after_min = 10", "after_min = 0", "line 37, route 2 (llm), escalate.1.after_min"),
        ('chats = ["infra"]', 'chats = ["ifnra"]', "route 3 (grave), chats: 'ifnra' is neither"),
        ('chats = ["infra"]', "chats = []", "route 3 (grave): it has no chats; name at least one"),
        ('["owner"]\n', '["boss"]\n', "line 35, route 2 (llm), mention: 'boss' is nobody"),
        ('"oncall:infra"] }', '"oncall:x"] }', "route 2 (llm), escalate.1.people: 'oncall:x'"),
        ('name = "grave"', 'name = "llm"', "line 43, route 3 (llm), name: another route"),
        ('"wangwu", "ou_zhao"', '"wang", "ou_zhao"', "line 12, oncall.infra.people: 'wang'"),
        ('at = "09:00"', 'at = "9 am"', "line 16, oncall.infra.at: '9 am' is no time of day"),
        ('"Asia/Shanghai"', '"Asia/Beijing"', "line 1, zone: 'Asia/Beijing' is no time zone"),
        ('"ou_li"', '"lisi@example.com"', "line 4, people.lisi: 'lisi@example.com' is no open_id"),
        ('"oc_infra" }', '"infra" }', "line 9, chats.infra.id"),
    ],
)
def test_what_is_wrong_is_named_with_line_route_and_field(old: str, new: str, said: str) -> None:
    assert TEXT.count(old) == 1 or old in {'"ou_li"', '"Asia/Shanghai"'}

    assert said in refused(TEXT.replace(old, new, 1))


def test_every_problem_is_named_at_once() -> None:
    said = refused(TEXT.replace('"22:00-08:00"', '"x"').replace('["hang"]', '["y"]'))

    assert "hours" in said
    assert "kinds" in said
    assert "docs/routing.md" in said


def test_what_names_nothing_is_told_together_with_what_cannot_be_read() -> None:
    broken = TEXT.replace('["hang"]', '["y"]').replace('["infra"]', '["ifnra"]', 1)
    broken = broken.replace('"ou_li"', '"li"', 1)
    said = refused(broken)

    assert "route 1 (night), kinds" in said
    assert "'ifnra' is neither in [chats]" in said
    assert "people.lisi" in said
    assert said.count("lisi") == 1, "whoever is there, though not well, is known"


MUTE = """
[[routes]]
name = "drill"
jobs = ["drill-*"]
mute = true
reason = "nobody shall be woken by drills"
"""


def test_a_route_may_tell_nobody_with_a_reason() -> None:
    [route] = parse_routes(MUTE).routes

    assert (route.mute, route.chats) == (True, ())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('reason = "nobody shall be woken by drills"', "", "route 1 (drill): mute = true needs a"),
        ("mute = true", 'mute = true\nchats = ["oc_1"]', "a mute route tells nobody"),
        ("mute = true", "", "route 1 (drill): it has no chats"),
    ],
)
def test_a_mute_route_is_only_that(old: str, new: str, said: str) -> None:
    assert said in refused(MUTE.replace(old, new))
