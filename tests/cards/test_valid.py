"""Feishu would take every card: the emulator's strict validator finds nothing to refuse."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from rankscope.cards import incident_card
from rankscope.model.capture import Trigger
from rankscope.model.report import Group, MissingRank, Report, Summary, Suspect, Verdict
from rankscope.model.state import Silence
from rankscope.model.text import Language, Text
from sandbox.feishu.cardcheck import Known, problems
from tests.cards.builders import PERSON, PRINT_ID, REPORTED, incident, job, view
from tests.cards.news import SEED, hostile_diagnosis
from tests.cards.test_budget import markdown

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
KNOWN = Known(people={PERSON["last_actor"]}, images={"img_v3_ranks"})


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_feishu_would_take_the_card(path: Path) -> None:
    assert list(problems(json.loads(path.read_text(encoding="utf-8")), KNOWN)) == []


def test_the_validator_would_object() -> None:
    card = json.loads((GOLDEN[0]).read_text(encoding="utf-8"))
    card["body"]["elements"].append({"tag": "note", "elements": []})

    assert list(problems(card, KNOWN))


NASTY = [
    "quote \" and ' and \\",
    "<at id=all></at>",
    "<at user_id='all'></at>",
    "/mnt/" + "very-long-part/" * 700,
    "💥🙋🔕",
    "\u202egnp.exe\u202c",
    "</font><text_tag color='red'>x</text_tag>",
    "```\n# h\n| a | b |\n|---|---|",
    "{{ 7 * 7 }}{% raw %}",
    "[x](https://e.vil) ![y](img_key)",
]


def nasty_report() -> Report:
    """16,384 ranks on 2,048 nodes, all of whose names are hostile."""
    names = [f"{NASTY[number % len(NASTY)]}{number}" for number in range(64)]
    texts = [Text(name, name) for name in names]
    return Report(
        summary=Summary(NASTY[1], NASTY[5], PRINT_ID, 16384, 16000),
        verdict=Verdict(NASTY[1], "high", "frozen", texts[1]),
        suspects=tuple(
            Suspect(rank, names[rank % 64], 0.9, (texts[rank % 64],) * 3) for rank in range(400)
        ),
        groups=tuple(
            Group(names[n], ",".join(str(r) for r in range(n, 16384, 64)), 256, (names[n],) * 30)
            for n in range(64)
        ),
        functions=(),
        missing=tuple(
            MissingRank(rank, names[rank % 64], names[rank % 64]) for rank in range(16000, 16384)
        ),
        cautions=tuple(texts),
        next_steps=tuple(texts),
    )


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_a_card_of_16384_ranks_with_hostile_names_is_taken_and_mentions_nobody(
    name: str, language: Language
) -> None:
    person = PERSON["last_actor"]
    captures = tuple(str(int(PRINT_ID) - number * 10**9) for number in range(12, -1, -1))
    known = incident(
        job_id=name, message=name, captures=captures, acked_by=person, acked_at=1.0, last_actor=name
    )
    seen = replace(
        view(known, nasty_report(), REPORTED),
        job=replace(job(), name=name),
        silence=Silence(id=name, until=1.0, by=name, at=0.0),
        picture="img_v3_ranks",
    )

    card = incident_card(seen, language)

    text = json.dumps(card, ensure_ascii=False)
    assert list(problems(card, KNOWN)) == []
    assert len(text.encode()) < 30_000
    # Elsewhere than in markdown a tag is but text.
    read = "".join(markdown(card))
    assert set(re.findall(r"<at [^>]*>", read)) == {f"<at id={person}>"}


WORST = ["<" * 5000, "一" * 5000, "\U0001f4a5" * 5000, *NASTY]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", WORST, ids=range(len(WORST)))
def test_a_state_card_of_hostile_logs_is_taken_and_mentions_nobody(
    name: str, language: Language
) -> None:
    bad = Text(name, name)
    found = hostile_diagnosis()
    assert found.first
    error = replace(found.first, file=name, text=name, where=name, advice=bad, layer=name)
    worst = replace(
        found,
        first=error,
        second=error,
        notes=(bad,) * 9,
        findings=(bad,) * 40,
        steps=(bad,) * 40,
        title=bad,
        first_check=bad,
    )
    slow = replace(SEED, line=name, unit=name, detail=name, during=(name,))
    known = incident(
        kind=Trigger.SLOW, job_id=name, message=name, event=name, diagnosis=worst, slow=slow
    )
    seen = replace(view(known, nasty_report(), REPORTED), picture="img_v3_ranks")

    card = incident_card(seen, language)

    assert list(problems(card, KNOWN)) == []
    assert len(json.dumps(card, ensure_ascii=False).encode()) < 30_000
    assert "<at" not in "".join(markdown(card))
