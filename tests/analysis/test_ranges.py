import pytest

from rankscope.analysis.ranges import compress


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([], ""), ([3], "3"), ([0, 1, 3, 4, 5, 7], "0-1,3-5,7"), ([5, 4, 4], "4-5")],
)
def test_ranks_are_compressed(ranks: list[int], expected: str) -> None:
    assert compress(ranks) == expected
