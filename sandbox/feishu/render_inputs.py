"""Interactive components of cards to HTML: the page sends what is done to them by their path."""

from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup

from sandbox.feishu.pressing import calls_back, link_of
from sandbox.feishu.render_parts import Json, Look, content_of, listed, mapping, safe_link, text

_BUTTON_TYPES: Final = frozenset(
    {
        "default", "primary", "danger", "text", "primary_text", "danger_text", "primary_filled",
        "danger_filled", "laser",
    }
)  # fmt: skip
_INPUT_TYPES: Final = {
    "date_picker": ("date", "initial_date"),
    "picker_time": ("time", "initial_time"),
    "picker_datetime": ("datetime-local", "initial_datetime"),
}


def _confirmation(node: Json, look: Look) -> Markup:
    confirm = mapping(node.get("confirm"))
    if not confirm:
        return Markup("")
    return Markup(' data-confirm-title="{}" data-confirm-text="{}"').format(
        content_of(confirm.get("title"), look), content_of(confirm.get("text"), look)
    )


def _disabled(node: Json, look: Look) -> Markup:
    if not node.get("disabled"):
        return Markup(' title="{}"').format(content_of(node.get("hover_tips"), look))
    return Markup(' disabled title="{}"').format(content_of(node.get("disabled_tips"), look))


def acts(node: Json, look: Look, path: str) -> Markup:
    """Return the attributes that tell the page what pressing a component does."""
    attributes = Markup(' data-press="{}"').format(path) if calls_back(node) else Markup("")
    if url := safe_link(link_of(node)):
        attributes += Markup(' data-url="{}"').format(url)
    if node.get("form_action_type") in {"submit", "reset"}:
        attributes += Markup(' data-form-action="{}"').format(node["form_action_type"])
    return attributes + _confirmation(node, look) + _disabled(node, look)


def button(node: Json, look: Look, path: str) -> Markup:
    """Return a button."""
    kind = node.get("type") if node.get("type") in _BUTTON_TYPES else "default"
    size = node.get("size") if node.get("size") in {"tiny", "small", "large"} else "medium"
    fill = " fill" if node.get("width") == "fill" else ""
    return Markup('<button type="button" class="btn b-{} z-{}{}"{}>{}</button>').format(
        kind, size, fill, acts(node, look, path), content_of(node.get("text"), look)
    )


def _named(node: Json, path: str, look: Look) -> Markup:
    place = Markup(' data-choose="{}"').format(path) if calls_back(node) else Markup("")
    required = Markup(" required") if node.get("required") else Markup("")
    name = Markup(' name="{}"').format(node.get("name") or "")
    return name + place + required + _confirmation(node, look) + _disabled(node, look)


def _field(node: Json, look: Look, inner: Markup) -> Markup:
    label = content_of(node.get("label"), look)
    shown = Markup("<span>{}</span>").format(label) if label else Markup("")
    return Markup('<label class="field">{}{}</label>').format(shown, inner)


def text_input(node: Json, look: Look, path: str) -> Markup:
    """Return an input of one or more lines."""
    hint, value = content_of(node.get("placeholder"), look), node.get("default_value", "")
    most = node.get("max_length", 1000)
    if node.get("input_type") == "multiline_text":
        return _field(
            node,
            look,
            Markup('<textarea rows="{}" maxlength="{}" placeholder="{}"{}>{}</textarea>').format(
                node.get("rows", 3), most, hint, _named(node, path, look), value
            ),
        )
    kind = "password" if node.get("input_type") == "password" else "text"
    return _field(
        node,
        look,
        Markup('<input type="{}" maxlength="{}" placeholder="{}" value="{}"{}>').format(
            kind, most, hint, value, _named(node, path, look)
        ),
    )


def _options(node: Json, look: Look) -> list[tuple[str, str]]:
    people = [(open_id, name) for open_id, name in look.names.names.items()]
    given = [
        (str(option.get("value", "")), content_of(option.get("text"), look))
        for option in listed(node.get("options"))
    ]
    if "person" not in str(node.get("tag")):
        return [(value, shown or value) for value, shown in given]
    return [(value, look.names.of(value)) for value, _ in given] or people


def select(node: Json, look: Look, path: str) -> Markup:
    """Return a choice of one or of many."""
    many = str(node.get("tag", "")).startswith("multi")
    chosen = node.get("selected_values") if many else [node.get("initial_option")]
    picked = chosen if isinstance(chosen, list) else []
    options = Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(
            value, Markup(" selected") if value in picked else "", shown
        )
        for value, shown in _options(node, look)
    )
    hint = content_of(node.get("placeholder"), look)
    first = Markup("") if many else Markup('<option value="">{}</option>').format(hint)
    several = Markup(" multiple") if many else Markup("")
    return _field(
        node,
        look,
        Markup("<select{}{}>{}{}</select>").format(
            several, _named(node, path, look), first, options
        ),
    )


def picker(node: Json, look: Look, path: str) -> Markup:
    """Return a date, a time, or both."""
    kind, initial = _INPUT_TYPES[str(node["tag"])]
    return _field(
        node,
        look,
        Markup('<input type="{}" value="{}"{}>').format(
            kind, node.get(initial, ""), _named(node, path, look)
        ),
    )


def overflow(node: Json, look: Look, path: str) -> Markup:
    """Return the menu behind three dots."""
    items = Markup("").join(
        Markup(
            '<button type="button" class="btn b-text" data-press="{}" data-option="{}">{}</button>'
        ).format(path, value, shown)
        for value, shown in _options(node, look)
    )
    return Markup('<details class="overflow"><summary>⋯</summary>{}</details>').format(items)


def checker(node: Json, look: Look, path: str) -> Markup:
    """Return a box to tick."""
    checked = Markup(" checked") if node.get("checked") else Markup("")
    return Markup('<label class="checker"><input type="checkbox"{}{}> {}</label>').format(
        checked, _named(node, path, look), text(node.get("text"), look)
    )


INPUTS: Final[Mapping[str, Callable[[Json, Look, str], Markup]]] = {
    "button": button,
    "input": text_input,
    "select_static": select,
    "multi_select_static": select,
    "select_person": select,
    "multi_select_person": select,
    "date_picker": picker,
    "picker_time": picker,
    "picker_datetime": picker,
    "overflow": overflow,
    "checker": checker,
}
