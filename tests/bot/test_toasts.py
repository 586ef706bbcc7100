from bot.toasts import toast
from rankscope.model.text import Text


def test_a_toast_has_both_languages_and_a_default() -> None:
    assert toast("info", Text("好", "good"), "en") == {
        "toast": {
            "type": "info",
            "content": "good",
            "i18n": {"zh_cn": "好", "en_us": "good"},
        }
    }
