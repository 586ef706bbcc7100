"""Every command, in every way people write it, in a group and in private.

The list is that of the parser: a new command without an answer here fails.
"""

import unicodedata

import pytest

from rankscope.chat import commands
from rankscope.chat.parsing import COMMANDS, NAMES, parse
from tests.scenarios.rig import OPERATOR, VIEWER, Rig
from tests.workers.conftest import LATER_ID, PRINT_ID

WORDS: dict[str, tuple[str, str]] = {
    "capture": ("jo-1", "aptur"),
    "compare": (f"jo-1 {PRINT_ID} {LATER_ID}", "Comparing two captures"),
    "report": ("jo-1", "Print ID"),
    "stack": ("jo-1 0", "rank 0"),
    "nccl": ("jo-1", "NCCL"),
    "errors": ("jo-1", "jo-1"),
    "jobs": ("", "1 jobs:"),
    "status": ("", "rankscope"),
    "silence": ("jo-1 30m", "silenced until"),
    "subscribe": ("jo-1", "This chat is told"),
    "audit": ("jo-1", "jo-1"),
    "lang": ("en", "This chat is in English"),
    "help": ("", "/capture JOB-ID"),
}


def _full_width(text: str) -> str:
    """Return a text as a Chinese keyboard may write it."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _writings(name: str) -> list[str]:
    """Return all ways to write a command's name."""
    chinese = [other for other, meant in NAMES.items() if meant == name and other != name]
    return [f"/{name}", name, name.upper(), _full_width(f"/{name}"), f"/ {name}", *chinese]


@pytest.fixture
def known(rig: Rig) -> Rig:
    """A job that hung and was captured twice."""
    rig.reported()
    return rig


def test_full_width_letters_are_what_they_look_like() -> None:
    assert unicodedata.normalize("NFKC", _full_width("/capture")) == "/capture"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_seen_and_answered_however_it_is_written(known: Rig, name: str) -> None:
    words, answer = WORDS[name]
    for writing in _writings(name):
        known.apps.emulator.client.skip(2)  # A chat takes five messages a second.
        said = known.ask(f"{writing} {words}".strip())
        assert answer in said, f"{writing} {words}"

    assert answer in known.ask(f"/{name} {words}".strip(), chat=known.private(OPERATOR))
    asked = [one for one in known.messages() if not one.sender.is_bot]
    assert all(one.reactions for one in asked)


def test_commands_without_a_mention_are_talk(rig: Rig) -> None:
    for name in COMMANDS:
        rig.apps.emulator.client.say(rig.team, f"/{name}", user=OPERATOR, mention_bot=False)
    rig.ask("/help")

    assert len([one for one in rig.messages() if one.sender.is_bot]) == 1


def test_a_mistyped_command_is_told_the_nearest(rig: Rig) -> None:
    for name in COMMANDS:
        rig.apps.emulator.client.skip(2)
        assert f"/{name}" in rig.ask(f"/{name[:-2]}{name[-1]}{name[-2]}x")


# What is not understood: one scenario for each type there is.

MISUNDERSTOOD = {
    commands.Unknown: ("/qqqqqq", "I do not know"),
    commands.MissingArgument: ("/stack jo-1", "Usage: /stack"),
    commands.TooManyArguments: ("/jobs please", "too much"),
    commands.BadArgument: ("/silence jo-1 tomorrow", "I do not understand"),
}


@pytest.mark.parametrize("kind", commands.Misunderstood.__args__)
def test_what_is_not_understood_is_told(rig: Rig, kind: type) -> None:
    text, answer = MISUNDERSTOOD[kind]
    assert isinstance(parse(text), kind)

    assert answer in rig.ask(text)


@pytest.mark.parametrize("text", ["/lang", "/stack jo-1"])
def test_where_no_job_is_missing_none_is_listed(known: Rig, text: str) -> None:
    said = known.ask(text)

    assert f"Usage: {text.split(maxsplit=1)[0]}" in said
    assert "Known jobs" not in said


def test_a_rank_that_the_job_does_not_have_is_not_captured(rig: Rig) -> None:
    rig.reported()
    said = rig.ask("/capture jo-1 --native 0,99")

    assert "no rank 99: its ranks are 0 to 0" in said
    assert not [one for one in rig.queued() if one.startswith("capture-")]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("jo", "jo-1"), ("jo-2", "There is no job"), ("xx", "There is no job")],
)
def test_a_job_is_named_by_its_beginning(known: Rig, typed: str, answer: str) -> None:
    assert answer in known.ask(f"/report {typed}", user=VIEWER)


def test_a_beginning_that_several_jobs_share_is_not_enough(rig: Rig) -> None:
    rig.tell("job.running", "jo-10", state="running")

    assert "Several jobs begin with" in rig.ask("/report jo")
