"""Every sentence people read, from one catalogue: rankscope/locales/{zh,en}/*.ftl (Project Fluent).

Message ids are the same in both languages. Parameters are put in as they are: whoever renders for a
card or a page escapes there.
"""

from functools import cache
from pathlib import Path
from threading import Lock
from typing import get_args

from fluent.runtime import FluentBundle, FluentResource

from rankscope.model.text import Language, Text

LOCALES = Path(__file__).parent / "locales"
_loading = Lock()


def load_catalogue() -> None:
    """Read the catalogue now, which takes a second on a busy machine, and not at a first click."""
    for language in get_args(Language):
        _bundle(language)


def _bundle(language: Language) -> FluentBundle:
    # Under a lock: threads that begin at once would each read the whole catalogue.
    with _loading:
        return _read_bundle(language)


@cache
def _read_bundle(language: Language) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    for path in sorted((LOCALES / language).glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text(encoding="utf-8")))
    return bundle


LONGEST = 2400
"""The library refuses a parameter of more than 2500 characters; a long path must fail no card."""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def say(message_id: str, **parameters: object) -> Text:
    """Return a catalogue sentence in both languages; raises LookupError for an unknown id."""
    return Text(*(_format(language, message_id, parameters) for language in ("zh", "en")))


def _format(language: Language, message_id: str, parameters: dict[str, object]) -> str:
    bundle = _bundle(language)
    pattern = bundle.get_message(message_id).value
    # Numbers go in as text, so that rank 1024 does not become "1,024".
    plain = {name: _short(str(value)) for name, value in parameters.items()}
    formatted, errors = bundle.format_pattern(pattern, plain)
    if errors:
        raise LookupError(f"{language}/{message_id}: {errors}")
    return str(formatted)
