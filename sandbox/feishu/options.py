"""How an emulator is set up; the command line and the fixtures fill this in."""

from dataclasses import dataclass
from typing import Final, Literal

Receive = Literal["auto", "http", "long"]

RETRY_AFTER_S: Final = (15.0, 300.0, 3600.0, 21600.0)
"""When an event that was not answered is pushed again (event subscription guide)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The app's credentials, where the bot listens, and what the chat page shows."""

    host: str = "127.0.0.1"
    port: int = 8787
    app_id: str = "cli_emulator"
    app_secret: str = "emulator-secret"  # noqa: S105 - known to everybody on purpose
    encrypt_key: str = ""
    verification_token: str = "emulator-token"  # noqa: S105
    event_url: str = ""
    callback_url: str = ""
    bot_name: str = "rankscope"
    people: tuple[str, ...] = ("王伟=值班", "林娜=算法")
    """Names, each with what the person does after an equals sign."""
    menu: tuple[str, ...] = ("help", "jobs", "status")
    """Keys of the bot's own menu in private chats."""
    chats: tuple[str, ...] = ("训练值班群",)
    retry_after_s: tuple[float, ...] = RETRY_AFTER_S
    deliver_twice: bool = False
    lock_cards: bool = True
    receive: Receive = "auto"
    """How events and clicks reach the bot; auto: over a long connection while one is open."""
    most_connections: int = 50
    ping_s: int = 10
    reconnect_s: int = 2
    reconnect_jitter_s: int = 1
    """What a client of the long connection is told; the platform says 120, 120 and 30."""
    frame_bytes: int = 64 * 1024
    """Longer events come in several frames."""
    hook_secret: str = ""

    @property
    def clicks_url(self) -> str:
        """Where card clicks go: the callback URL, or else the event URL."""
        return self.callback_url or self.event_url
