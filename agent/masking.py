"""Hide secrets in command lines and variables before they leave the node."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from rankscope.redaction import MASK, hide_known_forms

__all__ = ["MASK", "mask", "mask_arguments"]

_ARGUMENT_LIMIT = 512
_ARGUMENTS_LIMIT = 128
READ_LIMIT = 4096
_TELLING = (
    r"[\w.-]{0,64}(?:token|passw(?:or)?d|passwd|passphrase|secret|credential|apikey|[_-]key"
    r"|authorization|bearer|signature|\b(?:pwd|pass|creds?|auth|sig)\b)[\w.-]{0,64}"
)
_NAME = re.compile(rf"^-{{0,2}}{_TELLING}$", re.IGNORECASE)
# A value may begin with dashes too; an option is a dash or two and a plain word.
_OPTION = re.compile(r"^--[A-Za-z][A-Za-z-]*(?:=.*)?$")
_BARE_KEY = re.compile(r"^-{0,2}key$", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    rf"(?P<head>(?:^|[\s&?;,{{'\"-])(?:{_TELLING}|key)['\"]?\s*[=:]\s*)(?P<value>[^\s&;,'\"]+|['\"][^'\"]*['\"])",
    re.IGNORECASE,
)
# What follows is the secret, scheme word and all: `Authorization: Bearer x`.
_AUTHORIZATION = re.compile(
    r"(?P<head>authorization['\"]?\s{0,8}[=:]\s{0,8}|\b(?:bearer|basic)\s{1,8}(?=\S{8})).+",
    re.IGNORECASE | re.DOTALL,
)
# Options that look like secrets and are not: a tokenizer is a path, max_tokens a number.
_HARMLESS = re.compile(r"tokeniz|tokens\b|token[_-]?(?:len|num|count|per|drop|type)", re.IGNORECASE)


@lru_cache(maxsize=1024)
def mask(text: str) -> str:
    """Return a text with everything that looks like a secret replaced by `***`.

    Remembers what it saw last: the processes of a job share most of their variables and arguments.
    """
    text = _AUTHORIZATION.sub(rf"\g<head>{MASK}", hide_known_forms(text))
    return _ASSIGNMENT.sub(_hide_value, text)


def _hide_value(match: re.Match[str]) -> str:
    return match[0] if _is_harmless(match["head"]) else f"{match['head']}{MASK}"


def _is_harmless(name: str) -> bool:
    """Whether a name only looks telling; a secret's name beside it still counts."""
    rest, found = _HARMLESS.subn("", name)
    return bool(found) and not re.search(_TELLING, rest, re.IGNORECASE)


def mask_arguments(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return a command line without secrets, cut to 128 arguments of 512 characters.

    Covers `--token=x`, `--token x`, `key=x`, credentials in URLs and tokens of known forms.
    """
    return tuple(_masked(islice(arguments, _ARGUMENTS_LIMIT)))


def _masked(arguments: Iterable[str]) -> Iterator[str]:
    hide_next = False
    for argument in arguments:
        yield (
            MASK
            if hide_next and not _is_option(argument)
            else mask(argument[:READ_LIMIT])[:_ARGUMENT_LIMIT]
        )
        hide_next = _is_secret_option(argument[:READ_LIMIT])


def _is_secret_option(argument: str) -> bool:
    named = argument.startswith("-") and (_NAME.match(argument) or _BARE_KEY.match(argument))
    return bool(named) and not _is_harmless(argument)


def _is_option(argument: str) -> bool:
    return bool(_OPTION.match(argument))
