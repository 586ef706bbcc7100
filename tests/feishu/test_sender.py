import json
import logging

import pytest

from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable, MessageGone
from rankscope.feishu.sender import BotInfo, LarkSender
from tests.conftest import MakeSettings
from tests.feishu.scripted import Scripted

CARD = {"schema": "2.0", "header": {"title": {"tag": "plain_text", "content": "卡住"}}}
REFUSED = {"code": 99991663, "msg": "Invalid access token"}


def _create(sender: LarkSender) -> str:
    return sender.create("oc_1", "interactive", CARD, "uuid-1")


def test_create_sends_the_card_and_returns_its_id(sender: LarkSender, feishu: Scripted) -> None:
    assert _create(sender) == "om_9"

    [asked] = feishu.asked
    assert (asked.method, asked.path) == (
        "POST",
        "/open-apis/im/v1/messages?receive_id_type=chat_id",
    )
    assert asked.token == "t-1"
    assert json.loads(asked.json.pop("content")) == CARD
    assert asked.json["uuid"] == "uuid-1"
    assert asked.json["receive_id"] == "oc_1"


def test_the_content_is_not_blown_up_by_escapes(sender: LarkSender, feishu: Scripted) -> None:
    _create(sender)

    assert "卡住" in feishu.asked[0].body.decode()


def test_reply(sender: LarkSender, feishu: Scripted) -> None:
    assert sender.reply("om_1", "text", {"text": "hi"}, "uuid-2", in_thread=True) == "om_9"

    [asked] = feishu.asked
    assert asked.path == "/open-apis/im/v1/messages/om_1/reply"
    assert asked.json["reply_in_thread"] is True


@pytest.mark.parametrize("code", [230071, 230072])
def test_a_chat_without_threads_gets_a_plain_reply(
    sender: LarkSender, feishu: Scripted, code: int
) -> None:
    feishu.next(400, {"code": code, "msg": "no threads here"})

    assert sender.reply("om_1", "text", {"text": "hi"}, "uuid-2", in_thread=True) == "om_9"
    assert [asked.json["reply_in_thread"] for asked in feishu.asked] == [True, False]


def test_patch_and_react(sender: LarkSender, feishu: Scripted) -> None:
    sender.patch("om_1", CARD)
    sender.react("om_1", "OK")

    patched, reacted = feishu.asked
    assert (patched.method, patched.path) == ("PATCH", "/open-apis/im/v1/messages/om_1")
    assert reacted.path == "/open-apis/im/v1/messages/om_1/reactions"
    assert reacted.json == {"reaction_type": {"emoji_type": "OK"}}


