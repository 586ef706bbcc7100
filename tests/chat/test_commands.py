import pytest

from rankscope.chat.commands import (
    Capture,
    Help,
    MissingArgument,
    TooManyArguments,
    Unknown,
    parse,
)


@pytest.mark.parametrize(
    "text",
    [
        "/capture jo-1",
        "capture jo-1",
        "／capture　jo-1",
        "ＣＡＰＴＵＲＥ jo-1",
        "  /Capture \t jo-1 \n",
        "/ capture jo-1",
        "采集 jo-1",
        "/采集 jo-1",
        "/capture `jo-1`",
        "/capture 「jo-1」，",
        "/capture <jo-1>",
    ],
)
def test_capture_is_understood_however_it_is_written(text: str) -> None:
    assert parse(text) == Capture("jo-1")


def test_the_case_of_a_job_id_is_kept() -> None:
    assert parse("/CAPTURE Jo-1A") == Capture("Jo-1A")


@pytest.mark.parametrize("text", ["/help", "help", "HELP", "/help me", "帮助", "", "   "])
def test_help(text: str) -> None:
    assert parse(text) == Help()


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("/captrue jo-1", "capture"),
        ("/cap", "capture"),
        ("captures jo-1", "capture"),
        ("/hlep", "help"),
        ("/采", "capture"),
        ("重启任务", ""),
        ("/", ""),
        ("/xyzzy", ""),
    ],
)
def test_other_words_get_the_nearest_command(text: str, suggestion: str) -> None:
    assert parse(text) == Unknown(text.split(maxsplit=1)[0], suggestion)


@pytest.mark.parametrize("text", ["/capture", "capture `` ,"])
def test_capture_needs_a_job(text: str) -> None:
    assert parse(text) == MissingArgument("capture")


def test_capture_takes_one_job() -> None:
    assert parse("/capture jo-1 jo-2 jo-3") == TooManyArguments("capture", "jo-2 jo-3")
