"""What the routes share, found in `app.state` and given its type back."""

from starlette.requests import Request

from bot.identity import BotIdentity
from rankscope.settings import Settings
from rankscope.store.state import State


def settings_of(request: Request) -> Settings:
    """Return the bot's settings."""
    settings: Settings = request.app.state.settings
    return settings


def state_of(request: Request) -> State:
    """Return the records in Redis."""
    state: State = request.app.state.state
    return state


def identity_of(request: Request) -> BotIdentity:
    """Return who the bot is in Feishu."""
    identity: BotIdentity = request.app.state.identity
    return identity
