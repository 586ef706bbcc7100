"""Answers to a click, in the form Feishu shows them (its page on card callbacks)."""

from typing import Any, Literal

from rankscope.model.text import Language, Text

Kind = Literal["info", "success", "warning", "error"]


def toast(kind: Kind, text: Text, language: Language = "zh") -> dict[str, Any]:
    """Return the answer that shows a toast in the reader's own language."""
    i18n = {"zh_cn": text.zh, "en_us": text.en}
    return {"toast": {"type": kind, "content": text.of(language), "i18n": i18n}}
