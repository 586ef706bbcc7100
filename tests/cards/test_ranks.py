from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.ranges import compress
from rankscope.cards.ranks import control_of, group_of, holds, spans
from tests.cards.builders import healthy_report, hostile_report, small_report


@given(st.lists(st.integers(0, 300)))
def test_compressed_ranks_hold_exactly_the_ranks(ranks: list[int]) -> None:
    text = compress(ranks)

    assert [rank for rank in range(310) if holds(text, rank)] == sorted(set(ranks))


@pytest.mark.parametrize("text", ["", "x", "1-x", "-", ",", "²"])
def test_what_is_no_rank_set_holds_nothing(text: str) -> None:
    assert spans(text) == []


def test_the_control_rank_is_unsuspected_and_of_the_largest_group() -> None:
    report = small_report()
    suspect = report.suspects[0]
    report = replace(report, suspects=(suspect, replace(suspect, rank=0)))

    control = control_of(report)

    assert control is not None
    assert (control.rank, control.group.count) == (1, 7)


def test_there_is_no_control_when_every_rank_is_suspected() -> None:
    suspect = small_report().suspects[0]
    everyone = tuple(replace(suspect, rank=rank) for rank in range(8))

    assert control_of(replace(healthy_report(), suspects=everyone)) is None
    assert control_of(hostile_report()) is None


def test_the_group_of_a_rank_is_found() -> None:
    group = group_of(small_report(), 5)

    assert group is not None
    assert group.label == "read_shard (data.py)"
    assert group_of(small_report(), 8) is None
