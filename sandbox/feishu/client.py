"""A client for the emulator's control API: be a person in the chat, from Python."""

import time
from collections.abc import Callable
from dataclasses import asdict
from types import TracebackType
from typing import Self, TypeVar

import httpx
import msgspec

from rankscope.errors import NotFound, RankscopeError, UnusableInput
from sandbox.feishu.faults import Fault
from sandbox.feishu.people import Saying
from sandbox.feishu.pressing import Press
from sandbox.feishu.views import ChatView, MessageView

Json = dict[str, object]
Kind = TypeVar("Kind")
POLL_S = 0.05


class EmulatorTimeout(RankscopeError):
    """What was waited for did not happen in time."""


class ClickError(msgspec.Struct, frozen=True):
    """Why a click failed: the code that the client shows, and a detail for the bot's author."""

    code: int
    detail: str
    text: dict[str, str]


class PressResult(msgspec.Struct, frozen=True):
    """What the person sees after pressing a button."""

    toast: Json | None
    card: Json | None
    error: ClickError | None
    url: str = ""


class DeliveryView(msgspec.Struct, frozen=True):
    """A pushed event; each attempt has its time in ms and its outcome."""

    event_id: str
    event_type: str
    state: str
    attempts: list[Json]


class DeliveredView(msgspec.Struct, frozen=True):
    """What the bot answered to one envelope; the answer is empty when it is no JSON object."""

    status: int
    answer: Json
    took_ms: float


class EmulatorClient:
    """Talks to a running emulator; raises NotFound, UnusableInput or EmulatorTimeout."""

    def __init__(self, url: str, timeout_s: float = 10.0) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.url}/emulator/api", timeout=timeout_s, trust_env=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def chats(self) -> list[ChatView]:
        """Return all chats."""
        return self._call("GET", "/chats", list[ChatView])

    def chat_id(self, name: str = "") -> str:
        """Return the id of a group by name, of the first group when there is no name."""
        for chat in self.chats():
            if name == chat.name or (not name and chat.chat_type == "group"):
                return chat.chat_id
        raise NotFound(f"There is no chat called {name}.")

    def messages(self, chat_id: str) -> list[MessageView]:
        """Return a chat's messages, oldest first."""
        return self._call("GET", f"/chats/{chat_id}/messages", list[MessageView])

    def say(
        self,
        chat_id: str,
        text: str,
        *,
        user: str = "",
        mention_bot: bool = True,
        parent_id: str = "",
    ) -> MessageView:
        """Write as a person, the first one when there is no user."""
        saying = Saying(text=text, user=user, mention_bot=mention_bot, parent_id=parent_id)
        return self._call("POST", f"/chats/{chat_id}/messages", MessageView, asdict(saying))

    def choose(self, event_key: str, *, user: str = "") -> str:
        """Choose an item of the bot's menu; return the id of its event."""
        body: Json = {"event_key": event_key, "user": user}
        return self._call("POST", "/menu", dict[str, str], body)["event_id"]

    def trouble(self, name: str, *, chat_id: str = "") -> list[str]:
        """Press a button of the fault panel; return what is still to go wrong."""
        called = self._call("POST", f"/trouble/{name}", dict[str, list[str]], {"chat_id": chat_id})
        return called["under_way"]

    def press(self, message_id: str, button: str, *, user: str = "") -> PressResult:
        """Press a button, named by its element_id or visible text."""
        return self.act(message_id, Press(button=button, user=user))

    def act(self, message_id: str, press: Press) -> PressResult:
        """Press a button, choose an option, or submit a form."""
        return self._call("POST", f"/messages/{message_id}/press", PressResult, asdict(press))

    def wait_for(
        self,
        predicate: Callable[[MessageView], bool],
        timeout_s: float = 10.0,
        *,
        chat_id: str = "",
    ) -> MessageView:
        """Return the first message that fits, in one chat or in all; raises EmulatorTimeout."""
        deadline = time.monotonic() + timeout_s
        while True:
            chats = [chat_id] if chat_id else [chat.chat_id for chat in self.chats()]
            seen = [message for chat in chats for message in self.messages(chat)]
            for message in seen:
                if predicate(message):
                    return message
            if time.monotonic() >= deadline:
                there = "; ".join(f"{m.sender.name}: {m.text[:60]!r}" for m in seen[-5:])
                raise EmulatorTimeout(
                    f"No such message within {timeout_s:g} s.", f"The last ones: {there or 'none'}."
                )
            time.sleep(POLL_S)

    def deliveries(self) -> list[DeliveryView]:
        """Return all events that were pushed, with their attempts."""
        return self._call("GET", "/deliveries", list[DeliveryView])

    def subscription(self) -> Json:
        """Return whether the bot has answered the challenge."""
        return self._call("GET", "/subscription", Json)

    def point_at(self, event_url: str, callback_url: str = "") -> None:
        """Change where the emulator pushes to."""
        body: Json = {"event_url": event_url, "callback_url": callback_url}
        self._call("POST", "/subscription", Json, body)

    def add_chat(self, name: str, *, bot_inside: bool = True) -> ChatView:
        """Create a group."""
        return self._call("POST", "/chats", ChatView, {"name": name, "bot_inside": bot_inside})

    def move_bot(self, chat_id: str, *, inside: bool) -> None:
        """Put the bot into a group or take it out."""
        self._call("POST", f"/chats/{chat_id}/bot", ChatView, {"inside": inside})

    def fault(self, fault: Fault) -> None:
        """Ask for a failure in the next calls of the open platform."""
        self._call("POST", "/faults", Json, asdict(fault))

    def drop_connections(self, *, silently: bool = False) -> int:
        """End all long connections; silently: they stay open, but nothing passes any more."""
        path = "/connections/silence" if silently else "/connections/drop"
        return self._call("POST", path, dict[str, int], {})["connections"]

    def reorder(self, count: int) -> None:
        """Deliver the next events only when there are so many, the last one first."""
        self._call("POST", "/deliveries/reorder", Json, {"count": count})

    def deliver(self, payload: Json) -> DeliveredView:
        """Deliver an envelope of one's own, once, and return what the bot answered."""
        return self._call("POST", "/deliver", DeliveredView, payload)

    def skip(self, seconds: float) -> None:
        """Move the emulator's clock forward."""
        self._call("POST", "/clock", Json, {"seconds": seconds})

    def revoke_tokens(self) -> None:
        """Make all tenant access tokens invalid."""
        self._call("POST", "/tokens/revoke", Json, {})

    def check_card(self, card: Json) -> list[Json]:
        """Return everything that the platform would refuse in a card."""
        return self._call("POST", "/card-check", dict[str, list[Json]], card)["problems"]

    def reset(self) -> None:
        """Go back to empty chats."""
        self._call("POST", "/reset", Json, {})

    def _call(self, method: str, path: str, kind: type[Kind], body: Json | None = None) -> Kind:
        answer = self._http.request(method, path, json=body)
        if answer.status_code == 404:
            raise NotFound(str(answer.json().get("error") or answer.text))
        if answer.status_code == 400:
            raise UnusableInput(str(answer.json().get("error") or answer.text))
        answer.raise_for_status()
        return msgspec.json.decode(answer.content, type=kind)
