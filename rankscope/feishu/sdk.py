"""lark-oapi, tamed: one client, and a fresh request object for every attempt.

The SDK changes the requests it is given, refuses http outside the loopback, prints through a
handler of its own, neither repeats a call nor renews a refused token. What is done about it is here
and in rankscope.feishu.sender. Importing this module imports the whole SDK, which takes seconds:
import it only where messages are sent.
"""

import atexit
import io
import json
import logging
from urllib.parse import quote

import lark_oapi as lark
from lark_oapi.api.im.v1 import (
    CreateFileRequest,
    CreateFileRequestBody,
    CreateImageRequest,
    CreateImageRequestBody,
    CreateMessageReactionRequest,
    CreateMessageReactionRequestBody,
    CreateMessageRequest,
    CreateMessageRequestBody,
    Emoji,
    PatchMessageRequest,
    PatchMessageRequestBody,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
    UrgentAppMessageRequest,
    UrgentReceivers,
)
from lark_oapi.core.cache import LocalCache
from lark_oapi.core.exception import (
    NoAuthorizationException,
    ObtainAccessTokenException,
    UnmarshalException,
)
from lark_oapi.core.token import TokenManager
from lark_oapi.ws import client as websocket

from rankscope.feishu.answer import Answer
from rankscope.feishu.api import Content

__all__ = ["NoAuthorizationException", "ObtainAccessTokenException", "Sdk", "UnmarshalException"]

BOT_INFO = "/open-apis/bot/v3/info"
USERS = "/open-apis/contact/v3/users"

# The SDK's websocket module makes an event loop when it is imported, and never closes it.
atexit.register(websocket.loop.close)


class Sdk:
    """Each method makes one HTTP call (two when a token is needed) and returns the SDK's answer."""

    def __init__(self, app_id: str, app_secret: str, domain: str, timeout_s: float) -> None:
        builder = lark.Client.builder().app_id(app_id).app_secret(app_secret).timeout(timeout_s)
        # A cache of our own: the SDK's is shared by all domains of the process.
        self._client = builder.cache(LocalCache()).build()
        # Set afterwards, since the builder refuses http on other hosts than the loopback.
        self._client.config.domain = domain.rstrip("/")
        self._app_id = app_id
        # Its own handler would print every line a second time, and to stdout.
        logging.getLogger("Lark").handlers.clear()

    def forget_token(self) -> None:
        """Make the next call fetch a new tenant token."""
        TokenManager.cache.set(f"self_tenant_token:{self._app_id}", "", 0)

    def create(self, chat_id: str, msg_type: str, content: Content, uuid: str) -> Answer:
        """Send a message to a chat, or to a person by open_id."""
        body = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type(msg_type)
        body = body.content(_json(content)).uuid(uuid).build()
        request = (
            CreateMessageRequest.builder().receive_id_type(_kind_of(chat_id)).request_body(body)
        )
        answer: Answer = self._client.im.v1.message.create(request.build())
        return answer

    def reply(
        self, message_id: str, msg_type: str, content: Content, uuid: str, *, in_thread: bool
    ) -> Answer:
        """Reply to a message."""
        body = ReplyMessageRequestBody.builder().msg_type(msg_type).content(_json(content))
        body = body.uuid(uuid).reply_in_thread(in_thread).build()
        request = ReplyMessageRequest.builder().message_id(message_id).request_body(body)
        answer: Answer = self._client.im.v1.message.reply(request.build())
        return answer

    def patch(self, message_id: str, content: Content) -> Answer:
        """Replace a card."""
        body = PatchMessageRequestBody.builder().content(_json(content)).build()
        request = PatchMessageRequest.builder().message_id(message_id).request_body(body)
        answer: Answer = self._client.im.v1.message.patch(request.build())
        return answer

    def react(self, message_id: str, emoji: str) -> Answer:
        """Put a reaction under a message."""
        reaction = Emoji.builder().emoji_type(emoji).build()
        body = CreateMessageReactionRequestBody.builder().reaction_type(reaction).build()
        request = CreateMessageReactionRequest.builder().message_id(message_id).request_body(body)
        answer: Answer = self._client.im.v1.message_reaction.create(request.build())
        return answer

    def buzz(self, message_id: str, open_ids: list[str]) -> Answer:
        """Make people look at a message."""
        body = UrgentReceivers.builder().user_id_list(open_ids).build()
        request = UrgentAppMessageRequest.builder().message_id(message_id)
        request = request.user_id_type("open_id").request_body(body)
        answer: Answer = self._client.im.v1.message.urgent_app(request.build())
        return answer

    def upload_image(self, image: bytes) -> Answer:
        """Upload an image to be shown in a message."""
        body = CreateImageRequestBody.builder().image_type("message")
        body = body.image(_part(image)).build()
        answer: Answer = self._client.im.v1.image.create(
            CreateImageRequest.builder().request_body(body).build()
        )
        return answer

    def upload_file(self, name: str, data: bytes) -> Answer:
        """Upload a file to be sent as a message."""
        body = CreateFileRequestBody.builder().file_type("stream").file_name(name)
        body = body.file(_part(data)).build()
        answer: Answer = self._client.im.v1.file.create(
            CreateFileRequest.builder().request_body(body).build()
        )
        return answer

    def user(self, open_id: str) -> Answer:
        """Ask who a person is; the answer's `raw.content` has it."""
        uri = f"{USERS}/{quote(open_id, safe='')}?user_id_type=open_id"
        request = lark.BaseRequest.builder().http_method(lark.HttpMethod.GET).uri(uri)
        answer: Answer = self._client.request(
            request.token_types({lark.AccessTokenType.TENANT}).build()
        )
        return answer

    def bot_info(self) -> Answer:
        """Ask who we are; the answer's `raw.content` has it, since the SDK has no type for it."""
        request = lark.BaseRequest.builder().http_method(lark.HttpMethod.GET).uri(BOT_INFO)
        answer: Answer = self._client.request(
            request.token_types({lark.AccessTokenType.TENANT}).build()
        )
        return answer


def _kind_of(receiver: str) -> str:
    return "open_id" if receiver.startswith("ou_") else "chat_id"


def _json(content: Content) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _part(data: bytes) -> tuple[str, io.BytesIO, str]:
    """Return the file part of an upload.

    It has a file name, since the part would not count as a file without one; an ASCII one, since
    the real name goes in `file_name`. Plain bytes the SDK would send as their repr.
    """
    return "upload", io.BytesIO(data), "application/octet-stream"
