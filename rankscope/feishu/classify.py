"""Which error a refusal of Feishu is, and what to do about it.

Codes: the open platform's pages on sending messages, card callbacks and frequency control.
"""

from collections.abc import Mapping

from rankscope.errors import FeishuError
from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable, MessageGone

TOKEN_REFUSED = frozenset({99991661, 99991663})
NO_THREADS = frozenset({230071, 230072})

_TRANSIENT = frozenset({99991400, 230020, 230049})  # app's rate, chat's rate, being sent now
_CARD = frozenset({230099, 230025})
_GONE = frozenset({230011, 230031, 230110})
_LOCKED = "card action is lock"  # Somebody's click is being answered; the card can be sent later.
_RESET_HEADER = "x-ogw-ratelimit-reset"

_SCOPES = (
    "Grant the app its scopes (docs/feishu-setup.md, step 3), and publish a new version of it."
)
_CREDENTIALS = "Check RANKSCOPE_FEISHU_APP_ID and RANKSCOPE_FEISHU_APP_SECRET."
_NEXT_STEP = {
    10003: _CREDENTIALS,
    10014: _CREDENTIALS,
    10015: _CREDENTIALS,
    99991672: _SCOPES,
    230027: _SCOPES,
    230002: "Add the bot to the chat: group settings, bots, add.",
    230006: "Switch on the app's bot ability in the console, and publish a new version.",
    230013: "Widen the app's availability in the console, so that it covers the chat.",
    230018: "Let the bot speak: the group allows only some members to.",
    230035: "Let the bot speak: the group allows only some members to.",
    230022: "Feishu found sensitive words; remove them from the job's name or message.",
    230028: "The organisation's audit refused the text; remove phone numbers and e-mail addresses.",
    232009: "The chat was dissolved; set RANKSCOPE_FEISHU_CHAT_ID to another one.",
}


def failure(code: int | None, msg: str, status: int, headers: Mapping[str, str]) -> FeishuError:
    """Return the error of an answer that is no success."""
    what = f"Feishu answered {msg or 'nothing'} (code {code}, HTTP {status})."
    if status == 429 or status >= 500 or code is None or code in _TRANSIENT:
        return FeishuUnavailable(what, "It is tried again.", _reset_after(headers))
    if code in _CARD:
        return _card_failure(code, msg, what)
    if code in _GONE:
        return MessageGone(what, "A new message is sent instead.", code)
    next_step = _NEXT_STEP.get(code, "Look the code up in the open platform's documentation.")
    return FeishuRejected(what, next_step, code)


def _card_failure(code: int, msg: str, what: str) -> FeishuError:
    if _LOCKED in msg:
        return FeishuUnavailable(what, "It is tried again.", 1.0)
    return CardRejected(what, "A simpler card is sent instead.", code)


def _reset_after(headers: Mapping[str, str]) -> float | None:
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        return float(lower[_RESET_HEADER])
    except (KeyError, ValueError):
        return None
