"""What the platform takes as the content of a message, by type."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sandbox.feishu.cardcheck import MOST_BYTES, Known, problems
from sandbox.feishu.codes import ApiError
from sandbox.feishu.model import Mention
from sandbox.feishu.soundness import is_sound
from sandbox.feishu.world import World

MOST_TEXT_BYTES: Final = 150 * 1024
POST_TAGS: Final = frozenset(
    {"text", "a", "at", "img", "media", "emotion", "hr", "code_block", "md"}
)
_AT = re.compile(r"<at\s+user_id\s*=\s*[\"']?([\w-]+)[\"']?\s*>([^<]*)</at>", re.ASCII)

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Accepted:
    """The content as it is stored, and whom it mentions."""

    content: str
    mentions: tuple[Mention, ...] = ()


def known(world: World) -> Known:
    """Return what a card may refer to."""
    return Known(frozenset(world.people), frozenset(world.uploads.images))


def accept(msg_type: str, content: object, world: World) -> Accepted:
    """Check the content of a message to be sent; raises ApiError."""
    if not isinstance(content, str) or not content or not is_sound(content):
        raise ApiError(230001, "content must be a JSON string")
    check = _CHECKS.get(msg_type)
    if check is None:
        raise ApiError(230001, f"invalid msg_type {msg_type!r}")
    most = MOST_TEXT_BYTES if msg_type == "text" else MOST_BYTES
    if len(content.encode()) > most:
        raise ApiError(230025)
    return check(_parsed(content, msg_type), content, world)


def _parsed(content: str, msg_type: str) -> Json:
    try:
        value = json.loads(content)
    except (json.JSONDecodeError, RecursionError) as error:
        if msg_type == "interactive":
            raise card_refused(200621, "parse card json err", "") from error
        raise ApiError(230001, "content is not a string in json format") from error
    if not isinstance(value, dict) or not is_sound(value):
        raise ApiError(230001, "content must hold a JSON object")
    return value


def _text(value: Json, content: str, world: World) -> Accepted:
    del content
    if not isinstance(value.get("text"), str) or not value["text"]:
        raise ApiError(230001, "text is required")
    return mention(str(value["text"]), world)


def mention(text: str, world: World) -> Accepted:
    """Turn at-tags of known people into placeholders, as the platform stores a text."""
    mentions: list[Mention] = []

    def placeholder(found: re.Match[str]) -> str:
        if found[1] == "all":
            return "@_all"
        if found[1] not in world.people:
            return found[2]
        mentions.append(Mention(f"@_user_{len(mentions) + 1}", found[1]))
        return mentions[-1].key

    stored = _AT.sub(placeholder, text)
    return Accepted(json.dumps({"text": stored}, ensure_ascii=False), tuple(mentions))


def _post(value: Json, content: str, world: World) -> Accepted:
    del world
    if not value or not all(isinstance(part, dict) for part in value.values()):
        raise ApiError(230001, "post must have a language such as zh_cn")
    for language, part in value.items():
        lines = part.get("content") if isinstance(part, dict) else None
        if not isinstance(lines, list) or not all(isinstance(line, list) for line in lines):
            raise ApiError(230001, f"{language}.content must be a list of lines")
        for node in (node for line in lines for node in line):
            if not isinstance(node, dict) or node.get("tag") not in POST_TAGS:
                raise ApiError(230001, f"invalid post node {node!r:.60}")
    return Accepted(content)


def _uploaded(key: str, kind: str) -> "Callable[[Json, str, World], Accepted]":
    def check(value: Json, content: str, world: World) -> Accepted:
        have: Mapping[str, object] = (
            world.uploads.images if kind == "images" else world.uploads.files
        )
        if not isinstance(value.get(key), str):
            raise ApiError(230001, f"{key} is required")
        if value[key] not in have:
            raise ApiError(230017, f"{key} was not uploaded by this bot")
        return Accepted(content)

    return check


def _shared(key: str) -> "Callable[[Json, str, World], Accepted]":
    def check(value: Json, content: str, world: World) -> Accepted:
        if value.get(key) not in (world.chats.keys() | world.people.keys()):
            raise ApiError(230001, f"{key} is not valid")
        return Accepted(content)

    return check


def _card(value: Json, content: str, world: World) -> Accepted:
    kind = value.get("type")
    if kind == "template":
        raise card_refused(200380, "template does not exist", "")
    if kind == "card":
        raise card_refused(200740, "the card entity does not exist", "")
    check_card(value, world)
    return Accepted(content)


def check_card(card: object, world: World) -> None:
    """Check a card; raises ApiError 230099 for its first problem."""
    for problem in problems(card, known(world)):
        raise card_refused(problem.code, problem.what, problem.path)


def card_refused(code: int, what: str, path: str) -> ApiError:
    """Return code 230099 with the sub-code in the platform's form."""
    value = f"; ErrorValue: path: [{path}]" if path else ""
    what = f"parse card json err, {what}" if code == 200621 else what
    return ApiError(230099, f"ErrCode: {code}; ErrMsg: {what}{value}; code:230099")


_CHECKS: Final[Mapping[str, Callable[[Json, str, World], Accepted]]] = {
    "text": _text,
    "post": _post,
    "image": _uploaded("image_key", "images"),
    "file": _uploaded("file_key", "files"),
    "audio": _uploaded("file_key", "files"),
    "media": _uploaded("file_key", "files"),
    "interactive": _card,
    "share_chat": _shared("chat_id"),
    "share_user": _shared("user_id"),
}
