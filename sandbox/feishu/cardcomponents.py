"""The components of card JSON 2.0 as data: the attributes of each, and what they may be.

Source: the component pages of card JSON 2.0. Attributes of interactive components that only work
inside a form are allowed everywhere, as on the platform.
"""

from typing import Final

from sandbox.feishu.cardrules import (
    Rule,
    anything,
    boolean,
    by_tag,
    either,
    integer,
    length,
    many,
    mapping,
    matching,
    one_of,
    record,
    text,
)
from sandbox.feishu.cardspec import (
    TEMPLATES,
    behaviors,
    confirm,
    element_id,
    horizontal,
    icon,
    margin,
    padding,
    pixels,
    plain_or_lark,
    plain_text,
    spacing,
    text_tag,
    title,
    url_set,
    vertical,
    width,
)

COMPONENTS: Final[dict[str, Rule]] = {}
component = by_tag(COMPONENTS)
elements = many(component)

_BASE: Final[dict[str, Rule]] = {"tag": text, "element_id": element_id, "margin": margin}
_BOX: Final[dict[str, Rule]] = {
    "direction": one_of("vertical", "horizontal"),
    "padding": padding,
    "horizontal_spacing": spacing,
    "horizontal_align": horizontal,
    "vertical_spacing": spacing,
    "vertical_align": vertical,
    "elements": elements,
}
_INPUT: Final[dict[str, Rule]] = {
    **_BASE,
    "name": text,
    "required": boolean,
    "disabled": boolean,
    "disabled_tips": plain_text,
    "hover_tips": plain_text,
    "placeholder": plain_text,
    "width": width,
    "value": mapping,
    "behaviors": behaviors,
    "confirm": confirm,
}
_option: Final = record(
    {"text": plain_text, "icon": icon, "value": text, "multi_url": url_set}, "value"
)
_SELECT: Final[dict[str, Rule]] = {
    **_INPUT,
    "type": one_of("default", "text"),
    "options": many(_option),
    "initial_index": integer(0, 10_000),
    "initial_option": text,
    "selected_values": many(text),
}
_PERSON: Final[dict[str, Rule]] = {
    **_BASE,
    "size": one_of("extra_small", "small", "medium", "large"),
    "show_avatar": boolean,
    "show_name": boolean,
}
_column: Final = by_tag(
    {
        "column": record(
            {
                **_BASE,
                **_BOX,
                "background_style": text,
                "width": either(one_of("auto", "weighted"), pixels),
                "weight": integer(1, 5),
                "action": record({"multi_url": url_set}),
            },
            "tag",
            "elements",
        )
    }
)
_table_column: Final = record(
    {
        "name": text,
        "display_name": text,
        "data_type": one_of("text", "lark_md", "markdown", "options", "number", "persons", "date"),
        "width": either(
            matching(r"auto|([1-9]\d?|100)%", "auto, [80,600]px or a percentage"),
            matching(r"([89]\d|[1-5]\d\d|600)px", "[80,600]px"),
        ),
        "horizontal_align": horizontal,
        "vertical_align": vertical,
        "format": record({"precision": integer(0, 10), "symbol": text, "separator": boolean}),
        "date_format": text,
    },
    "name",
)
_header_style: Final = record(
    {
        "text_align": horizontal,
        "text_size": one_of("normal", "heading"),
        "background_style": one_of("grey", "none"),
        "text_color": one_of("default", "grey"),
        "bold": boolean,
        "lines": integer(1, 100),
    }
)

