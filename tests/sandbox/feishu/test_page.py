"""The chat page in a real browser."""

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.conftest import Api, SdkBot
from tests.sandbox.feishu.samples import RICH, button, card, markdown, panel, plain
from tests.sandbox.feishu.waiting import until

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


# Not for the whole session: Playwright's event loop runs until it is closed, and no other may.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        reason = f"The chat page needs a browser: install one of {', '.join(BROWSERS)}."
        if os.environ.get("RANKSCOPE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, running: RunningEmulator) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda said: complaints.extend([said.text] * (said.type == "error")))
    opened.goto(f"{running.url}/#{running.chat_id}")
    expect(opened.locator("#title")).to_have_text("训练值班群")
    yield opened
    opened.close()
    expected = [text for text in complaints if "400 (Bad Request)" not in text]
    assert expected == []


def test_a_card_appears_live_and_its_button_answers(
    page: Page, api: Api, running: RunningEmulator, bot: SdkBot
) -> None:
    new = card(markdown("采集中…"), button("取消"))
    bot.click_answer = lambda _: {
        "toast": {"type": "success", "content": "已开始采集"},
        "card": {"type": "raw", "data": new},
    }

    api.sent(running.chat_id, "interactive", RICH)
    page.get_by_role("button", name="重新采集").click()

    expect(page.locator(".toast.success")).to_have_text("已开始采集")
    expect(page.locator(".card")).to_contain_text("采集中…")
    expect(page.locator(".mark.updated")).to_contain_text("已更新")
    operator = running.emulator.world.humans[0].open_id
    assert bot.clicks[0].event.operator.open_id == operator


def test_what_is_typed_reaches_the_bot(page: Page, running: RunningEmulator, bot: SdkBot) -> None:
    page.locator("#user").select_option(label="林娜")
    page.locator("#text").fill("/help")
    page.locator("#text").press("Enter")

    expect(page.locator(".message .at")).to_have_text("@rankscope")
    expect(page.locator("#text")).to_have_value("")
    until(lambda: bot.messages)
    assert "/help" in bot.messages[0].event.message.content
    expect(page.locator("#subscription")).to_have_text("机器人已连接")


def test_a_message_without_mention_stays_among_people(
    page: Page, running: RunningEmulator, bot: SdkBot
) -> None:
    page.locator("#mention").uncheck()
    page.locator("#text").fill("lunch?")
    page.get_by_role("button", name="发送").click()

    expect(page.locator(".message")).to_contain_text("lunch?")
    assert running.client.deliveries() == []


def test_a_confirmation_is_asked_for(
    page: Page, api: Api, running: RunningEmulator, bot: SdkBot
) -> None:
    api.sent(running.chat_id, "interactive", RICH)

    page.get_by_role("button", name="结束作业").click()
    expect(page.locator("#confirm")).to_contain_text("不能撤销")
    page.locator("#confirm").get_by_role("button", name="取消").click()
    expect(page.locator("#confirm")).to_be_hidden()
    assert bot.clicks == []

    page.get_by_role("button", name="结束作业").click()
    page.locator("#confirm").get_by_role("button", name="确定").click()
    until(lambda: bot.clicks)


def test_a_disabled_button_cannot_be_pressed(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    api.sent(running.chat_id, "interactive", RICH)

    off = page.get_by_role("button", name="对比")

    expect(off).to_be_disabled()
    expect(off).to_have_attribute("title", "需要两次")


def test_a_failed_click_shows_the_code(page: Page, api: Api, running: RunningEmulator) -> None:
    api.sent(running.chat_id, "interactive", RICH)

    page.get_by_role("button", name="重新采集").click()

    expect(page.locator(".toast.error")).to_contain_text("200340")


def test_an_update_keeps_what_the_reader_opened(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    page.locator("details.panel summary").click()
    page.locator(".pager button").last.click()
    expect(page.locator(".pager span")).to_have_text("第 2 / 3 页")

    api.patch(message_id, RICH)

    expect(page.locator(".mark.updated")).to_be_visible()
    expect(page.locator("details.panel pre")).to_be_visible()
    expect(page.locator(".pager span")).to_have_text("第 2 / 3 页")
    expect(page.locator("tbody tr:visible")).to_have_count(2)


def test_thread_replies_stand_under_their_root(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    body = {"msg_type": "text", "content": '{"text": "采集完成"}', "reply_in_thread": True}
    api.call("POST", f"/im/v1/messages/{message_id}/reply", json=body)

    expect(page.locator(f"#{message_id} .thread .message")).to_contain_text("采集完成")
    expect(page.locator(".thread-count")).to_have_text("1 条回复")
    api.patch(message_id, RICH)
    expect(page.locator(f"#{message_id} .thread .message")).to_contain_text("采集完成")


def test_a_recalled_message_and_emoji_are_seen(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    said = running.client.say(running.chat_id, "hi").message_id
    path = f"/im/v1/messages/{said}/reactions"
    api.call("POST", path, json={"reaction_type": {"emoji_type": "OK"}})
    expect(page.locator(".reaction")).to_have_text("OK rankscope")

    message_id = api.sent(running.chat_id, "interactive", RICH)
    api.call("DELETE", f"/im/v1/messages/{message_id}")

    expect(page.locator(f"#{message_id}")).to_contain_text("消息已撤回")


def test_a_form_is_sent_whole(page: Page, api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    options = [{"text": plain("两次"), "value": "2"}, {"text": plain("三次"), "value": "3"}]
    form = {
        "tag": "form",
        "name": "f",
        "elements": [
            {"tag": "input", "name": "note", "required": True, "label": plain("备注")},
            {"tag": "select_static", "name": "samples", "options": options},
            {"tag": "button", "name": "ok", "text": plain("提交"), "form_action_type": "submit"},
        ],
    }
    api.sent(running.chat_id, "interactive", card(form))

    page.get_by_role("button", name="提交").click()
    expect(page.locator(".toast.warning")).to_have_text("有必填项未填写")
    page.get_by_label("备注").fill("loss spike")
    page.locator("select[name=samples]").select_option(label="三次")
    page.get_by_role("button", name="提交").click()

    until(lambda: bot.clicks)
    assert bot.clicks[0].event.action.form_value == {"note": "loss spike", "samples": "3"}


def test_hostile_texts_run_nothing_and_break_nothing(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    running.client.say(running.chat_id, HOSTILE + "长" * 300 + "x" * 300, mention_bot=False)
    hostile = card(
        markdown(HOSTILE),
        {"tag": "div", "text": plain(HOSTILE)},
        panel(HOSTILE, markdown("x" * 400)),
        header={"title": plain(HOSTILE), "subtitle": plain("x" * 200), "template": "red"},
    )
    api.sent(running.chat_id, "interactive", hostile)

    expect(page.locator(".card")).to_contain_text("onerror=")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    assert page.locator("script").count() == 2


@pytest.mark.parametrize("width", [360, 375])
def test_a_phone_shows_the_whole_card(
    page: Page, api: Api, running: RunningEmulator, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    api.sent(running.chat_id, "interactive", RICH)
    expect(page.locator(".card")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") == width
    box = page.locator(".card").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    page.get_by_role("button", name="返回").click()
    expect(page.locator("#chats")).to_contain_text("[卡住] job-42 rank 3")


def test_other_chats_count_what_is_unread(page: Page, api: Api, running: RunningEmulator) -> None:
    person = running.emulator.world.humans[0]
    body = {"receive_id": person.open_id, "msg_type": "text", "content": '{"text": "hello"}'}
    api.call("POST", "/im/v1/messages?receive_id_type=open_id", json=body)

    expect(page.locator(".unread")).to_have_text("1")
    page.locator("#chats button").last.click()
    expect(page.locator("#messages")).to_contain_text("hello")
    expect(page.locator("#mention")).to_be_hidden()


def test_the_page_speaks_english_too(page: Page, running: RunningEmulator) -> None:
    page.goto(f"{running.url}/?lang=en")

    expect(page.locator("#text")).to_have_attribute("placeholder", re.compile("Enter sends"))
    expect(page.locator("#subscription")).to_contain_text("No request URL")


def test_nothing_comes_from_elsewhere(browser: Browser, running: RunningEmulator) -> None:
    asked: list[Any] = []
    opened = browser.new_page()
    opened.on("request", lambda request: asked.append(request.url))
    answer = opened.goto(running.url)
    opened.wait_for_selector("#chats button")
    opened.close()

    assert answer is not None
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert all(url.startswith(running.url) for url in asked)


def test_the_fault_panel_lets_calls_fail(page: Page, api: Api, running: RunningEmulator) -> None:
    page.locator("#troubles summary").click()
    page.get_by_role("button", name="429 限流").click()
    expect(page.locator("[data-trouble=rate]")).to_have_attribute("aria-pressed", "true")

    assert api.send(running.chat_id, "text", {"text": "hi"}).status_code == 429
    page.get_by_role("button", name="恢复正常").click()
    expect(page.locator("[data-trouble=rate]")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="断开长连接").click()
    expect(page.locator(".toast.error")).to_contain_text("No long connection")


def test_the_menu_is_in_private_chats_only(
    page: Page, running: RunningEmulator, bot: SdkBot
) -> None:
    expect(page.locator("#menu")).to_be_hidden()
    page.locator("nav button", has_text="rankscope").click()
    page.get_by_role("button", name="jobs").click()

    until(lambda: bot.messages)
    assert bot.messages[0].event.event_key == "jobs"


def test_a_wide_window_can_show_what_a_phone_shows(
    page: Page, api: Api, running: RunningEmulator
) -> None:
    api.sent(running.chat_id, "interactive", RICH)
    page.get_by_role("link", name="手机").click()
    page.locator("nav button", has_text="训练值班群").click()
    expect(page.locator(".card")).to_be_visible()
    box = page.locator(".app").bounding_box()

    assert box is not None
    assert box["width"] == 390
    expect(page.locator(".sidebar")).to_be_hidden()
    page.locator("#back").click()
    page.get_by_role("link", name="宽屏").click()
    expect(page.locator(".sidebar")).to_be_visible()
