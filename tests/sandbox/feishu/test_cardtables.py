import pytest

from sandbox.feishu.cardtables import table_problems
from tests.sandbox.feishu.samples import Json, table


def codes(value: Json) -> list[int]:
    return [problem.code for problem in table_problems(value, "t")]


GOOD: Json = {"rank": 1, "node": "gpu-1", "state": [{"text": "ok", "color": "green"}]}


def test_a_row_that_fits_is_taken() -> None:
    assert codes(table([GOOD])) == []


@pytest.mark.parametrize(
    "row", [{**GOOD, "more": 1}, {"rank": 1, "node": "x"}], ids=["unknown key", "missing key"]
)
def test_row_keys_must_be_the_column_names(row: Json) -> None:
    assert codes(table([row])) == [200915]


@pytest.mark.parametrize(
    "wrong", [{"rank": "1"}, {"rank": True}, {"node": 1}, {"state": "ok"}, {"state": [{"x": 1}]}]
)
def test_values_must_have_the_column_type(wrong: Json) -> None:
    assert codes(table([{**GOOD, **wrong}])) == [200914]


def test_a_column_name_is_unique() -> None:
    twice = table([])
    twice["columns"].append(twice["columns"][0])

    assert codes(twice) == [200915]
