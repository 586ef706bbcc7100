import json

import pytest

from rankscope.analysis.visible import visible, visible_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rank 3 训练", "rank 3 训练"),
        ("a\nb", "a\\nb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\u009b1A", "\\x9b1A"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("x\u2028y", "x\\u2028y"),
    ],
)
def test_what_would_move_the_cursor_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_json_keeps_its_meaning_and_its_line_breaks() -> None:
    content = {"a": "\u009b\u202e\U000e0001 训练"}

    text = visible_json(json.dumps(content, ensure_ascii=False, indent=1))

    assert text.count("\n") == 2
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == content
