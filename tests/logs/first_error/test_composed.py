"""The first error of composed logs: line, layer and rank, and never one where there is none."""

from pathlib import Path

import pytest

from rankscope.logs.first_error import default_rules, first_error, scan_blocks
from tests.logs.first_error.composed import Composed, cases

CASES = tuple(cases(Path(__file__).parent / "logs"))


def test_there_are_many_of_every_layer() -> None:
    assert len(CASES) >= 60
    assert {case.layer for case in CASES} == {"platform", "image", "code", "command", "none", "-"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_first_error_is_found(case: Composed) -> None:
    found = first_error([scan_blocks("a.log", [case.log], default_rules())]).first_error

    if case.line is None:
        assert found is None
        return
    assert found is not None
    assert (found.line, found.layer or "none", found.rank) == (case.line, case.layer, case.rank)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_it_does_not_matter_how_the_log_is_cut(size: int) -> None:
    for case in CASES:
        whole = first_error([scan_blocks("a.log", [case.log], default_rules())])
        parts = [case.log[at : at + size] for at in range(0, len(case.log), size)]

        assert first_error([scan_blocks("a.log", parts, default_rules())]) == whole
