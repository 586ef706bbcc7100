"""Whatever the job is called and however large it is, the card is valid and within the limits."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.cards import comparison_card, incident_card, note_card
from rankscope.cards.budget import MAX_BYTES, MAX_ELEMENTS, Card, card_bytes, count_elements
from rankscope.model.capture import Trigger
from rankscope.model.report import (
    Comparison,
    Group,
    MissingRank,
    NcclStatus,
    RankComparison,
    Report,
    Summary,
    Suspect,
    Verdict,
)
from rankscope.model.state import IncidentState
from rankscope.model.text import Language, Text
from tests.cards.builders import (
    HOSTILE,
    LINK,
    REPORTED,
    comparison,
    hostile_nccl,
    hostile_report,
    incident,
    large_report,
    view,
)

SHORT = st.sampled_from(["", "x", "<at id=all></at>", HOSTILE, "💥", "数据", "\u202e", '"', "\\"])
WORDS = st.builds(
    lambda text, times: text * times, SHORT | st.text(), st.sampled_from([1, 9, 4000])
)
TEXTS = st.builds(Text, WORDS, WORDS)
RANKS = st.integers(0, 10**6)


def several(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=12).map(tuple)


VERDICTS = st.builds(
    Verdict,
    WORDS,
    st.sampled_from(["high", "medium", "low"]),
    st.sampled_from(["frozen", "moving", "unknown"]),
    TEXTS,
)
REPORTS = st.builds(
    Report,
    summary=st.builds(Summary, WORDS, WORDS, WORDS, st.none() | RANKS, RANKS),
    verdict=VERDICTS,
    suspects=several(st.builds(Suspect, RANKS, WORDS, st.just(0.5), several(TEXTS))),
    groups=several(st.builds(Group, WORDS, WORDS, RANKS, several(WORDS))),
    functions=st.just(()),
    missing=several(st.builds(MissingRank, st.none() | RANKS, st.none() | WORDS, WORDS)),
    cautions=several(TEXTS),
    next_steps=several(TEXTS),
    nccl=st.none()
    | st.builds(NcclStatus, WORDS, st.none() | WORDS, TEXTS)
    | st.builds(hostile_nccl, TEXTS),
)


def markdown(node: object) -> Iterator[str]:
    """Every piece of markdown in a card."""
    if isinstance(node, dict):
        if node.get("tag") == "markdown":
            yield str(node["content"])
        for value in node.values():
            yield from markdown(value)
    elif isinstance(node, list):
        for value in node:
            yield from markdown(value)


def check(card: Card) -> None:
    assert card_bytes(card) < MAX_BYTES
    assert len(json.dumps(card, ensure_ascii=False).encode()) < MAX_BYTES
    assert count_elements(card) < MAX_ELEMENTS
    assert card["schema"] == "2.0"
    for text in markdown(card):
        assert "<at id=all" not in text
        assert "](" not in text


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    REPORTS,
    WORDS,
    st.sampled_from(IncidentState),
    st.sampled_from(Trigger),
    st.sampled_from(["zh", "en"]),
)
def test_any_report_gives_a_card_within_the_limits(
    report: Report, words: str, state: IncidentState, kind: Trigger, language: Language
) -> None:
    known = incident(state, kind, job_id=words, message=words, last_actor=words, last_action=words)
    capture = replace(REPORTED, error=words)
    job_view = view(known, report, capture)
    assert job_view.job is not None

    check(incident_card(replace(job_view, job=replace(job_view.job, name=words)), language))


def test_a_large_job_keeps_its_suspects_and_says_what_was_left_out() -> None:
    card = incident_card(view(incident(), large_report(), REPORTED), "en")

    text = json.dumps(card, ensure_ascii=False)
    check(card)
    assert "rank 1</text_tag> gpu-0000" in text
    assert "… and 95 more in the report" in text
    assert "… and 291 more in the report" in text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_card_of_nothing_but_emoji_still_fits(language: Language) -> None:
    flood = "\U0001f4a5" * 5000
    report = hostile_report()
    bad = Text(flood, flood)
    report = replace(
        report,
        verdict=replace(report.verdict, text=bad),
        suspects=tuple(replace(s, node=flood, reasons=(bad,) * 5) for s in report.suspects),
        groups=(Group(flood, flood, 1, (flood,)),) * 50,
        missing=(MissingRank(1, flood, flood),) * 50,
        nccl=hostile_nccl(bad),
        cautions=(bad,) * 5,
        next_steps=(bad,) * 50,
    )

    check(incident_card(view(incident(job_id=flood, message=flood), report, REPORTED), language))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_comparison_of_many_hostile_ranks_fits(language: Language) -> None:
    bad = "\U0001f4a5" * 5000
    ranks = tuple(RankComparison(rank, bad, "frozen", bad, bad) for rank in range(16384))

    check(
        comparison_card(
            Comparison(HOSTILE, bad, bad, ranks, Text(bad, bad)),
            incident(job_id=HOSTILE * 99),
            LINK,
            language,
        )
    )


def test_a_comparison_lists_ten_ranks_with_the_frozen_suspect_first() -> None:
    card = comparison_card(comparison(4096), incident(), LINK, "en", suspects=(5,))

    text = json.dumps(card, ensure_ascii=False)
    rows = text[text.index('"rows"') :]
    assert rows.count('"before"') == 10
    assert rows.index("rank 5 (suspect)") < rows.index("rank 4095 ") < rows.index("rank 0 ")
    assert "… and 4086 more rows" in text


def test_a_long_note_loses_its_last_lines_and_says_so() -> None:
    card = note_card("Help", "\n".join(f"line {number}" for number in range(20_000)), "blue", "en")

    text = json.dumps(card, ensure_ascii=False)
    check(card)
    assert "line 0\\nline 1" in text
    assert "more rows" in text


def test_a_note_of_one_huge_line_still_fits() -> None:
    check(note_card("Help", "x" * 60_000, "blue", "en"))
