"""Hide secrets in command lines and variables before they leave the node."""

import re
from collections.abc import Iterable, Iterator

MASK = "***"
_ARGUMENT_LIMIT = 512
_ARGUMENTS_LIMIT = 128
_TELLING = (
    r"[\w.-]*(?:token|passw(?:or)?d|passwd|passphrase|secret|credential|apikey|[_-]key"
    r"|authorization|bearer)[\w.-]*"
)
_NAME = re.compile(rf"^-{{0,2}}{_TELLING}$", re.IGNORECASE)
_BARE_KEY = re.compile(r"^-{0,2}key$", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    rf"(?P<head>(?:^|[\s&?;,{{'\"-])(?:{_TELLING}|key)['\"]?\s*[=:]\s*)(?P<value>[^\s&;,'\"]+|['\"][^'\"]*['\"])",
    re.IGNORECASE,
)
_URL = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
# Forms their issuers document: AWS key ids, Hugging Face, GitHub, GitLab, Slack, OpenAI-like, JWT.
_TOKEN = re.compile(
    r"\b(?:A[KS]IA[0-9A-Z]{16}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
# Options that look like secrets and are not: a tokenizer is a path, max_tokens a number.
_HARMLESS = re.compile(r"tokeniz|tokens\b|token[_-]?(?:len|num|count|per|drop|type)", re.IGNORECASE)


def mask(text: str) -> str:
    """Return a text with everything that looks like a secret replaced by `***`."""
    text = _URL.sub(rf"\g<head>{MASK}@", text)
    text = _TOKEN.sub(MASK, text)
    return _ASSIGNMENT.sub(_hide_value, text)


def _hide_value(match: re.Match[str]) -> str:
    return match[0] if _HARMLESS.search(match["head"]) else f"{match['head']}{MASK}"


def mask_arguments(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return a command line without secrets, cut to 128 arguments of 512 characters.

    Covers `--token=x`, `--token x`, `key=x`, credentials in URLs and tokens of known forms.
    """
    return tuple(_masked(arguments))[:_ARGUMENTS_LIMIT]


def _masked(arguments: Iterable[str]) -> Iterator[str]:
    hide_next = False
    for argument in arguments:
        yield (
            MASK
            if hide_next and not argument.startswith("--")
            else mask(argument)[:_ARGUMENT_LIMIT]
        )
        hide_next = _is_secret_option(argument)


def _is_secret_option(argument: str) -> bool:
    named = argument.startswith("-") and (_NAME.match(argument) or _BARE_KEY.match(argument))
    return bool(named) and not _HARMLESS.search(argument)
