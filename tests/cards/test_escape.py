import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.cards.escape import escape_markdown, mention, plain, short_frame


@given(st.text())
def test_markdown_keeps_the_visible_text_and_nothing_that_means_something(text: str) -> None:
    escaped = escape_markdown(text, 10_000)

    assert html.unescape(escaped) == plain(text, 10_000)
    assert not set("<>*_`[]()~$!\\|:\n\r\"'") & set(escaped)
    assert re.fullmatch(r"(?:[^&#]|&#\d+;)*", escaped)


@pytest.mark.parametrize("text", ["- item", "1. item", "12. item", "--- x", "=== x", "# head"])
def test_a_line_cannot_start_a_list_or_a_heading(text: str) -> None:
    escaped = escape_markdown(text)

    assert html.unescape(escaped) == text
    assert not re.match(r"[-#=]|\d+\.", escaped)


@given(st.text(), st.integers(2, 50))
def test_plain_text_is_one_bounded_visible_line(text: str, limit: int) -> None:
    line = plain(text, limit)

    assert len(line) <= limit
    assert "\n" not in line
    assert line.encode("utf-8").decode() == line


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\x1b", "\ud800", "\ufeff"])
def test_direction_marks_and_other_invisible_things_are_dropped(hidden: str) -> None:
    assert plain(f"a{hidden}b") == "ab"


def test_long_text_says_that_it_was_cut() -> None:
    assert plain("x" * 300, 10) == "x" * 9 + "…"
    assert plain(" " * 100 + "x", 10) == "x"


@pytest.mark.parametrize("actor", ["", "all", "ou_", "ou_x></at><at id=all>", "ou_x\n", "on_abc"])
def test_only_an_open_id_is_mentioned(actor: str) -> None:
    assert mention(actor) == ""


def test_a_person_is_mentioned() -> None:
    assert mention("ou_84aad35d") == "<at id=ou_84aad35d></at>"


@pytest.mark.parametrize(
    ("frame", "short"),
    [
        ("read (/mnt/project/llama/data.py:31)", "read (llama/data.py:31)"),
        ("read (data.py:31)", "read (data.py:31)"),
        ("cuStreamSynchronize (/usr/lib/libcuda.so)", "cuStreamSynchronize (lib/libcuda.so)"),
        ("0x7f00", "0x7f00"),
        ("", ""),
    ],
)
def test_a_frame_keeps_what_a_phone_can_show(frame: str, short: str) -> None:
    assert short_frame(frame) == short
