from typing import Any

from sandbox.feishu.cardcomponents import COMPONENTS
from sandbox.feishu.render_card import RENDERERS, render_card
from sandbox.feishu.render_markdown import Names
from sandbox.feishu.render_parts import Look
from tests.sandbox.feishu.markup import dangers
from tests.sandbox.feishu.samples import RICH, button, card, column, markdown, panel, plain

LOOK = Look(Names({"ou_a": "王伟"}))
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def html(*elements: Any, **more: Any) -> str:
    return str(render_card(card(*elements, **more), LOOK))


def opening(url: str) -> Any:
    behaviors = [{"type": "open_url", "default_url": url}]
    return {"tag": "button", "text": plain("open"), "behaviors": behaviors}


def test_every_component_can_be_shown() -> None:
    assert set(RENDERERS) == set(COMPONENTS)


def test_a_rich_card_shows_all_its_parts() -> None:
    shown = str(render_card(RICH, LOOK))

    for part in ("h-red", "job-42 训练卡住", "cluster-a", ">P1<", "rank 3", "gpu-04", "<polyline",
                 "堆栈（3 组）", "重新采集", "data-confirm-title", "需要两次"):  # fmt: skip
        assert part in shown


def test_a_button_carries_its_path_and_a_disabled_one_its_reason() -> None:
    inside = {"tag": "column_set", "columns": [column(button("go"))]}
    off = button("no", disabled=True, disabled_tips=plain("later"))

    shown = html(inside, off)

    assert 'data-press="body.elements[0].columns[0].elements[0]"' in shown
    assert 'disabled title="later"' in shown


def test_a_button_that_only_opens_a_page_does_not_call_back() -> None:
    shown = html(opening("https://example.com/"))

    assert 'data-url="https://example.com/"' in shown
    assert "data-press" not in shown


def test_a_button_never_opens_a_script() -> None:
    assert "javascript:" not in html(opening("javascript:alert(1)"))


def test_a_hostile_text_stays_text_everywhere() -> None:
    shown = html(
        markdown(EVIL, element_id=EVIL, margin=EVIL),
        {"tag": "div", "text": {"tag": "plain_text", "content": EVIL, "text_size": EVIL}},
        {"tag": "div", "text": {"tag": "lark_md", "content": EVIL}},
        button(EVIL, type=EVIL, name=EVIL, hover_tips=plain(EVIL), confirm={"title": plain(EVIL)}),
        panel(EVIL, markdown(EVIL)),
        {"tag": "img", "img_key": EVIL, "alt": plain(EVIL)},
        {"tag": "person", "user_id": EVIL},
        {"tag": "input", "name": EVIL, "placeholder": plain(EVIL), "default_value": EVIL},
        {"tag": "select_static", "options": [{"text": plain(EVIL), "value": EVIL}]},
        header={"title": plain(EVIL), "template": EVIL, "subtitle": plain(EVIL),
                "text_tag_list": [{"tag": "text_tag", "text": plain(EVIL), "color": EVIL}]},
    )  # fmt: skip

    assert dangers(shown) == []
    assert shown.count("&lt;script&gt;") >= 10


def test_a_translation_is_shown_to_whom_it_is_for() -> None:
    title = {**plain("默认"), "i18n_content": {"zh_cn": "中文", "en_us": "English"}}
    content = card(markdown("x"), header={"title": title})

    assert "English" in render_card(content, Look(Names(), "en"))
    assert "中文" in render_card(content, Look(Names(), "zh"))


def test_a_form_has_its_fields() -> None:
    shown = html(
        {
            "tag": "form",
            "name": "f",
            "elements": [
                {"tag": "input", "name": "note", "input_type": "multiline_text"},
                {"tag": "select_person", "name": "who", "options": [{"value": "ou_a"}]},
                {"tag": "date_picker", "name": "day", "initial_date": "2026-01-02"},
                {"tag": "checker", "name": "sure", "checked": True, "text": plain("sure")},
                {"tag": "button", "name": "ok", "text": plain("ok"), "form_action_type": "submit"},
            ],
        }
    )

    for part in (
        "<textarea",
        ">王伟</option>",
        'value="2026-01-02"',
        " checked",
        'data-form-action="submit"',
    ):
        assert part in shown
