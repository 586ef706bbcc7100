"""Cards of JSON 2.0 to HTML, as the client shows them.

Every text passes markupsafe or the markdown sanitiser; sizes go into data attributes, which the
page turns into styles, since the page's policy allows no inline style.
"""

from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup

from sandbox.feishu.cardspec import TEMPLATES
from sandbox.feishu.render_chart import render_chart
from sandbox.feishu.render_inputs import INPUTS, acts
from sandbox.feishu.render_markdown import IMAGES, color_class, render_markdown
from sandbox.feishu.render_parts import (
    Json,
    Look,
    align_class,
    content_of,
    listed,
    mapping,
    safe_link,
    size_class,
    sizes,
    text,
)
from sandbox.feishu.render_table import render_table

_FLEX: Final = frozenset({"none", "stretch", "flow", "bisect", "trisect"})


def render_card(card: Json, look: Look) -> Markup:
    """Return a whole card."""
    config, body = mapping(card.get("config")), mapping(card.get("body"))
    width = config.get("width_mode")
    mode = width if width in {"compact", "fill"} else "default"
    return Markup(
        '<section class="card m-{}">{}<div class="card-body"{}>{}</div></section>'
    ).format(mode, _header(card, look), sizes(body), render_elements(body, look, "body"))


def _header(card: Json, look: Look) -> Markup:
    header = mapping(card.get("header"))
    if not header:
        return Markup("")
    template = header.get("template")
    title = text(header.get("title"), look)
    if url := safe_link(mapping(card.get("card_link")).get("url")):
        title = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>').format(
            url, title
        )
    tags = Markup("").join(
        Markup('<span class="tag {}">{}</span>').format(
            color_class(str(tag.get("color", "neutral")), "t"), content_of(tag.get("text"), look)
        )
        for tag in listed(header.get("text_tag_list"))
    )
    subtitle = content_of(header.get("subtitle"), look)
    below = Markup('<p class="subtitle">{}</p>').format(subtitle) if subtitle else Markup("")
    return Markup('<header class="card-header h-{}"><h3>{}{}</h3>{}</header>').format(
        template if template in TEMPLATES else "default", title, tags, below
    )


def render_elements(parent: Json, look: Look, path: str) -> Markup:
    """Return the components inside a container."""
    return Markup("").join(
        _element(node, look, f"{path}.elements[{place}]")
        for place, node in enumerate(listed(parent.get("elements")))
    )


def _element(node: Json, look: Look, path: str) -> Markup:
    tag = str(node.get("tag", ""))
    render = RENDERERS.get(tag)
    if render is None:
        return Markup("")
    return Markup('<div class="el el-{}" data-element-id="{}"{}>{}</div>').format(
        tag,
        node.get("element_id", ""),
        sizes({"margin": node.get("margin")}),
        render(node, look, path),
    )


def _markdown(node: Json, look: Look, path: str) -> Markup:
    del path
    return Markup('<div class="md {} {}">{}</div>').format(
        size_class(node.get("text_size")),
        align_class(node, "text_align", "a"),
        render_markdown(content_of(node, look), look.names),
    )


def _div(node: Json, look: Look, path: str) -> Markup:
    del path
    return Markup("<div{}>{}</div>").format(
        sizes({"width": node.get("width")}), text(node.get("text"), look)
    )


def _column_set(node: Json, look: Look, path: str) -> Markup:
    flex = node.get("flex_mode") if node.get("flex_mode") in _FLEX else "none"
    columns = Markup("").join(
        _column(column, look, f"{path}.columns[{place}]")
        for place, column in enumerate(listed(node.get("columns")))
    )
    return Markup('<div class="columns f-{} {} {}"{}>{}</div>').format(
        flex, _background(node), align_class(node, "horizontal_align", "j"), sizes(node), columns
    )


def _column(node: Json, look: Look, path: str) -> Markup:
    weight = node.get("weight")
    weighted = f"w-{weight if weight in {1, 2, 3, 4, 5} else 1}"
    width = weighted if node.get("width") == "weighted" else "w-auto"
    return Markup('<div class="column {} {} {} {}"{}>{}</div>').format(
        width,
        _background(node),
        align_class(node, "vertical_align", "v"),
        align_class(node, "horizontal_align", "i"),
        sizes(node),
        render_elements(node, look, path),
    )


def _background(node: Json) -> str:
    style = str(node.get("background_style") or node.get("background_color") or "default")
    return color_class(style, "bg")


def _panel(node: Json, look: Look, path: str) -> Markup:
    header, border = mapping(node.get("header")), mapping(node.get("border"))
    return Markup(
        '<details class="panel {}{} icon-{}" data-panel="{}"{}><summary class="{}">'
        '<span class="chevron"></span>{}</summary><div class="panel-body"{}>{}</div></details>'
    ).format(
        _background(node),
        " bordered" if border else "",
        "right" if header.get("icon_position") == "right" else "left",
        path,
        Markup(" open") if node.get("expanded") else "",
        _background(header),
        text(header.get("title"), look),
        sizes(node),
        render_elements(node, look, path),
    )


def _form(node: Json, look: Look, path: str) -> Markup:
    return Markup('<form class="card-form" data-form="{}" novalidate{}>{}</form>').format(
        node.get("name", ""), sizes(node), render_elements(node, look, path)
    )


def _container(node: Json, look: Look, path: str) -> Markup:
    border = " bordered" if node.get("has_border") else ""
    return Markup('<div class="touch {}{}" role="button" tabindex="0"{}{}>{}</div>').format(
        _background(node), border, acts(node, look, path), sizes(node),
        render_elements(node, look, path),
    )  # fmt: skip


def _image(node: Json, look: Look, path: str) -> Markup:
    del path
    return Markup('<img class="picture" src="{}{}" alt="{}" loading="lazy">').format(
        IMAGES, node.get("img_key", ""), content_of(node.get("alt"), look)
    )


def _images(node: Json, look: Look, path: str) -> Markup:
    del look, path
    pictures = Markup("").join(
        Markup('<img class="picture" src="{}{}" alt="">').format(IMAGES, item.get("img_key", ""))
        for item in listed(node.get("img_list"))
    )
    return Markup('<div class="pictures">{}</div>').format(pictures)


def _person(node: Json, look: Look, path: str) -> Markup:
    del path
    return _people([str(node.get("user_id", ""))], look)


def _persons(node: Json, look: Look, path: str) -> Markup:
    del path
    return _people([str(person.get("id", "")) for person in listed(node.get("persons"))], look)


def _people(ids: list[str], look: Look) -> Markup:
    return Markup(" ").join(
        Markup('<span class="person"><span class="avatar">{}</span>{}</span>').format(
            look.names.of(one)[:1], look.names.of(one)
        )
        for one in ids
    )


def _rule(node: Json, look: Look, path: str) -> Markup:
    del node, look, path
    return Markup("<hr>")


def _table(node: Json, look: Look, path: str) -> Markup:
    del path
    return render_table(node, look.names)


def _chart(node: Json, look: Look, path: str) -> Markup:
    del look, path
    return render_chart(mapping(node.get("chart_spec")))


RENDERERS: Final[Mapping[str, Callable[[Json, Look, str], Markup]]] = {
    **INPUTS,
    "markdown": _markdown,
    "div": _div,
    "column_set": _column_set,
    "collapsible_panel": _panel,
    "form": _form,
    "interactive_container": _container,
    "img": _image,
    "img_combination": _images,
    "person": _person,
    "person_list": _persons,
    "hr": _rule,
    "table": _table,
    "chart": _chart,
}
