"""The fault panel: everything that can go wrong between a bot and Feishu, by name.

Calls of the bot that fail (`Fault`), and what happens to messages, events, tokens and connections.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

from rankscope.errors import NotFound, UnusableInput
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.faults import Fault

HTML: Final = "<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>"
MESSAGES: Final = "/im/v1/"
REORDERED: Final = 2

FAULTS: Final[Mapping[str, Fault]] = {
    "rate": Fault(path=MESSAGES, code=99991400, retry_after_s=1, times=3),
    "server": Fault(path=MESSAGES, status=500, body='{"code": 1, "msg": "internal"}', times=3),
    "html": Fault(path=MESSAGES, status=502, body=HTML, times=3),
    "slow": Fault(path=MESSAGES, delay_s=5, times=3),
    "lost": Fault(path=MESSAGES, status=504, body=HTML, after=True),
    "refused": Fault(path=MESSAGES, code=230002),
}
"""What the next calls about messages get."""

Act = Callable[[Emulator, str], Awaitable[None]]


async def make_trouble(emulator: Emulator, name: str, chat_id: str = "") -> None:
    """Let something go wrong; raises NotFound for another name, UnusableInput without an object."""
    if name in FAULTS:
        emulator.faults.add(replace(FAULTS[name]))
    elif name in _ACTS:
        await _ACTS[name](emulator, chat_id)
    else:
        raise NotFound(f"There is no trouble called {name}.", f"There is: {', '.join(NAMES)}.")


async def _expire_tokens(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    emulator.tenant_tokens.revoke_all()


async def _recall(emulator: Emulator, chat_id: str) -> None:
    """Take back the bot's last message, as the owner of a group may."""
    sent = [
        message
        for message in emulator.world.messages.values()
        if message.sender_type == "app"
        and not message.recalled
        and message.chat_id in {chat_id, chat_id or message.chat_id}
    ]
    if not sent:
        raise UnusableInput("The bot has no message here that could be recalled.")
    sent[-1].recalled = True
    emulator.world.changed(sent[-1])


async def _twice(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    emulator.deliveries.twice = not emulator.deliveries.twice


async def _reorder(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    emulator.deliveries.reorder(REORDERED)


async def _drop(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    if not await emulator.connections.drop():
        raise UnusableInput("No long connection is open.")


async def _silence(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    if not emulator.connections.silence():
        raise UnusableInput("No long connection is open.")


async def _clear(emulator: Emulator, chat_id: str) -> None:
    del chat_id
    emulator.faults.clear()
    emulator.deliveries.twice = False
    emulator.deliveries.release()


_ACTS: Final[Mapping[str, Act]] = {
    "token": _expire_tokens,
    "recall": _recall,
    "twice": _twice,
    "reorder": _reorder,
    "drop": _drop,
    "silence": _silence,
    "clear": _clear,
}
NAMES: Final = (*FAULTS, *_ACTS)


def under_way(emulator: Emulator) -> list[str]:
    """Return the names of the troubles that are still to come."""
    pending = emulator.faults.pending
    names = [name for name, fault in FAULTS.items() if fault in pending]
    deliveries = emulator.deliveries
    return names + ["twice"] * deliveries.twice + ["reorder"] * deliveries.holds_back
