"""Reads what people type, in whatever way they happen to write it."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

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
    ShowErrors,
    ShowNccl,
    ShowReport,
    ShowStack,
    ShowStatus,
    Silence,
    Subscribe,
    TooManyArguments,
    Unknown,
)
from rankscope.chat.durations import DEFAULT, is_off, parse_duration
from rankscope.model.text import Language

SIMILAR = 0.6  # difflib's own default; `captrue` and `hlep` are nearer, `hello` is nearer to help.
MOST_SAMPLES = 5
MOST_NATIVE = 16
"""As many as an agent takes (docs/agent.md): native frames stop a process for up to seconds."""

_QUOTES = "`'\"“”‘’「」<>,，。;；"
_OPTION = re.compile(r"(?:--|[—–]{1,2}-?)(?P<name>[a-z]+)(?:=(?P<value>.*))?", re.IGNORECASE)
_PATTERN = re.compile(r"[\w.:*?-]{1,128}")
_LANGUAGES: dict[str, Language] = {
    "zh": "zh",
    "cn": "zh",
    "中文": "zh",
    "chinese": "zh",
    "en": "en",
    "英文": "en",
    "english": "en",
}


@dataclass(frozen=True, slots=True)
class _Words:
    """The words after a command: plain ones, and options with their values."""

    command: str
    plain: list[str]
    options: dict[str, str]

    def too_many(self, most: int) -> Command | None:
        """Return what is wrong when there are more plain words than wanted, or an option."""
        for name in self.options:
            return BadArgument(self.command, f"--{name}")
        extra = " ".join(self.plain[most:])
        return TooManyArguments(self.command, extra) if extra else None


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
    return _READERS[name](_sorted_out(name, words[1:]))


def _sorted_out(command: str, words: Sequence[str]) -> _Words:
    """Tell plain words from options; an option takes the next word as its value."""
    plain: list[str] = []
    options: dict[str, str] = {}
    waiting = ""
    for word in words:
        found = _OPTION.fullmatch(word)
        if found:
            waiting = "" if found["value"] is not None else found["name"].lower()
            options[found["name"].lower()] = found["value"] or ""
        elif waiting:
            options[waiting], waiting = word, ""
        elif bare := word.strip(_QUOTES):
            plain.append(bare)
    return _Words(command, plain, options)


def _help(_: _Words) -> Command:
    return Help()


def _without_words(command: Command) -> Callable[[_Words], Command]:
    return lambda words: words.too_many(0) or command


def _with_job(make: Callable[[str], Command]) -> Callable[[_Words], Command]:
    def read(words: _Words) -> Command:
        if not words.plain:
            return MissingArgument(words.command)
        return words.too_many(1) or make(words.plain[0])

    return read


def _capture(words: _Words) -> Command:
    options = dict(words.options)
    samples, native = options.pop("samples", "0"), options.pop("native", "")
    if not (samples.isdecimal() and int(samples) <= MOST_SAMPLES):
        return BadArgument(words.command, f"--samples {samples}")
    ranks = [part for part in re.split(r"[,，、]", native) if part]
    if len(ranks) > MOST_NATIVE or not all(re.fullmatch(r"\d{1,7}", rank) for rank in ranks):
        return BadArgument(words.command, f"--native {native}")
    if not words.plain:
        return MissingArgument(words.command)
    wrong = _Words(words.command, words.plain, options).too_many(1)
    return wrong or Capture(words.plain[0], int(samples), tuple(int(rank) for rank in ranks))


def _compare(words: _Words) -> Command:
    if len(words.plain) in {0, 2}:
        return MissingArgument(words.command, is_job=not words.plain)
    return words.too_many(3) or Compare(words.plain[0], tuple(words.plain[1:]))


def _stack(words: _Words) -> Command:
    if len(words.plain) < 2:
        return MissingArgument(words.command, is_job=not words.plain)
    place = " ".join(words.plain[1:])
    return words.too_many(3) or ShowStack(words.plain[0], place)


def _silence(words: _Words) -> Command:
    if not words.plain:
        return MissingArgument(words.command)
    job_id, *rest = words.plain
    wanted = "".join(rest) or DEFAULT
    try:
        return words.too_many(3) or Silence(job_id, parse_duration(wanted))
    except ValueError:
        return BadArgument(words.command, wanted)


def _subscribe(words: _Words) -> Command:
    pattern, *rest = words.plain or [""]
    if not rest and is_off(pattern):
        return words.too_many(1) or Subscribe(is_off=True)
    if pattern and not _PATTERN.fullmatch(pattern):
        return BadArgument(words.command, pattern)
    if rest and not is_off(rest[0]):
        return TooManyArguments(words.command, " ".join(rest))
    return words.too_many(2) or Subscribe(pattern, is_off=bool(rest))


def _language(words: _Words) -> Command:
    if not words.plain:
        return MissingArgument(words.command, is_job=False)
    language = _LANGUAGES.get(words.plain[0].lower())
    if language is None:
        return BadArgument(words.command, words.plain[0])
    return words.too_many(1) or ChooseLanguage(language)


_READERS: dict[str, Callable[[_Words], Command]] = {
    "capture": _capture,
    "compare": _compare,
    "report": _with_job(ShowReport),
    "stack": _stack,
    "nccl": _with_job(ShowNccl),
    "errors": _with_job(ShowErrors),
    "jobs": _without_words(ListJobs()),
    "status": _without_words(ShowStatus()),
    "silence": _silence,
    "subscribe": _subscribe,
    "audit": _with_job(ShowAudit),
    "lang": _language,
    "help": _help,
}
COMMANDS = tuple(_READERS)
"""The commands in the order in which /help explains them."""
NAMES = {name: name for name in COMMANDS} | {
    "采集": "capture",
    "对比": "compare",
    "报告": "report",
    "堆栈": "stack",
    "错误": "errors",
    "报错": "errors",
    "任务列表": "jobs",
    "状态": "status",
    "静默": "silence",
    "订阅": "subscribe",
    "记录": "audit",
    "语言": "lang",
    "帮助": "help",
}


def _unknown(word: str) -> Unknown:
    bare = re.sub(r"^/+", "", word).lower()
    near = [name for name in NAMES if bare and name.startswith(bare)]
    near = near or get_close_matches(bare, NAMES, n=1, cutoff=SIMILAR)
    return Unknown(word, NAMES[near[0]] if near else "")
