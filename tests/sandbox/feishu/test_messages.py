"""The message calls over HTTP: shapes, limits, codes."""

import json

import pytest

from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.conftest import Api
from tests.sandbox.feishu.samples import RICH, card, markdown

TEXT = {"text": "hello"}
DAY_S = 24 * 3600.0


def code(answer: object) -> int:
    return int(answer.json()["code"])  # type: ignore[attr-defined]


def test_a_message_has_the_documented_shape(api: Api, running: RunningEmulator) -> None:
    answer = api.send(running.chat_id, "text", TEXT)

    assert answer.headers["X-Tt-Logid"]
    body = answer.json()
    assert (body["code"], body["msg"]) == (0, "success")
    data = body["data"]
    assert data["message_id"].startswith("om_")
    assert data["chat_id"] == running.chat_id
    assert data["sender"]["id_type"] == "app_id"
    assert (data["deleted"], data["updated"]) == (False, False)
    assert json.loads(data["body"]["content"]) == TEXT


def test_a_refusal_has_the_documented_shape(api: Api) -> None:
    answer = api.send("oc_unknown", "text", TEXT)

    assert answer.status_code == 400
    body = answer.json()
    assert body["code"] == 230034
    assert body["error"]["log_id"] == answer.headers["X-Tt-Logid"]


def test_a_message_to_a_person_arrives_in_their_chat(api: Api, running: RunningEmulator) -> None:
    person = running.emulator.world.humans[0]
    body = {"receive_id": person.open_id, "msg_type": "text", "content": json.dumps(TEXT)}

    answer = api.call("POST", "/im/v1/messages?receive_id_type=open_id", json=body).json()

    private = running.emulator.world.private_chat(person.open_id)
    assert private is not None
    assert answer["data"]["chat_id"] == private.chat_id


@pytest.mark.parametrize(
    ("msg_type", "content", "expected"),
    [
        ("text", {"text": ""}, 230001),
        ("text", "no json", 230001),
        ("text", {"text": "x" * 151 * 1024}, 230025),
        ("letter", TEXT, 230001),
        ("post", {"zh_cn": {"content": [[{"tag": "blink"}]]}}, 230001),
        ("post", {"zh_cn": {"content": [[{"tag": "text", "text": "x" * 31000}]]}}, 230025),
        ("image", {"image_key": "img_unknown"}, 230017),
        ("interactive", card(markdown("x" * 31000)), 230025),
        ("interactive", card(markdown("x"), colour=1), 230099),
        ("interactive", {"type": "template", "data": {"template_id": "x"}}, 230099),
        ("interactive", "{", 230099),
        ("interactive", "[" * 20000, 230099),
        ("post", '{"zh_cn": ' * 500 + "1" + "}" * 500, 230001),
        ("text", '{"text": "\\ud800"}', 230001),
        ("interactive", json.dumps(card(markdown("\ud800"))), 230001),
    ],
)
def test_bad_content_is_refused(
    api: Api, running: RunningEmulator, msg_type: str, content: object, expected: int
) -> None:
    answer = api.send(running.chat_id, msg_type, content)

    assert (answer.status_code, code(answer)) == (400, expected)
    assert running.client.messages(running.chat_id) == []


def test_a_refused_card_names_the_sub_code_and_the_place(
    api: Api, running: RunningEmulator
) -> None:
    refused = api.send(running.chat_id, "interactive", card({"tag": "note"})).json()

    assert "ErrCode: 200861; ErrMsg: not support tag: note" in refused["msg"]
    assert "path: [body.elements[0]]" in refused["msg"]


def test_one_uuid_sends_one_message_an_hour(api: Api, running: RunningEmulator) -> None:
    first = api.sent(running.chat_id, "text", TEXT, uuid="u1")
    again = api.sent(running.chat_id, "text", {"text": "other"}, uuid="u1")
    running.client.skip(3601)
    later = api.sent(running.chat_id, "text", TEXT, uuid="u1")

    assert first == again != later
    assert len(running.client.messages(running.chat_id)) == 2


