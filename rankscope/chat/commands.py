"""What people type: `/capture JOB`, `/help`, in whatever way they happen to write it."""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches

CAPTURE = "capture"
HELP = "help"
NAMES = {CAPTURE: CAPTURE, HELP: HELP, "采集": CAPTURE, "帮助": HELP}
SIMILAR = 0.6  # difflib's own default; `captrue` and `hlep` are nearer, `hello` is nearer to help.

_QUOTES = "`'\"“”‘’「」<>,，。;；"


@dataclass(frozen=True, slots=True)
class Capture:
    """Capture a job; job_id is as typed, perhaps only its beginning."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Help:
    """Explain the commands."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No command; suggestion is the nearest command's name, or empty."""

    word: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class MissingArgument:
    """A command without the word it needs."""

    command: str


@dataclass(frozen=True, slots=True)
class TooManyArguments:
    """A command with more words than it takes."""

    command: str
    extra: str


Command = Capture | Help | Unknown | MissingArgument | TooManyArguments


def parse(text: str) -> Command:
    """Read a message that has lost the mention of the bot; an empty one asks for help.

    NFKC turns full-width letters, slashes and spaces into plain ones.
    """
    words = unicodedata.normalize("NFKC", text).split()
    if words[:1] == ["/"]:
        words = ["/" + "".join(words[1:2]), *words[2:]]
    if not words:
        return Help()
    name = NAMES.get(words[0].removeprefix("/").lower())
    if name is None:
        return _unknown(words[0])
    return Help() if name == HELP else _capture(words[1:])


def _capture(words: list[str]) -> Command:
    ids = [word for word in (word.strip(_QUOTES) for word in words) if word]
    if not ids:
        return MissingArgument(CAPTURE)
    if len(ids) > 1:
        return TooManyArguments(CAPTURE, " ".join(ids[1:]))
    return Capture(ids[0])


def _unknown(word: str) -> Unknown:
    bare = re.sub(r"^/+", "", word).lower()
    near = [name for name in NAMES if bare and name.startswith(bare)]
    near = near or get_close_matches(bare, NAMES, n=1, cutoff=SIMILAR)
    return Unknown(word, NAMES[near[0]] if near else "")
