"""Which cards are refused, with which sub-code."""

import copy
from typing import Any

import pytest

from sandbox.feishu.cardcheck import Known, problems
from tests.sandbox.feishu.samples import (
    RICH,
    Json,
    button,
    card,
    column,
    markdown,
    panel,
    plain,
    table,
)

KNOWN = Known(people={"ou_a"}, images={"img_1"})


def codes(content: Any) -> set[int]:
    return {problem.code for problem in problems(content, KNOWN)}


def columns(*elements: Json) -> Json:
    return {"tag": "column_set", "columns": [column(*elements)]}


def nested(levels: int) -> Json:
    return panel("p", markdown("x")) if levels == 1 else columns(nested(levels - 1))


def test_a_rich_card_is_taken() -> None:
    assert list(problems(RICH, KNOWN)) == []


def form(*elements: Json) -> Json:
    submit = {"tag": "button", "text": plain("ok"), "name": "ok", "form_action_type": "submit"}
    return {"tag": "form", "name": "f", "elements": [*elements, submit]}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("text", 200621),
        ({**card(markdown("x")), "schema": "1.0"}, 200621),
        ({"config": {}, "elements": []}, 200621),
        (card(markdown("x"), elements=[]), 200621),
        (card(markdown("x"), config={"wide_screen_mode": True}), 200621),
        (card(markdown("x"), config={"update_multi": False}), 200621),
        (card(markdown("x"), header={"title": plain("t"), "template": "pink"}), 200621),
        (card({"tag": "note", "elements": []}), 200861),
        (card({"tag": "action", "actions": []}), 200861),
        (card({"no": "tag"}), 200621),
        (card(markdown("x", colour="red")), 200621),
        (card(markdown("x", element_id="1st")), 200621),
        (card(markdown("x", element_id="a" * 21)), 200621),
        (card(markdown("x", element_id="a"), markdown("y", element_id="a")), 200621),
        (card(markdown("x", margin="100px")), 200621),
        (card({"tag": "button", "text": plain("x" * 101)}), 200621),
        (card({"tag": "button"}), 200621),
        (card(button("x", type="huge")), 200621),
        (card(button("x", confirm={"text": plain("no title")})), 200621),
        (card({**button("x"), "behaviors": [{"type": "callback", "value": "{}"}]}), 200621),
        (card({**button("x"), "behaviors": [{"type": "jump"}]}), 200621),
        (card(*(markdown("x") for _ in range(201))), 11310),
        (card(*(table([]) for _ in range(6))), 11310),
        (card(markdown("|a|b|\n|-|-|\n|1|2|\n\n" * 5)), 11310),
        (card(nested(6)), 11310),
        (card(columns(table())), 200621),
        (card(panel("p", form())), 200621),
        (card({**table(), "page_size": 11}), 200621),
        (card(form({"tag": "input"})), 200530),
        (card(form({"tag": "input", "name": "a"}, {"tag": "input", "name": "a"})), 200621),
        (card({"tag": "form", "name": "f", "elements": []}), 200621),
        (card(form({"tag": "chart", "chart_spec": {"type": "line"}})), 200621),
        (card({"tag": "chart", "chart_spec": {}}), 200550),
        (card({"tag": "img", "img_key": "img_2", "alt": plain("")}), 200570),
        (card(markdown("<at id=ou_b></at>")), 100290),
        (card(markdown("<at ids=ou_a,ou_b></at>")), 100290),
        (card({"tag": "person", "user_id": "ou_b"}), 100290),
    ],
)
def test_what_the_platform_refuses_is_refused(content: Any, code: int) -> None:
    assert code in codes(content)


@pytest.mark.parametrize(
    "content",
    [
        card(nested(5)),
        card(*(table([]) for _ in range(5))),
        card(*(markdown("x") for _ in range(199))),
        card(form({"tag": "input", "name": "note"})),
        card(markdown("<at id=all></at> <at id='ou_a'></at>")),
        card({"tag": "img", "img_key": "img_1", "alt": plain("")}),
        card(button("x", confirm={"title": plain("sure?")})),
        card(markdown("a | b\n\nc - d\n---\n")),
    ],
)
def test_what_the_platform_takes_is_taken(content: Any) -> None:
    assert codes(content) == set()


def test_a_problem_says_where_it_is() -> None:
    content = card(markdown("x"), columns(markdown("y", colour="red")))

    [problem] = problems(content, KNOWN)

    assert problem.path == "body.elements[1].columns[0].elements[0]"
    assert "colour" in problem.what


def test_checking_changes_nothing() -> None:
    before = copy.deepcopy(RICH)

    list(problems(RICH, KNOWN))

    assert before == RICH
