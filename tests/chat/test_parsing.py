import pytest

from rankscope.chat.commands import (
    BadArgument,
    Capture,
    ChooseLanguage,
    Command,
    Compare,
    Help,
    ListJobs,
    MissingArgument,
    ShowAudit,
    ShowNccl,
    ShowReport,
    ShowStack,
    ShowStatus,
    Silence,
    TooManyArguments,
    Unknown,
)
from rankscope.chat.parsing import parse


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


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/capture jo-1 --samples 3", Capture("jo-1", 3)),
        ("/capture --samples=3 jo-1", Capture("jo-1", 3)),
        ("/capture jo-1 —samples 3", Capture("jo-1", 3)),
        ("/capture jo-1 －－samples ３", Capture("jo-1", 3)),
        ("/capture jo-1 --native 0,5", Capture("jo-1", 0, (0, 5))),
        ("/capture jo-1 --native 0，5、7 --samples 1", Capture("jo-1", 1, (0, 5, 7))),
        ("/compare jo-1", Compare("jo-1")),
        ("对比 jo-1 107 774003", Compare("jo-1", ("107", "774003"))),
        ("/report jo-1", ShowReport("jo-1")),
        ("/report 1780890545107774003", ShowReport("1780890545107774003")),
        ("/stack jo-1 5", ShowStack("jo-1", "5")),
        ("/stack jo-1 rank 5", ShowStack("jo-1", "rank 5")),
        ("堆栈 jo-1 worker-0-gpu-0", ShowStack("jo-1", "worker-0-gpu-0")),
        ("/NCCL jo-1", ShowNccl("jo-1")),
        ("/jobs", ListJobs()),
        ("任务列表", ListJobs()),
        ("/status", ShowStatus()),
        ("/silence jo-1", Silence("jo-1", 1800)),
        ("/silence jo-1 2h", Silence("jo-1", 7200)),
        ("静默 jo-1 30分钟", Silence("jo-1", 1800)),
        ("/silence jo-1 30 min", Silence("jo-1", 1800)),
        ("/silence jo-1 end", Silence("jo-1", 0)),
        ("/silence jo-1 OFF", Silence("jo-1", None)),
        ("/lang en", ChooseLanguage("en")),
        ("语言 中文", ChooseLanguage("zh")),
        ("/audit jo-1", ShowAudit("jo-1")),
    ],
)
def test_every_command_is_understood(text: str, command: Command) -> None:
    assert parse(text) == command


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
        ("/comparre jo-1", "compare"),
        ("/staus", "status"),
        ("/job", "jobs"),
        ("/slience jo-1", "silence"),
        ("重启任务", ""),
        ("/", ""),
        ("/xyzzy", ""),
    ],
)
def test_other_words_get_the_nearest_command(text: str, suggestion: str) -> None:
    assert parse(text) == Unknown(text.split(maxsplit=1)[0], suggestion)


@pytest.mark.parametrize(
    ("text", "name", "is_job"),
    [
        ("/capture", "capture", True),
        ("capture `` ,", "capture", True),
        ("/compare", "compare", True),
        ("/compare jo-1 107", "compare", False),
        ("/stack", "stack", True),
        ("/stack jo-1", "stack", False),
        ("/silence", "silence", True),
        ("/lang", "lang", False),
        ("/nccl", "nccl", True),
    ],
)
def test_a_missing_word_is_told(text: str, name: str, *, is_job: bool) -> None:
    assert parse(text) == MissingArgument(name, is_job)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("/capture jo-1 jo-2 jo-3", TooManyArguments("capture", "jo-2 jo-3")),
        ("/jobs all", TooManyArguments("jobs", "all")),
        ("/compare jo-1 1 2 3", TooManyArguments("compare", "3")),
        ("/capture jo-1 --samples 99", BadArgument("capture", "--samples 99")),
        ("/capture jo-1 --samples many", BadArgument("capture", "--samples many")),
        ("/capture jo-1 --native x", BadArgument("capture", "--native x")),
        ("/capture jo-1 --fast", BadArgument("capture", "--fast")),
        ("/jobs --all", BadArgument("jobs", "--all")),
        ("/silence jo-1 soon", BadArgument("silence", "soon")),
        ("/silence jo-1 0m", BadArgument("silence", "0m")),
        ("/silence jo-1 30d", BadArgument("silence", "30d")),
        ("/lang de", BadArgument("lang", "de")),
    ],
)
def test_what_cannot_be_understood_is_told(text: str, wrong: Command) -> None:
    assert parse(text) == wrong


def test_no_more_ranks_than_an_agent_takes() -> None:
    many = ",".join(str(rank) for rank in range(17))

    assert isinstance(parse(f"/capture jo-1 --native {many}"), BadArgument)
