"""The values that card JSON 2.0 components share: sizes, texts, icons, confirmations, behaviours.

Source: the component pages of card JSON 2.0 and its release notes on breaking changes. An attribute
that is not listed is refused, as the platform refuses it.
"""

from typing import Final

from sandbox.feishu.cardrules import (
    by_kind,
    by_tag,
    either,
    integer,
    many,
    mapping,
    matching,
    one_of,
    record,
    text,
)

TEMPLATES: Final = (
    "blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "violet",
    "purple", "indigo", "grey", "default",
)  # fmt: skip
TAG_COLORS: Final = (
    "neutral", "blue", "turquoise", "lime", "orange", "violet", "indigo", "wathet", "green",
    "yellow", "red", "purple", "carmine",
)  # fmt: skip

_PIXELS = r"-?\d{1,2}px"
margin = matching(rf"{_PIXELS}|0|{_PIXELS} {_PIXELS}|({_PIXELS} ){{3}}{_PIXELS}", "[-99,99]px")
padding = matching(r"(\d{1,2}px|0)( \d{1,2}px){0,3}", "[0,99]px")
spacing = matching(r"\d{1,2}px|small|medium|large|extra_large", "a spacing such as 8px")
pixels = matching(r"\d+px", "a size such as 120px")
element_id = matching(r"[A-Za-z][A-Za-z0-9_]{0,19}", "an element_id (letter first, 20 at most)")
horizontal = one_of("left", "center", "right")
vertical = one_of("top", "center", "bottom")
width = either(one_of("default", "fill", "auto"), pixels)

icon = by_tag(
    {
        "standard_icon": record(
            {"tag": text, "token": text, "color": text, "size": text}, "tag", "token"
        ),
        "custom_icon": record({"tag": text, "img_key": text, "size": text}, "tag", "img_key"),
    }
)
_TEXT: Final = {
    "tag": text,
    "content": text,
    "i18n_content": mapping,
    "element_id": element_id,
    "text_size": text,
    "text_color": text,
    "text_align": horizontal,
    "lines": integer(1, 100),
}
plain_text = by_tag({"plain_text": record(_TEXT, "tag", "content")})
plain_or_lark = by_tag(
    {"plain_text": record(_TEXT, "tag", "content"), "lark_md": record(_TEXT, "tag", "content")}
)
title = by_tag(
    {
        "plain_text": record(_TEXT, "tag", "content"),
        "markdown": record({**_TEXT, "icon": icon, "margin": margin}, "tag", "content"),
        "lark_md": record(_TEXT, "tag", "content"),
    }
)
text_tag = by_tag(
    {
        "text_tag": record(
            {
                "tag": text,
                "element_id": element_id,
                "text": plain_text,
                "color": one_of(*TAG_COLORS),
            },
            "tag",
            "text",
        )
    }
)
confirm = record({"title": plain_text, "text": plain_text}, "title")
url_set = record({"url": text, "android_url": text, "ios_url": text, "pc_url": text})

behaviors = many(
    by_kind(
        "type",
        {
            "callback": record({"type": text, "value": mapping}, "value"),
            "open_url": record(
                {
                    "type": text,
                    "default_url": text,
                    "android_url": text,
                    "ios_url": text,
                    "pc_url": text,
                },
                "default_url",
            ),
            "form_action": record(
                {"type": text, "behavior": one_of("submit", "reset")}, "behavior"
            ),
        },
    )
)
