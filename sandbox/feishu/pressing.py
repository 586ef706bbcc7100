"""Finding the component a person means, and what pressing it sends.

A component is named by its element_id, its visible text, its name, or its path in the card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankscope.errors import NotFound, UnusableInput
from sandbox.feishu.cardcheck import Place, places
from sandbox.feishu.cardcomponents import INTERACTIVE

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What a person does to a card; the last five are what was filled in or chosen."""

    button: str
    user: str = ""
    form_value: Json = field(default_factory=dict)
    input_value: str | None = None
    option: str | None = None
    options: list[str] | None = None
    checked: bool | None = None


def find(card: Json, wanted: str) -> Place:
    """Return the one component that is meant; raises NotFound or UnusableInput."""
    able = [place for place in places(card) if place.tag in INTERACTIVE]
    for names in (_path, _element_id, _text, _name):
        found = [place for place in able if wanted and names(place) == wanted]
        if len(found) > 1:
            raise UnusableInput(
                f"{len(found)} buttons are called {wanted!r}.", "Name one by its element_id."
            )
        if found:
            return found[0]
    listed = ", ".join(filter(None, (_element_id(p) or _text(p) or p.path for p in able)))
    raise NotFound(f"The card has no button {wanted!r}.", f"It has: {listed or 'none'}.")


def _path(place: Place) -> str:
    return place.path


def _element_id(place: Place) -> str:
    return str(place.node.get("element_id", ""))


def _text(place: Place) -> str:
    shown = place.node.get("text")
    return str(shown.get("content", "")) if isinstance(shown, dict) else ""


def _name(place: Place) -> str:
    return str(place.node.get("name", ""))


def behavior(node: Mapping[str, object], kind: str) -> Json | None:
    """Return a component's behaviour of one type, or None."""
    listed = node.get("behaviors")
    if isinstance(listed, list):
        return next((b for b in listed if isinstance(b, dict) and b.get("type") == kind), None)
    return None


def link_of(node: Mapping[str, object]) -> str:
    """Return the URL a component opens, or an empty string."""
    opens = behavior(node, "open_url") or {}
    return str(opens.get("default_url") or node.get("url") or "")


def calls_back(node: Mapping[str, object]) -> bool:
    """Whether pressing a component tells the bot."""
    submits = node.get("form_action_type") == "submit"
    acts = behavior(node, "form_action") or {}
    return bool(
        behavior(node, "callback") is not None
        or isinstance(node.get("value"), dict)
        or submits
        or acts.get("behavior") == "submit"
    )


def action(place: Place, press: Press) -> Json:
    """Return the `action` object of a click."""
    node = place.node
    callback = behavior(node, "callback") or {}
    sent: Json = {
        "value": callback.get("value") or node.get("value") or {},
        "tag": place.tag,
        "timezone": "Asia/Shanghai",
    }
    filled: Json = {
        "name": node.get("name"),
        "form_value": press.form_value or None,
        "input_value": press.input_value,
        "option": press.option,
        "options": press.options,
        "checked": press.checked,
    }
    return sent | {key: value for key, value in filled.items() if value is not None}
