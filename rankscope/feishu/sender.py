"""FeishuApi through lark-oapi: every failure is classified, and short trouble is waited out.

A call is repeated only where a repetition is harmless: messages carry a uuid, an update of a card
says the same again, an upload that is not used is forgotten. Longer trouble is the outbox's.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from rankscope.feishu.answer import Answer, code_of, field_of
from rankscope.feishu.api import Content
from rankscope.feishu.classify import NO_THREADS, TOKEN_REFUSED, failure
from rankscope.feishu.errors import FeishuRejected, FeishuUnavailable
from rankscope.settings import Settings

TIMEOUT_S = 10.0
ATTEMPTS = 3
LONGEST_WAIT_S = 3.0

Call = Callable[[], Answer]

# requests' exceptions are OSErrors. An error page instead of JSON is a ValueError; JSON that is no
# object makes the SDK stumble over an AttributeError.
_NOT_AS_AGREED = (OSError, ValueError, AttributeError, msgspec.DecodeError)


@dataclass(frozen=True, slots=True)
class BotInfo:
    """Who the bot is in Feishu."""

    open_id: str
    app_name: str = ""


@dataclass(frozen=True, slots=True)
class _BotAnswer:
    bot: BotInfo
    code: int = 0


@dataclass(frozen=True, slots=True)
class _User:
    name: str = ""


@dataclass(frozen=True, slots=True)
class _UserData:
    user: _User = field(default_factory=_User)


@dataclass(frozen=True, slots=True)
class _UserAnswer:
    data: _UserData = field(default_factory=_UserData)


class LarkSender:
    """Sends as the app of the settings; make one per process, since the SDK's token cache is."""

    def __init__(self, settings: Settings, pause: Callable[[float], None] = time.sleep) -> None:
        from rankscope.feishu import sdk  # noqa: PLC0415 - takes seconds to import

        secret = settings.feishu_app_secret.get_secret_value()
        self._errors = sdk
        self._sdk = sdk.Sdk(settings.feishu_app_id, secret, settings.feishu_domain, TIMEOUT_S)
        self._retrying = Retrying(
            retry=retry_if_exception(_worth_waiting),
            stop=stop_after_attempt(ATTEMPTS),
            wait=_wait_s,
            sleep=pause,
            reraise=True,
        )

    def create(self, chat_id: str, msg_type: str, content: Content, uuid: str) -> str:
        """Send to a chat, or to a person by open_id; return the message id.

        One uuid sends once an hour.
        """
        answer = self._safe(lambda: self._sdk.create(chat_id, msg_type, content, uuid))
        return field_of(answer, "message_id")

    def reply(
        self, message_id: str, msg_type: str, content: Content, uuid: str, *, in_thread: bool
    ) -> str:
        """Reply to a message and return the reply's id; outside a thread where there is none."""
        reply = partial(self._sdk.reply, message_id, msg_type, content, uuid)
        try:
            answer = self._safe(partial(reply, in_thread=in_thread))
        except FeishuRejected as error:
            if not (in_thread and error.code in NO_THREADS):
                raise
            answer = self._safe(partial(reply, in_thread=False))
        return field_of(answer, "message_id")

    def patch(self, message_id: str, content: Content) -> None:
        """Replace the content of a card we sent."""
        self._safe(lambda: self._sdk.patch(message_id, content))

    def react(self, message_id: str, emoji: str) -> None:
        """Put a reaction under a message; tried once, since a second one would be seen."""
        self._authorised(lambda: self._sdk.react(message_id, emoji))

    def buzz(self, message_id: str, open_ids: Sequence[str]) -> list[str]:
        """Make people look at a message of ours at once; return those whom Feishu does not know.

        Needs the scope im:message.urgent.
        """
        answer = self._safe(lambda: self._sdk.buzz(message_id, list(open_ids)))
        return list(getattr(answer.data, "invalid_user_id_list", None) or [])

    def upload_image(self, image: bytes) -> str:
        """Upload a picture of at most 10 MB and return its image_key."""
        return field_of(self._safe(lambda: self._sdk.upload_image(image)), "image_key")

    def upload_file(self, name: str, data: bytes) -> str:
        """Upload a file of at most 30 MB and return its file_key."""
        return field_of(self._safe(lambda: self._sdk.upload_file(name, data)), "file_key")

    def user_name(self, open_id: str) -> str:
        """Return a person's name; Feishu refuses it without the permission to read contacts."""
        answer = self._safe(lambda: self._sdk.user(open_id))
        try:
            return msgspec.json.decode(answer.raw.content, type=_UserAnswer).data.user.name
        except msgspec.DecodeError as error:
            raise FeishuUnavailable(f"Feishu's user info cannot be read: {error}.") from None

    def bot_info(self) -> BotInfo:
        """Ask Feishu who the bot is; fails when the credentials are wrong."""
        answer = self._safe(self._sdk.bot_info)
        try:
            return msgspec.json.decode(answer.raw.content, type=_BotAnswer).bot
        except msgspec.DecodeError as error:
            raise FeishuUnavailable(f"Feishu's bot info cannot be read: {error}.") from None

    def _safe(self, call: Call) -> Answer:
        return self._retrying(self._authorised, call)

    def _authorised(self, call: Call) -> Answer:
        """Call once; a second time with a new token when Feishu refuses the one we have."""
        try:
            return self._once(call)
        except FeishuRejected as error:
            if error.code not in TOKEN_REFUSED:
                raise
        self._sdk.forget_token()
        return self._once(call)

    def _once(self, call: Call) -> Answer:
        try:
            answer = call()
            code = code_of(answer)
        except self._errors.ObtainAccessTokenException as error:
            raise failure(error.code, error.msg, 200, {}) from None
        except self._errors.NoAuthorizationException:
            raise FeishuRejected(
                "There are no Feishu credentials.",
                "Set RANKSCOPE_FEISHU_APP_ID and RANKSCOPE_FEISHU_APP_SECRET.",
            ) from None
        except (*_NOT_AS_AGREED, self._errors.UnmarshalException) as error:
            raise FeishuUnavailable(
                f"Feishu did not answer as agreed: {type(error).__name__}.",
                "It is tried again; check the network and RANKSCOPE_FEISHU_DOMAIN.",
            ) from error
        if code != 0 or answer.raw.status_code >= 400:
            raise failure(code, answer.msg or "", answer.raw.status_code, answer.raw.headers)
        return answer


def _worth_waiting(error: BaseException) -> bool:
    return isinstance(error, FeishuUnavailable) and (error.retry_after_s or 0) <= LONGEST_WAIT_S


def _wait_s(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after_s if isinstance(error, FeishuUnavailable) else None
    return asked if asked is not None else 0.25 * 2**state.attempt_number
