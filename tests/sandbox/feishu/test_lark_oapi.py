"""The real SDK, unchanged, against the emulator over HTTP."""

import io
import json

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
    CreatePinRequest,
    DeleteMessageRequest,
    Emoji,
    GetImageRequest,
    GetMessageRequest,
    PatchMessageRequest,
    PatchMessageRequestBody,
    Pin,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
    UpdateMessageRequest,
    UpdateMessageRequestBody,
    UrgentAppMessageRequest,
    UrgentReceivers,
)

from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.samples import RICH, card, dumped, markdown
from tests.sandbox.feishu.test_extras import PNG

TEXT = json.dumps({"text": "hello"})


def create(sdk: lark.Client, chat_id: str, msg_type: str = "text", content: str = TEXT) -> object:
    body = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type(msg_type)
    request = CreateMessageRequest.builder().receive_id_type("chat_id")
    return sdk.im.v1.message.create(request.request_body(body.content(content).build()).build())


def test_create_and_get(sdk: lark.Client, running: RunningEmulator) -> None:
    created = create(sdk, running.chat_id, "interactive", dumped(RICH))
    assert created.success()  # type: ignore[attr-defined]
    message_id = created.data.message_id  # type: ignore[attr-defined]

    got = sdk.im.v1.message.get(GetMessageRequest.builder().message_id(message_id).build())

    assert got.success()
    assert json.loads(got.data.items[0].body.content) == RICH
    assert got.get_log_id()


def test_a_refusal_is_typed(sdk: lark.Client, running: RunningEmulator) -> None:
    refused = create(sdk, running.chat_id, "interactive", dumped(card({"tag": "note"})))

    assert not refused.success()  # type: ignore[attr-defined]
    assert refused.code == 230099  # type: ignore[attr-defined]
    assert "200861" in refused.msg  # type: ignore[attr-defined]
    assert refused.error["log_id"]  # type: ignore[attr-defined]


def test_reply_in_a_thread(sdk: lark.Client, running: RunningEmulator) -> None:
    root = create(sdk, running.chat_id).data.message_id  # type: ignore[attr-defined]
    body = ReplyMessageRequestBody.builder().msg_type("text").content(TEXT).reply_in_thread(True)
    request = ReplyMessageRequest.builder().message_id(root).request_body(body.build()).build()

    replied = sdk.im.v1.message.reply(request)

    assert replied.success()
    assert replied.data.thread_id.startswith("omt_")
    assert replied.data.root_id == root


def test_patch_edit_and_recall(sdk: lark.Client, running: RunningEmulator) -> None:
    shown = create(sdk, running.chat_id, "interactive", dumped(RICH))
    card_id = shown.data.message_id  # type: ignore[attr-defined]
    text_id = create(sdk, running.chat_id).data.message_id  # type: ignore[attr-defined]
    new = PatchMessageRequestBody.builder().content(dumped(card(markdown("new")))).build()
    edit = UpdateMessageRequestBody.builder().msg_type("text").content('{"text": "edited"}')

    patched = sdk.im.v1.message.patch(
        PatchMessageRequest.builder().message_id(card_id).request_body(new).build()
    )
    edited = sdk.im.v1.message.update(
        UpdateMessageRequest.builder().message_id(text_id).request_body(edit.build()).build()
    )
    recalled = sdk.im.v1.message.delete(DeleteMessageRequest.builder().message_id(text_id).build())

    assert patched.success()
    assert edited.success()
    assert edited.data.updated
    assert recalled.success()
    first, second = running.client.messages(running.chat_id)
    assert (first.text, second.recalled) == ("Title\nnew", True)


def test_uploads(sdk: lark.Client) -> None:
    picture = io.BytesIO(PNG)
    picture.name = "heat.png"
    image = CreateImageRequestBody.builder().image_type("message").image(picture).build()
    stacks = io.BytesIO(b"stacks")
    stacks.name = "stacks.txt"
    file = CreateFileRequestBody.builder().file_type("stream").file_name("stacks.txt").file(stacks)

    put = sdk.im.v1.image.create(CreateImageRequest.builder().request_body(image).build())
    filed = sdk.im.v1.file.create(CreateFileRequest.builder().request_body(file.build()).build())
    got = sdk.im.v1.image.get(GetImageRequest.builder().image_key(put.data.image_key).build())

    assert put.success()
    assert filed.data.file_key.startswith("file_")
    assert got.file.read() == PNG


def test_reactions_pins_and_urgent_messages(sdk: lark.Client, running: RunningEmulator) -> None:
    message_id = create(sdk, running.chat_id).data.message_id  # type: ignore[attr-defined]
    open_id = running.emulator.world.humans[0].open_id
    emoji = Emoji.builder().emoji_type("OK").build()
    reaction = CreateMessageReactionRequestBody.builder().reaction_type(emoji).build()

    reacted = sdk.im.v1.message_reaction.create(
        CreateMessageReactionRequest.builder().message_id(message_id).request_body(reaction).build()
    )
    pinned = sdk.im.v1.pin.create(
        CreatePinRequest.builder()
        .request_body(Pin.builder().message_id(message_id).build())
        .build()
    )
    urgent = sdk.im.v1.message.urgent_app(
        UrgentAppMessageRequest.builder()
        .message_id(message_id)
        .user_id_type("open_id")
        .request_body(UrgentReceivers.builder().user_id_list([open_id]).build())
        .build()
    )

    assert reacted.success()
    assert reacted.data.reaction_type.emoji_type == "OK"
    assert pinned.success()
    assert urgent.success()
    [message] = running.client.messages(running.chat_id)
    assert (message.pinned, message.reactions[0].emoji) == (True, "OK")


def test_delayed_update_with_an_unknown_token(sdk: lark.Client) -> None:
    request = (
        lark.BaseRequest.builder()
        .http_method(lark.HttpMethod.POST)
        .uri("/open-apis/interactive/v1/card/update")
        .token_types({lark.AccessTokenType.TENANT})
        .body({"token": "c-unknown", "card": RICH})
        .build()
    )

    assert sdk.request(request).code == 300020
