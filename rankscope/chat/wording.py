"""Building blocks of what the bot says: foreign text made harmless, and sentences put together."""

from collections.abc import Iterable, Sequence

from rankscope.local_time import shown
from rankscope.model.text import Text
from rankscope.text import say

SHOWN_NAMES = 10
SHOWN_LETTERS = 300

_WIDE = str.maketrans({"<": "＜", ">": "＞", "@": "＠"})


def plain(words: str, limit: int = SHOWN_LETTERS) -> str:
    """Return foreign text on one line, short, and without the tags Feishu would act upon."""
    line = " ".join(words.split()).translate(_WIDE)
    return line if len(line) <= limit else f"{line[:limit]}…"


def same(words: object) -> Text:
    """Return words that are the same in both languages."""
    return Text(str(words), str(words))


def plain_text(text: Text, limit: int = SHOWN_LETTERS) -> Text:
    """Return foreign text of both languages made harmless."""
    return Text(plain(text.zh, limit), plain(text.en, limit))


def told(message_id: str, **parameters: Text) -> Text:
    """Say a sentence whose parameters are themselves in both languages."""
    zh = {name: text.zh for name, text in parameters.items()}
    en = {name: text.en for name, text in parameters.items()}
    return Text(say(message_id, **zh).zh, say(message_id, **en).en)


def listed(names: Sequence[str]) -> Text:
    """Return a list of foreign names, cut after ten and then counted."""
    shown = [plain(name, 130) for name in names[:SHOWN_NAMES]]
    separator = say("chat-separator")
    joined = Text(separator.zh.join(shown), separator.en.join(shown))
    if len(names) <= SHOWN_NAMES:
        return joined
    return told("chat-list-more", names=joined, count=same(len(names)))


def lines(texts: Iterable[Text]) -> Text:
    """Return texts below each other."""
    every = list(texts)
    return Text("\n".join(line.zh for line in every), "\n".join(line.en for line in every))


def at_time(seconds: float) -> str:
    """Return a moment as `MM-DD HH:MM (zone)`."""
    return shown(seconds, "%m-%d %H:%M")