def test_a_long_uuid_is_refused(api: Api, running: RunningEmulator) -> None:
    assert code(api.send(running.chat_id, "text", TEXT, uuid="x" * 51)) == 230001


def test_a_chat_takes_five_messages_a_second(api: Api, running: RunningEmulator) -> None:
    codes = [code(api.send(running.chat_id, "text", TEXT)) for _ in range(6)]
    running.client.skip(1)

    assert codes == [0, 0, 0, 0, 0, 230020]
    assert code(api.send(running.chat_id, "text", TEXT)) == 0


def test_an_app_calls_fifty_times_a_second(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "text", TEXT)
    answers = [api.call("GET", f"/im/v1/messages/{message_id}") for _ in range(60)]

    refused = next(answer for answer in answers if answer.status_code == 429)
    assert code(refused) == 99991400
    assert int(refused.headers["x-ogw-ratelimit-reset"]) >= 1


def test_a_bot_outside_a_group_cannot_send(api: Api, running: RunningEmulator) -> None:
    outside = running.client.add_chat("别人的群", bot_inside=False)

    assert code(api.send(outside.chat_id, "text", TEXT)) == 230002


def test_tokens_are_checked(api: Api, running: RunningEmulator) -> None:
    running.client.revoke_tokens()
    revoked = api.send(running.chat_id, "text", TEXT)
    del api.http.headers["Authorization"]
    missing = api.send(running.chat_id, "text", TEXT)

    assert (code(revoked), code(missing)) == (99991663, 99991661)


def test_a_wrong_secret_gets_no_token(api: Api) -> None:
    path = "/auth/v3/tenant_access_token/internal"

    wrong = api.call("POST", path, json={"app_id": "cli_emulator", "app_secret": "guess"})
    empty = api.call("POST", path, json={})

    assert (code(wrong), code(empty)) == (10014, 10003)


def test_a_reply_names_its_parent_and_root(api: Api, running: RunningEmulator) -> None:
    root = api.sent(running.chat_id, "text", TEXT)
    body = {"msg_type": "text", "content": json.dumps(TEXT)}

    first = api.call("POST", f"/im/v1/messages/{root}/reply", json=body).json()["data"]
    path = f"/im/v1/messages/{first['message_id']}/reply"
    second = api.call("POST", path, json=body).json()["data"]

    assert (first["parent_id"], first["root_id"]) == (root, root)
    assert (second["parent_id"], second["root_id"]) == (first["message_id"], root)
    assert "thread_id" not in second


def test_a_reply_in_a_thread_stays_in_it(api: Api, running: RunningEmulator) -> None:
    root = api.sent(running.chat_id, "interactive", RICH)
    body = {"msg_type": "text", "content": json.dumps(TEXT)}

    first = api.call(
        "POST", f"/im/v1/messages/{root}/reply", json={**body, "reply_in_thread": True}
    ).json()["data"]
    path = f"/im/v1/messages/{first['message_id']}/reply"
    second = api.call("POST", path, json=body).json()["data"]

    assert first["thread_id"] == second["thread_id"]
    assert first["thread_id"].startswith("omt_")
    assert second["parent_id"] == root


def test_a_text_can_be_edited_twenty_times(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "text", TEXT)
    codes = []
    for number in range(21):
        body = {"msg_type": "text", "content": json.dumps({"text": str(number)})}
        codes.append(code(api.call("PUT", f"/im/v1/messages/{message_id}", json=body)))
        running.client.skip(1)

    assert codes == [0] * 20 + [230072]
    [message] = running.client.messages(running.chat_id)
    assert (message.text, message.updated, message.revisions) == ("19", True, 20)


