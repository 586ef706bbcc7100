"""A sentence in both languages."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Text:
    """The same sentence in Chinese and English."""

    zh: str
    en: str

    def of(self, language: Language) -> str:
        """Return the sentence in one language."""
        return self.zh if language == "zh" else self.en