def test_uploads_carry_the_bytes_and_a_name(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(200, {"code": 0, "msg": "ok", "data": {"image_key": "img_1"}})
    feishu.next(200, {"code": 0, "msg": "ok", "data": {"file_key": "file_1"}})

    assert sender.upload_image(b"\x89PNG") == "img_1"
    assert sender.upload_file("堆栈.txt", b"rank 0") == "file_1"
    image, file = (asked.body for asked in feishu.asked)
    assert b"\x89PNG" in image
    assert b'name="image"; filename=' in image
    assert b'name="file"; filename=' in file
    assert "堆栈.txt".encode() in file
    assert b"rank 0" in file


def test_an_upload_is_repeated_with_all_its_bytes(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(502, b"<html>bad gateway</html>")
    feishu.next(200, {"code": 0, "msg": "ok", "data": {"file_key": "file_1"}})

    sender.upload_file("stacks.txt", b"rank 0")
    assert all(b"rank 0" in asked.body for asked in feishu.asked)
    assert len(feishu.asked) == 2


def test_bot_info(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(200, {"code": 0, "bot": {"open_id": "ou_bot", "app_name": "rankscope"}})

    assert sender.bot_info() == BotInfo("ou_bot", "rankscope")


@pytest.mark.parametrize("code", [99991663, 99991661])
def test_a_refused_token_is_renewed_once(sender: LarkSender, feishu: Scripted, code: int) -> None:
    feishu.next(400, {"code": code, "msg": "Invalid access token"})

    assert _create(sender) == "om_9"
    assert [asked.token for asked in feishu.asked] == ["t-1", "t-2"]
    assert feishu.asked[0].json["uuid"] == feishu.asked[1].json["uuid"]


def test_a_token_refused_again_is_an_error(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(400, REFUSED)
    feishu.next(400, REFUSED)

    with pytest.raises(FeishuRejected) as caught:
        _create(sender)
    assert caught.value.code == 99991663
    assert len(feishu.asked) == 2


def test_one_token_serves_many_calls(sender: LarkSender, feishu: Scripted) -> None:
    _create(sender)
    sender.patch("om_9", CARD)

    assert feishu.tokens == 1


def test_short_trouble_is_waited_out_with_the_same_uuid(
    sender: LarkSender, feishu: Scripted, pauses: list[float]
) -> None:
    feishu.next(500, {"code": 500, "msg": "internal"})
    feishu.next(429, {"code": 99991400, "msg": "too fast"}, x_ogw_ratelimit_reset="2")

    assert _create(sender) == "om_9"
    assert {asked.json["uuid"] for asked in feishu.asked} == {"uuid-1"}
    assert pauses[1:] == [2.0]


def test_lasting_trouble_is_left_to_the_caller(sender: LarkSender, feishu: Scripted) -> None:
    for _ in range(3):
        feishu.next(400, {"code": 230020, "msg": "chat rate"})

    with pytest.raises(FeishuUnavailable, match="230020"):
        _create(sender)
    assert len(feishu.asked) == 3


def test_a_long_wait_is_left_to_the_caller_at_once(
    sender: LarkSender, feishu: Scripted, pauses: list[float]
) -> None:
    feishu.next(429, {"code": 99991400, "msg": "too fast"}, x_ogw_ratelimit_reset="40")

    with pytest.raises(FeishuUnavailable) as caught:
        _create(sender)
    assert caught.value.retry_after_s == 40
    assert pauses == []


def test_a_reaction_is_tried_once(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(502, b"<html>bad gateway</html>")

    with pytest.raises(FeishuUnavailable):
        sender.react("om_1", "OK")
    assert len(feishu.asked) == 1


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (230099, CardRejected, "simpler card"),
        (230025, CardRejected, "simpler card"),
        (230031, MessageGone, "new message"),
        (230011, MessageGone, "new message"),
        (230110, MessageGone, "new message"),
        (230002, FeishuRejected, "Add the bot to the chat"),
        (230027, FeishuRejected, "scopes"),
        (99991672, FeishuRejected, "scopes"),
        (230028, FeishuRejected, "e-mail"),
        (987654, FeishuRejected, "documentation"),
    ],
)
def test_refusals_are_told_apart_and_not_repeated(
    sender: LarkSender, feishu: Scripted, code: int, kind: type[FeishuRejected], said: str
) -> None:
    feishu.next(400, {"code": code, "msg": "refused"})

    with pytest.raises(kind) as caught:
        _create(sender)
    assert type(caught.value) is kind
    assert caught.value.code == code
    assert said in caught.value.next_step
    assert len(feishu.asked) == 1


def test_a_locked_card_is_tried_again(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(400, {"code": 230099, "msg": "ErrCode: 11310; ErrMsg: card action is lock"})

    assert _create(sender) == "om_9"


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"", b"[]", {}, {"code": 0, "msg": "ok"}, {"code": 0, "data": {}}, b"\xff\xfe"],
)
def test_an_answer_of_another_form_is_no_success(
    sender: LarkSender, feishu: Scripted, body: object
) -> None:
    for _ in range(3):
        feishu.next(200, body)

    with pytest.raises(FeishuUnavailable):
        _create(sender)


def test_a_code_under_http_200_is_no_success(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(200, {"code": 230002, "msg": "not in chat"})

    with pytest.raises(FeishuRejected, match="230002"):
        sender.patch("om_1", CARD)


def test_wrong_credentials_say_which_settings(sender: LarkSender, feishu: Scripted) -> None:
    feishu.token_answer = {"code": 10014, "msg": "app secret invalid"}

    with pytest.raises(FeishuRejected) as caught:
        _create(sender)
    assert "RANKSCOPE_FEISHU_APP_SECRET" in caught.value.next_step


def test_missing_credentials_say_which_settings(
    feishu: Scripted, make_settings: MakeSettings
) -> None:
    with pytest.raises(FeishuRejected, match="credentials") as caught:
        _create(LarkSender(make_settings(feishu_domain=feishu.url)))
    assert "RANKSCOPE_FEISHU_APP_ID" in caught.value.next_step


def test_a_feishu_that_cannot_be_reached(make_settings: MakeSettings) -> None:
    settings = make_settings(
        feishu_domain="http://127.0.0.1:1", feishu_app_id="cli_x", feishu_app_secret="s"
    )

    with pytest.raises(FeishuUnavailable, match="ConnectionError"):
        _create(LarkSender(settings, lambda _: None))


def test_a_domain_on_plain_http_elsewhere_is_accepted(make_settings: MakeSettings) -> None:
    LarkSender(make_settings(feishu_domain="http://emulator.test:8080/"))


def test_the_sdk_prints_nothing_of_its_own(
    sender: LarkSender, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sender
    logging.getLogger("Lark").warning("something")

    assert capsys.readouterr().out == ""


def test_errors_never_show_the_secret_or_the_token(sender: LarkSender, feishu: Scripted) -> None:
    feishu.next(400, {"code": 230002, "msg": "not in chat"})

    with pytest.raises(FeishuRejected) as caught:
        _create(sender)
    assert "app-secret" not in repr(caught.value)
    assert "t-1" not in repr(caught.value)
