"""Every state of every card, in both languages, beside the JSON we looked at and found right.

`RANKSCOPE_WRITE_GOLDEN=1 pytest tests/cards` writes them anew; read the difference then.
"""

import json
import os
from pathlib import Path

import pytest

from rankscope.cards import comparison_card, incident_card, note_card
from rankscope.cards.budget import Card
from rankscope.model.text import Language
from tests.cards.builders import LINK, VIEWS, comparison, incident
from tests.cards.news import NEWS_VIEWS

GOLDEN = Path(__file__).parent / "golden"
ALL_VIEWS = VIEWS | NEWS_VIEWS
NAMES = [*ALL_VIEWS, "comparison", "comparison_large", "note"]


def draw(name: str, language: Language) -> Card:
    if name in ALL_VIEWS:
        return incident_card(ALL_VIEWS[name], language)
    if name == "note":
        return note_card("rankscope", "**/capture** `jo-…`\n**/help**", "blue", language)
    count = 4096 if name == "comparison_large" else 8
    return comparison_card(comparison(count), incident(), LINK, language, suspects=(5,))


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_card_is_as_we_found_it_right(name: str, language: Language) -> None:
    path = GOLDEN / f"{name}.{language}.json"
    drawn = json.dumps(draw(name, language), ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("RANKSCOPE_WRITE_GOLDEN"):
        path.write_text(drawn, encoding="utf-8")

    assert drawn == path.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{name}.{language}.json" for name in NAMES for language in ("zh", "en")}

    assert {path.name for path in GOLDEN.iterdir()} == expected