COMPONENTS.update(
    {
        "column_set": record(
            {
                **_BASE,
                "flex_mode": one_of("none", "stretch", "flow", "bisect", "trisect"),
                "background_style": text,
                "horizontal_spacing": spacing,
                "horizontal_align": horizontal,
                "columns": many(_column),
                "action": record({"multi_url": url_set}),
            },
            "columns",
        ),
        "form": record({**_BASE, **_BOX, "name": text, "confirm": confirm}, "name", "elements"),
        "interactive_container": record(
            {
                **_BASE,
                **_BOX,
                "width": width,
                "height": either(one_of("auto"), pixels),
                "background_style": text,
                "has_border": boolean,
                "border_color": text,
                "corner_radius": pixels,
                "behaviors": behaviors,
                "hover_tips": plain_text,
                "disabled": boolean,
                "disabled_tips": plain_text,
                "confirm": confirm,
            },
            "elements",
            "behaviors",
        ),
        "collapsible_panel": record(
            {
                **_BASE,
                **_BOX,
                "expanded": boolean,
                "background_color": text,
                "border": record({"color": text, "corner_radius": pixels}),
                "header": record(
                    {
                        "title": title,
                        "background_color": text,
                        "vertical_align": vertical,
                        "padding": matching(r"\d{1,2}px( \d{1,2}px){3}|\d{1,2}px", "1 or 4 sizes"),
                        "position": vertical,
                        "width": width,
                        "icon": icon,
                        "icon_position": one_of("left", "right", "follow_text"),
                        "icon_expanded_angle": integer(-180, 180),
                    },
                    "title",
                ),
            },
            "header",
            "elements",
        ),
        "div": record({**_BASE, "text": plain_or_lark, "icon": icon, "width": width}, "text"),
        "markdown": record(
            {
                **_BASE,
                "content": text,
                "i18n_content": mapping,
                "text_align": horizontal,
                "text_size": text,
                "icon": icon,
            },
            "content",
        ),
        "img": record(
            {
                **_BASE,
                "img_key": text,
                "alt": plain_text,
                "title": plain_text,
                "corner_radius": matching(r"\d+(px|%)", "a radius"),
                "scale_type": one_of("crop_center", "crop_top", "fit_horizontal"),
                "mode": one_of(
                    "crop_center", "fit_horizontal", "stretch", "large", "medium", "small", "tiny"
                ),
                "size": text,
                "transparent": boolean,
                "preview": boolean,
                "custom_width": integer(1, 10_000),
                "compact_width": boolean,
            },
            "img_key",
            "alt",
        ),
        "img_combination": record(
            {
                **_BASE,
                "combination_mode": one_of("double", "triple", "bisect", "trisect"),
                "combination_transparent": boolean,
                "corner_radius": matching(r"\d+(px|%)", "a radius"),
                "img_list": many(record({"img_key": text}, "img_key")),
            },
            "combination_mode",
            "img_list",
        ),
        "person": record(
            {**_PERSON, "user_id": text, "style": one_of("normal", "capsule")}, "user_id"
        ),
        "person_list": record(
            {
                **_PERSON,
                "persons": many(record({"id": text}, "id")),
                "lines": integer(1, 100),
                "drop_invalid_user_id": boolean,
                "icon": icon,
            },
            "persons",
        ),
        "chart": record(
            {
                **_BASE,
                "aspect_ratio": one_of("1:1", "2:1", "4:3", "16:9"),
                "color_theme": text,
                "chart_spec": mapping,
                "preview": boolean,
                "height": either(one_of("auto"), pixels),
            },
            "chart_spec",
        ),
        "hr": record(_BASE),
        "table": record(
            {
                **_BASE,
                "page_size": integer(1, 10),
                "row_height": either(
                    one_of("low", "middle", "high", "auto"),
                    matching(r"(3[2-9]|[4-9]\d|1[01]\d|12[0-4])px", "[32,124]px"),
                ),
                "row_max_height": pixels,
                "freeze_first_column": boolean,
                "header_style": _header_style,
                "columns": many(_table_column, most=50),
                "rows": many(mapping),
            },
            "columns",
            "rows",
        ),
        "button": record(
            {
                **_INPUT,
                "type": one_of(
                    "default",
                    "primary",
                    "danger",
                    "text",
                    "primary_text",
                    "danger_text",
                    "primary_filled",
                    "danger_filled",
                    "laser",
                ),
                "size": one_of("tiny", "small", "medium", "large"),
                "width": either(one_of("default", "fill"), matching(r"[1-9]\d{2,}px", "[100,∞)px")),
                "text": length(100, plain_text),
                "icon": icon,
                "url": text,
                "multi_url": url_set,
                "form_action_type": one_of("submit", "reset"),
            }
        ),
        "input": record(
            {
                **_INPUT,
                "default_value": text,
                "max_length": integer(1, 1000),
                "input_type": one_of("text", "multiline_text", "password"),
                "show_icon": boolean,
                "rows": integer(1, 100),
                "auto_resize": boolean,
                "max_rows": integer(1, 100),
                "label": plain_text,
                "label_position": one_of("top", "left"),
            }
        ),
        "select_static": record(_SELECT, "options"),
        "multi_select_static": record(_SELECT, "options"),
        "select_person": record(_SELECT),
        "multi_select_person": record(_SELECT),
        "date_picker": record({**_INPUT, "initial_date": text}),
        "picker_time": record({**_INPUT, "initial_time": text}),
        "picker_datetime": record({**_INPUT, "initial_datetime": text}),
        "overflow": record({**_INPUT, "options": many(_option)}, "options"),
        "checker": record(
            {
                **_INPUT,
                "checked": boolean,
                "text": plain_or_lark,
                "overall_checkable": boolean,
                "padding": padding,
                "button_area": record({"pc_display_rule": text, "buttons": elements}),
                "checked_style": record({"show_strikethrough": boolean, "opacity": anything}),
            }
        ),
    }
)

CONTAINERS: Final = frozenset({"column_set", "form", "interactive_container", "collapsible_panel"})
INTERACTIVE: Final = frozenset(
    {
        "button",
        "input",
        "select_static",
        "multi_select_static",
        "select_person",
        "multi_select_person",
        "date_picker",
        "picker_time",
        "picker_datetime",
        "overflow",
        "checker",
        "interactive_container",
    }
)

card: Final = record(
    {
        "schema": one_of("2.0"),
        "config": record(
            {
                "streaming_mode": boolean,
                "streaming_config": mapping,
                "summary": record({"content": text, "i18n_content": mapping}),
                "locales": many(text),
                "enable_forward": boolean,
                "update_multi": boolean,
                "width_mode": one_of("default", "compact", "fill"),
                "use_custom_translation": boolean,
                "enable_forward_interaction": boolean,
                "style": record({"text_size": mapping, "color": mapping}),
            }
        ),
        "card_link": url_set,
        "header": record(
            {
                "title": plain_or_lark,
                "subtitle": plain_or_lark,
                "text_tag_list": many(text_tag, most=3),
                "i18n_text_tag_list": mapping,
                "template": one_of(*TEMPLATES),
                "icon": icon,
                "padding": padding,
            },
            "title",
        ),
        "body": record(_BOX, "elements"),
    },
    "schema",
    "body",
)
