import asyncio
from collections.abc import Iterator

import httpx
import pytest

from bot.identity import BotIdentity, ask_open_id
from rankscope.errors import FeishuError
from rankscope.settings import Settings
from tests.conftest import MakeSettings
from tests.feishu.scripted import Scripted, scripted_feishu

BOT = {"code": 0, "msg": "ok", "bot": {"open_id": "ou_bot", "app_name": "rankscope"}}


@pytest.fixture
def feishu() -> Iterator[Scripted]:
    with scripted_feishu() as script:
        yield script


@pytest.fixture
def settings(feishu: Scripted, make_settings: MakeSettings) -> Settings:
    return make_settings(feishu_domain=feishu.url, feishu_app_id="cli_1", feishu_app_secret="s")


async def test_the_open_id_is_asked_with_a_token(feishu: Scripted, settings: Settings) -> None:
    feishu.next(200, BOT)

    assert await ask_open_id(settings) == "ou_bot"
    assert [(asked.path, asked.token) for asked in feishu.asked] == [
        ("/open-apis/bot/v3/info", "t-1")
    ]


@pytest.mark.parametrize("answer", [{"code": 99991663, "msg": "token"}, {"code": 0}, b"<html>", []])
async def test_asking_goes_on_until_there_is_an_answer(
    feishu: Scripted, settings: Settings, answer: object
) -> None:
    feishu.next(200, answer)
    feishu.next(200, BOT)
    identity = BotIdentity()
    await identity.learn(settings, pause_s=0.001)

    assert identity.open_id == "ou_bot"


async def test_wrong_credentials_leave_it_unknown(feishu: Scripted, settings: Settings) -> None:
    feishu.token_answer = {"code": 10014, "msg": "app secret invalid"}
    identity = BotIdentity()
    learning = asyncio.create_task(identity.learn(settings, pause_s=0.001))
    await asyncio.sleep(0.05)
    learning.cancel()

    assert identity.open_id == ""
    with pytest.raises(FeishuError, match="10014"):
        await ask_open_id(settings)


async def test_a_feishu_that_is_away_is_an_http_error(make_settings: MakeSettings) -> None:
    with pytest.raises(httpx.HTTPError):
        await ask_open_id(make_settings(feishu_domain="http://127.0.0.1:1"))
