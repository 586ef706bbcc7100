"""Feishu would take every card: the emulator's strict validator finds nothing to refuse."""

import json
from pathlib import Path

import pytest

from sandbox.feishu.cardcheck import Known, problems
from tests.cards.builders import PERSON

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
KNOWN = Known(people={PERSON["last_actor"]}, images={"img_v3_ranks"})


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_feishu_would_take_the_card(path: Path) -> None:
    assert list(problems(json.loads(path.read_text(encoding="utf-8")), KNOWN)) == []


def test_the_validator_would_object() -> None:
    card = json.loads((GOLDEN[0]).read_text(encoding="utf-8"))
    card["body"]["elements"].append({"tag": "note", "elements": []})

    assert list(problems(card, KNOWN))
