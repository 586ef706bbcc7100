import pytest

from rankscope.analysis.ranges import MOST_CHARS, compress, listed


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([], ""), ([3], "3"), ([0, 1, 3, 4, 5, 7], "0-1,3-5,7"), ([5, 4, 4], "4-5")],
)
def test_ranks_are_compressed(ranks: list[int], expected: str) -> None:
    assert compress(ranks) == expected


def test_a_long_list_is_cut_in_a_sentence_and_counted() -> None:
    assert listed(range(500)) == "0-499"

    many = listed(range(0, 4000, 2))
    assert many.startswith("0,2,4,")
    assert many.endswith(",… (2000)")
    assert len(many) < MOST_CHARS + 10