def test_a_card_is_not_edited_but_patched(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    body = {"msg_type": "text", "content": json.dumps(TEXT)}

    assert code(api.call("PUT", f"/im/v1/messages/{message_id}", json=body)) == 230054


def test_a_card_is_replaced_in_place(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)

    assert code(api.patch(message_id, card(markdown("new")))) == 0

    [message] = running.client.messages(running.chat_id)
    assert (message.text, message.revisions) == ("Title\nnew", 1)


def test_only_a_shared_card_can_be_replaced(api: Api, running: RunningEmulator) -> None:
    private = card(markdown("x"), config={})
    shared = api.sent(running.chat_id, "interactive", RICH)
    alone = api.sent(running.chat_id, "interactive", private)

    assert code(api.patch(shared, private)) == 230001
    assert code(api.patch(alone, RICH)) == 230001


def test_a_card_is_replaced_five_times_a_second(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)

    assert [code(api.patch(message_id, RICH)) for _ in range(6)] == [0] * 5 + [230020]


def test_a_card_is_replaced_for_fourteen_days(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    running.emulator.world.messages[message_id].created_ms -= round(14 * DAY_S * 1000) + 1

    assert code(api.patch(message_id, RICH)) == 230031


def test_a_bad_card_replaces_nothing(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)

    assert code(api.patch(message_id, card({"tag": "note"}))) == 230099
    assert running.client.messages(running.chat_id)[0].revisions == 0


def test_other_peoples_messages_are_left_alone(api: Api, running: RunningEmulator) -> None:
    theirs = running.client.say(running.chat_id, "hi").message_id
    body = {"msg_type": "text", "content": json.dumps(TEXT)}

    assert code(api.patch(theirs, RICH)) == 230001
    assert code(api.call("PUT", f"/im/v1/messages/{theirs}", json=body)) == 230071
    assert code(api.call("DELETE", f"/im/v1/messages/{theirs}")) == 230026


def test_a_recalled_message_is_gone(api: Api, running: RunningEmulator) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    body = {"msg_type": "text", "content": json.dumps(TEXT)}

    assert code(api.call("DELETE", f"/im/v1/messages/{message_id}")) == 0

    assert code(api.patch(message_id, RICH)) == 230011
    assert code(api.call("POST", f"/im/v1/messages/{message_id}/reply", json=body)) == 230011
    assert code(api.call("DELETE", f"/im/v1/messages/{message_id}")) == 230110
    [item] = api.call("GET", f"/im/v1/messages/{message_id}").json()["data"]["items"]
    assert item["deleted"]
    [message] = running.client.messages(running.chat_id)
    assert (message.recalled, message.content, message.text) == (True, {}, "")


def test_an_unknown_message_is_refused(api: Api) -> None:
    assert code(api.patch("om_unknown", RICH)) == 230001


def test_mentions_become_placeholders(api: Api, running: RunningEmulator) -> None:
    person = running.emulator.world.humans[0]
    text = f'<at user_id="{person.open_id}">x</at> look'

    answer = api.send(running.chat_id, "text", {"text": text}).json()["data"]

    assert json.loads(answer["body"]["content"])["text"] == "@_user_1 look"
    assert answer["mentions"][0]["id"] == person.open_id
    assert running.client.messages(running.chat_id)[0].text == f"@{person.name} look"


def test_the_history_comes_in_pages(api: Api, running: RunningEmulator) -> None:
    ids = [api.sent(running.chat_id, "text", TEXT) for _ in range(3)]
    path = f"/im/v1/messages?container_id_type=chat&container_id={running.chat_id}&page_size=2"

    first = api.call("GET", path).json()["data"]
    rest = api.call("GET", f"{path}&page_token={first['page_token']}").json()["data"]

    assert [item["message_id"] for item in first["items"] + rest["items"]] == ids
    assert (first["has_more"], rest["has_more"]) == (True, False)


def test_a_body_that_is_no_json_is_refused(api: Api) -> None:
    path = "/im/v1/messages?receive_id_type=chat_id"

    assert code(api.call("POST", path, content=b"{")) == 9499
    assert code(api.call("POST", path, content=b"[]")) == 9499
