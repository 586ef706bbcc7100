"""What people do in the chats: write and press, and what they are told about it."""

import json
import re
from dataclasses import dataclass

from rankscope.errors import UnusableInput
from rankscope.model.text import Language
from rankscope.text import say as sentence
from sandbox.feishu import clicks
from sandbox.feishu.cardcheck import problems
from sandbox.feishu.content import known
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.envelopes import MENU, MESSAGE, menu_chosen, message_received
from sandbox.feishu.model import Chat, Mention, Message
from sandbox.feishu.pressing import Press, action, calls_back, find, link_of
from sandbox.feishu.world import Draft

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Something a person writes; in groups the bot hears it only when it is mentioned."""

    text: str
    user: str = ""
    mention_bot: bool = True
    parent_id: str = ""
    in_thread: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An item of the bot's menu that a person chooses."""

    event_key: str
    user: str = ""


def choose(emulator: Emulator, choice: Choice) -> str:
    """Tell the bot about an item of its menu, return the event's id; raises UnusableInput."""
    if choice.event_key not in emulator.options.menu:
        raise UnusableInput(f"The bot's menu has no item {choice.event_key!r}.")
    person = emulator.world.person(choice.user)
    event = menu_chosen(choice.event_key, person, emulator.clock.now_ms())
    return emulator.push(MENU, event).event_id


def say(emulator: Emulator, chat_id: str, saying: Saying) -> Message:
    """Post a person's message and tell the bot; raises NotFound or UnusableInput."""
    world = emulator.world
    chat, text = world.chat(chat_id), saying.text.strip()
    if not text:
        raise UnusableInput("The message is empty.")
    person = world.person(saying.user)
    if person.is_bot or person.open_id not in chat.members:
        raise UnusableInput(f"{person.name} is not in the chat {chat.name}.")
    mentions, content = _mention(emulator, chat, text, wanted=saying.mention_bot)
    message = world.post(
        Draft(
            chat_id=chat_id,
            sender=person,
            msg_type="text",
            content=json.dumps({"text": content}, ensure_ascii=False),
            mentions=mentions,
            parent=world.message(saying.parent_id) if saying.parent_id else None,
            in_thread=saying.in_thread,
        )
    )
    if chat.bot_inside and (mentions or chat.chat_type == "p2p"):
        emulator.push(MESSAGE, message_received(message, world))
    return message


def _mention(
    emulator: Emulator, chat: Chat, text: str, *, wanted: bool
) -> tuple[tuple[Mention, ...], str]:
    if chat.chat_type == "p2p":
        return (), text
    bot = emulator.world.bot
    typed = re.compile(rf"@{re.escape(bot.name)}(?!\w)")
    mention = Mention("@_user_1", bot.open_id)
    if typed.search(text):
        return (mention,), typed.sub(mention.key, text)
    return ((mention,), f"{mention.key} {text}") if wanted else ((), text)


async def press(emulator: Emulator, message_id: str, pressed: Press) -> Json:
    """Press a component of a card; raises NotFound or UnusableInput when that cannot be done."""
    message = emulator.world.message(message_id)
    if message.recalled:
        raise UnusableInput(sentence("emulator-click-recalled").en)
    person = emulator.world.person(pressed.user)
    place = find(json.loads(message.content), pressed.button)
    if place.node.get("disabled"):
        raise UnusableInput(sentence("emulator-click-disabled").en + ".")
    outcome = clicks.Outcome()
    if calls_back(place.node):
        outcome = await clicks.click(emulator, message, person, action(place, pressed))
    return {
        "toast": outcome.toast,
        "card": outcome.card,
        "error": _told(outcome.failure) if outcome.failure else None,
        "url": link_of(place.node),
    }


def _told(failure: clicks.Failure) -> Json:
    reason = sentence(f"emulator-click-{failure.code}")
    told = {
        language: sentence(
            "emulator-click-failed", code=failure.code, reason=reason.of(language)
        ).of(language)
        for language in ("zh", "en")
    }
    return {"code": failure.code, "detail": failure.detail, "text": told}


def subscription_status(emulator: Emulator, language: Language) -> Json:
    """Return whether the bot can be reached, for the page's status line."""
    state, detail = _state(emulator)
    text = sentence(f"emulator-subscription-{state}", detail=detail).of(language)
    return {"state": state, "detail": detail, "text": text}


def _state(emulator: Emulator) -> tuple[str, str]:
    if emulator.carrier.uses_long:
        state = _failing(emulator)
        return state or (("long", "") if emulator.connections.open else ("lost", ""))
    addresses = emulator.subscription.addresses.values()
    if not addresses:
        return "none", ""
    for address in addresses:
        if address.state != "verified":
            return "checking", f"{address.url} {address.detail}".strip()
    return _failing(emulator) or ("verified", "")


def _failing(emulator: Emulator) -> tuple[str, str] | None:
    for delivery in emulator.deliveries.all:
        if delivery.state == "retrying":
            return "failing", delivery.attempts[-1].outcome
    return None


def problems_of(emulator: Emulator, card: object) -> list[Json]:
    """Return everything that the platform would refuse in a card."""
    return [
        {"code": problem.code, "what": problem.what, "path": problem.path}
        for problem in problems(card, known(emulator.world))
    ]
