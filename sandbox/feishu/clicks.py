"""A click: one synchronous callback to the bot, and what the client shows afterwards.

Source: card callback communication: status 200 within 3 s, no retry; the codes are those that the
client shows to the person (2003xx the request, 20067x the answer, 200830 a card of JSON 1.0).
"""

import json
import socket
from dataclasses import dataclass
from typing import Final

import httpx

from sandbox.feishu.cardcheck import MOST_BYTES, problems
from sandbox.feishu.connections import NotConnected
from sandbox.feishu.content import known
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.envelopes import CLICK, card_clicked, envelope
from sandbox.feishu.model import Message, Person
from sandbox.feishu.soundness import is_sound

Json = dict[str, object]
NOT_CONFIGURED: Final = 200340
TIMED_OUT: Final = 200341
NO_CONNECTION: Final = 200342
NO_SUCH_HOST: Final = 200343
NOT_OK: Final = 200671
BAD_BODY: Final = 200672
BAD_CARD: Final = 200673
DOWNGRADE: Final = 200830
TOASTS: Final = frozenset({"info", "success", "error", "warning"})


@dataclass(frozen=True, slots=True)
class Failure(Exception):
    """Why a click failed: the client's code and a detail for whoever builds the bot."""

    code: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the person sees after a click."""

    toast: Json | None = None
    card: Json | None = None
    failure: Failure | None = None


async def click(emulator: Emulator, message: Message, person: Person, action: Json) -> Outcome:
    """Tell the bot about a click and apply its answer."""
    token = emulator.card_tokens.issue(message.message_id)
    body = card_clicked(message, person, action, token)
    event = envelope(emulator.options, emulator.clock, CLICK, body)
    message.open_clicks += 1
    try:
        answer = await _answer(emulator, event.payload)
        return _apply(emulator, message, answer)
    except Failure as failure:
        return Outcome(failure=failure)
    finally:
        message.open_clicks -= 1


async def _answer(emulator: Emulator, payload: Json) -> Json:
    url = emulator.subscription.click_url
    if not (url or emulator.carrier.uses_long):
        raise Failure(NOT_CONFIGURED, "Set --event-url, or POST /emulator/api/subscription.")
    try:
        answer = await emulator.carrier.carry(payload, url)
    except (TimeoutError, httpx.TimeoutException) as error:
        raise Failure(TIMED_OUT, "no answer within 3 s") from error
    except httpx.ConnectError as error:
        unknown = isinstance(_root(error), socket.gaierror)
        raise Failure(NO_SUCH_HOST if unknown else NO_CONNECTION, str(error)) from error
    except (httpx.HTTPError, NotConnected) as error:
        raise Failure(NO_CONNECTION, str(error) or type(error).__name__) from error
    emulator.click_times_ms.append(answer.took_ms)
    if answer.status != 200:
        raise Failure(NOT_OK, f"HTTP {answer.status}")
    return _object(answer.body)


def _root(error: BaseException) -> BaseException:
    cause = error.__cause__ or error.__context__
    return _root(cause) if cause else error


def _object(body: bytes) -> Json:
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise Failure(BAD_BODY, "the answer is not JSON") from error
    if not isinstance(value, dict) or not is_sound(value):
        raise Failure(BAD_BODY, "the answer is not a JSON object")
    return value


def _apply(emulator: Emulator, message: Message, answer: Json) -> Outcome:
    toast, card = _toast(answer.get("toast")), answer.get("card")
    if card is None:
        return Outcome(toast=toast)
    data = _card(emulator, card)
    message.replace(json.dumps(data, ensure_ascii=False), emulator.clock.now_ms())
    emulator.world.changed(message)
    return Outcome(toast=toast, card=data)


def _toast(value: object) -> Json | None:
    if value is None:
        return None
    if not isinstance(value, dict) or value.get("type", "info") not in TOASTS:
        raise Failure(BAD_BODY, "toast must be an object of type info, success, error or warning")
    return value


def _card(emulator: Emulator, value: object) -> Json:
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(value, dict) or value.get("type") != "raw" or not isinstance(data, dict):
        raise Failure(BAD_CARD, 'card must be {"type": "raw", "data": {…}}')
    if "schema" not in data:
        raise Failure(DOWNGRADE, "the card has no schema, so it is JSON 1.0")
    found = next(problems(data, known(emulator.world)), None)
    if found is not None:
        raise Failure(BAD_CARD, f"{found.code}: {found.what} ({found.path})")
    if len(json.dumps(data, ensure_ascii=False).encode()) > MOST_BYTES:
        raise Failure(BAD_CARD, "the card is larger than 30 KB")
    return data
