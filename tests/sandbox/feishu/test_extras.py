"""Uploads, emoji, pins, urgent messages, chats, faults."""

import pytest

from sandbox.feishu.faults import Fault
from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.conftest import Api
from tests.sandbox.feishu.samples import card, plain

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8 + b"\0\0\0\1" * 2 + b"rest"
TEXT = {"text": "hello"}


def upload(api: Api, body: bytes, image_type: str = "message") -> dict[str, object]:
    answer = api.call(
        "POST",
        "/im/v1/images",
        files={"image": ("x.png", body)},
        data={"image_type": image_type},
    )
    return dict(answer.json())


def test_an_image_can_be_sent_in_a_card_and_read_back(api: Api, running: RunningEmulator) -> None:
    key = upload(api, PNG)["data"]["image_key"]  # type: ignore[index]
    image = {"tag": "img", "img_key": key, "alt": plain("map")}

    message_id = api.sent(running.chat_id, "interactive", card(image))

    assert api.call("GET", f"/im/v1/images/{key}").content == PNG
    resource = api.call("GET", f"/im/v1/messages/{message_id}/resources/{key}?type=image")
    assert resource.headers["Content-Type"] == "image/png"
    shown = api.http.get(f"/emulator/images/{key}")
    assert shown.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        (b"", "message", 234010),
        (b"text", "message", 234011),
        (b"\x89PNG\r\n\x1a\n" + b"\xff" * 30, "message", 234039),
        (PNG, "poster", 234001),
        (PNG + b"\0" * 10 * 1024 * 1024, "message", 234006),
    ],
)
def test_bad_images_are_refused(api: Api, body: bytes, kind: str, code: int) -> None:
    assert upload(api, body, kind)["code"] == code


def test_a_file_can_be_sent_and_downloaded(api: Api, running: RunningEmulator) -> None:
    answer = api.call(
        "POST",
        "/im/v1/files",
        files={"file": ("x", b"stacks")},
        data={"file_type": "stream", "file_name": "堆栈.txt"},
    ).json()
    key = answer["data"]["file_key"]

    api.sent(running.chat_id, "file", {"file_key": key})

    download = api.http.get(f"/emulator/files/{key}")
    assert download.content == b"stacks"
    assert download.headers["Content-Disposition"].startswith("attachment")
    assert api.call("GET", f"/im/v1/files/{key}").content == b"stacks"


def test_a_form_without_its_file_is_refused(api: Api) -> None:
    text = {"file_type": "stream", "file_name": "x"}

    missing = api.call("POST", "/im/v1/files", files={"other": b"x"}, data=text)
    no_form = api.call("POST", "/im/v1/files", json={})

    assert (missing.json()["code"], no_form.json()["code"]) == (234001, 234001)


def test_emoji_come_and_go(api: Api, running: RunningEmulator) -> None:
    message_id = running.client.say(running.chat_id, "hi").message_id
    path = f"/im/v1/messages/{message_id}/reactions"

    added = api.call("POST", path, json={"reaction_type": {"emoji_type": "DONE"}}).json()["data"]
    api.call("POST", path, json={"reaction_type": {"emoji_type": "DONE"}})
    [seen] = running.client.messages(running.chat_id)[0].reactions
    listed = api.call("GET", path).json()["data"]["items"]
    api.call("DELETE", f"{path}/{added['reaction_id']}")

    assert (seen.emoji, seen.names) == ("DONE", ("rankscope",))
    assert [one["reaction_id"] for one in listed] == [added["reaction_id"]]
    assert running.client.messages(running.chat_id)[0].reactions == ()


def test_unknown_emoji_messages_and_reactions_are_refused(
    api: Api, running: RunningEmulator
) -> None:
    message_id = running.client.say(running.chat_id, "hi").message_id
    body = {"reaction_type": {"emoji_type": "OK"}}

    def code(method: str, path: str, **more: object) -> int:
        return int(api.call(method, f"/im/v1/messages/{path}", **more).json()["code"])

    unknown = {"reaction_type": {"emoji_type": "NOPE"}}
    assert code("POST", f"{message_id}/reactions", json=unknown) == 231001
    assert code("POST", "om_unknown/reactions", json=body) == 231003
    assert code("DELETE", f"{message_id}/reactions/x") == 231010


def test_pins_and_urgent_messages_are_seen(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "text", TEXT)
    person = running.emulator.world.humans[0]
    path = f"/im/v1/messages/{message_id}/urgent_app?user_id_type=open_id"

    pin = api.call("POST", "/im/v1/pins", json={"message_id": message_id}).json()["data"]["pin"]
    urgent = api.call("PATCH", path, json={"user_id_list": [person.open_id, "ou_x"]}).json()

    [message] = running.client.messages(running.chat_id)
    assert (message.pinned, message.urgent_for) == (True, (person.name,))
    assert pin["message_id"] == message_id
    assert urgent["data"]["invalid_user_id_list"] == ["ou_x"]
    api.call("DELETE", f"/im/v1/pins/{message_id}")
    assert not running.client.messages(running.chat_id)[0].pinned


def test_the_bot_knows_itself_and_its_groups(api: Api, running: RunningEmulator) -> None:
    running.client.add_chat("别人的群", bot_inside=False)

    info = api.call("GET", "/bot/v3/info").json()["bot"]
    groups = api.call("GET", "/im/v1/chats").json()["data"]["items"]
    one = api.call("GET", f"/im/v1/chats/{running.chat_id}").json()["data"]

    assert info["open_id"] == running.emulator.world.bot.open_id
    assert [group["chat_id"] for group in groups] == [running.chat_id]
    assert one["chat_mode"] == "group"


def test_a_fault_hits_the_calls_it_is_for(api: Api, running: RunningEmulator) -> None:
    running.client.fault(Fault(path="/messages$", status=502, body="<h1>bad gateway</h1>"))
    running.client.fault(Fault(path="/messages$", code=99991400, retry_after_s=3))

    broken = api.send(running.chat_id, "text", TEXT)
    limited = api.send(running.chat_id, "text", TEXT)
    fine = api.send(running.chat_id, "text", TEXT)

    assert (broken.status_code, broken.text) == (502, "<h1>bad gateway</h1>")
    assert (limited.status_code, limited.json()["code"]) == (429, 99991400)
    assert limited.headers["x-ogw-ratelimit-reset"] == "3"
    assert fine.status_code == 200


def test_an_answer_can_be_lost_after_the_message_was_sent(
    api: Api, running: RunningEmulator
) -> None:
    running.client.fault(Fault(path="/messages$", status=504, body="", after=True))

    lost = api.send(running.chat_id, "text", TEXT, uuid="u")
    again = api.send(running.chat_id, "text", TEXT, uuid="u")

    assert (lost.status_code, again.status_code) == (504, 200)
    assert len(running.client.messages(running.chat_id)) == 1
