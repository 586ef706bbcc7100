"""What the demo demands of the cards of slow and failed jobs."""

from dataclasses import replace

from rankscope.cards import incident_card
from rankscope.cards.budget import Card
from rankscope.model.diagnosis import Diagnosis
from sandbox.cluster.faults import Fault
from sandbox.demo.card_text import card_text
from sandbox.demo.expect import is_about_failure, lacks
from sandbox.demo.tour import Outcome, conclude, problems
from tests.cards.news import NEWS_VIEWS
from tests.sandbox.demo.test_tour import setup_of


def card(name: str) -> Card:
    return incident_card(NEWS_VIEWS[name], "en")


def said(fault: Fault, name: str) -> list[str]:
    return [text.en for text in lacks(setup_of(fault), card(name))]


def test_a_card_with_all_of_it_lacks_nothing() -> None:
    assert said(Fault.OOM, "news_failed") == []
    assert said(Fault.SLOW, "slow_seed") == []
    assert said(Fault.FIFO, "news_failed_no_log") == []


def test_what_is_missing_is_named() -> None:
    assert said(Fault.SLOW, "slow_platform") == ["the chart of step times"]
    assert len(said(Fault.OOM, "news_failed_no_log")) == 3


def test_only_the_card_with_the_error_ends_the_wait() -> None:
    assert is_about_failure(card("news_failed"))
    assert not is_about_failure(card("news_failed_no_log"))


def test_the_outcome_of_a_failed_job_is_judged_by_its_card() -> None:
    setup = setup_of(Fault.OOM)
    missing = tuple(lacks(setup, card("news_failed_no_log")))

    assert list(problems(setup, Outcome(()))) == []
    assert "rank 5" in conclude(setup, Outcome(())).en
    assert [text.en for text in problems(setup, Outcome((), missing=missing))] == [
        f"The card lacks {part.en}." for part in missing
    ]


def test_a_chart_is_told_by_its_title_and_last_values() -> None:
    assert "Time per step (s)  … " in card_text(card("slow_seed"))


def test_another_error_is_not_the_one_the_demo_waits_for() -> None:
    view = NEWS_VIEWS["news_failed"]
    found = view.incident.diagnosis
    assert isinstance(found, Diagnosis)
    assert found.first
    other = replace(found, first=replace(found.first, text="KeyError: 'x'"))

    shown = incident_card(replace(view, incident=replace(view.incident, diagnosis=other)), "en")

    assert not is_about_failure(shown)
