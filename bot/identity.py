"""Who the bot is in Feishu, asked in the background with httpx.

The bot does not load lark-oapi, whose import takes seconds and a hundred megabytes.
"""

import asyncio
from dataclasses import dataclass
from typing import TypeVar

import httpx
import msgspec
import structlog

from rankscope.errors import FeishuError
from rankscope.settings import Settings

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"  # noqa: S105 - a path
BOT_PATH = "/open-apis/bot/v3/info"
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
TIMEOUT_S = 10.0

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Token:
    tenant_access_token: str


@dataclass(frozen=True, slots=True)
class _Bot:
    open_id: str


@dataclass(frozen=True, slots=True)
class _Info:
    bot: _Bot


T = TypeVar("T")


@dataclass(slots=True)
class BotIdentity:
    """The bot's open_id; empty until Feishu has told it."""

    open_id: str = ""

    async def learn(self, settings: Settings, pause_s: float = FIRST_PAUSE_S) -> None:
        """Ask until there is an answer, with growing pauses."""
        while not self.open_id:
            try:
                self.open_id = await ask_open_id(settings)
            except (httpx.HTTPError, FeishuError) as error:
                _log.warning("bot identity unknown", error=str(error), again_in_s=pause_s)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        _log.info("bot identity known", open_id=self.open_id)


async def ask_open_id(settings: Settings) -> str:
    """Ask Feishu for the bot's open_id; raises httpx.HTTPError or FeishuError."""
    credentials = {
        "app_id": settings.feishu_app_id,
        "app_secret": settings.feishu_app_secret.get_secret_value(),
    }
    async with httpx.AsyncClient(base_url=settings.feishu_domain, timeout=TIMEOUT_S) as client:
        token = _read(await client.post(TOKEN_PATH, json=credentials), _Token)
        headers = {"Authorization": f"Bearer {token.tenant_access_token}"}
        return _read(await client.get(BOT_PATH, headers=headers), _Info).bot.open_id


def _read(response: httpx.Response, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(response.content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise FeishuError(
            f"Feishu answered HTTP {response.status_code}: {response.text[:200]}",
            "Check RANKSCOPE_FEISHU_APP_ID and RANKSCOPE_FEISHU_APP_SECRET.",
        ) from None
