import functools
import json
from collections import Counter, deque
from pathlib import Path
from typing import Any, cast

import pytest

from rankscope.logs.progress import Happening, Progress
from rankscope.logs.slow_report import SlowReport
from rankscope.watching.snapshot import Unreadable, freeze, thaw
from tests.logs.samples import SAMPLES

EMPTY = cast("dict[str, Any]", freeze(Progress(5)))


def through_json(value: object) -> object:
    return thaw(json.loads(json.dumps(freeze(value))))


def step(number: int) -> str:
    ms = 500.0 if 40 < number < 60 else 100.0 + number % 3
    return f" iteration {number}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5"


def lived(progress: Progress, numbers: range) -> list[Happening]:
    return [one for n in numbers for one in progress.line(step(n), float(n), "a.log")]


@pytest.mark.parametrize("cut", [0, 1, 2, 17, 43, 44, 59, 61, 70])
def test_a_watcher_goes_on_as_if_it_had_never_stopped(cut: int) -> None:
    whole, first = Progress(5), Progress(5)
    expected = lived(whole, range(1, 90))

    before = lived(first, range(1, cut))
    again = through_json(first)
    assert isinstance(again, Progress)
    after = lived(again, range(max(cut, 1), 90))

    assert before + after == expected
    assert list(again.tick(500)) == list(whole.tick(500))
    assert len(expected) == 3


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_known_of_any_log_can_be_kept(sample: str) -> None:
    progress = Progress(5)
    for line in SAMPLES[sample].replace("\r", "\n").splitlines():
        list(progress.line(line, 1.0))

    assert freeze(through_json(progress)) == freeze(progress)


def test_containers_keep_their_kinds() -> None:
    value = {(1, "a"): deque([1.5, None], maxlen=3), "b": (Counter(x=2), {3}, [True])}

    again = through_json(value)

    assert again == value
    assert isinstance(again, dict)
    assert again[1, "a"].maxlen == 3


@pytest.mark.parametrize(
    "data",
    [
        {"_": "os:system", "has": {}},
        {"_": "rankscope.commands.watch:Options", "has": {}},
        {"_": "rankscope.logs.progress:Progress", "has": {"_last": 1}},
        {"_": "rankscope.logs.progress:Gone", "has": {}},
        {"_": "rankscope.logs.progress:hashlib.sha256", "has": {}},
        {"_": "rankscope.logs.progress:TAKE_OVER", "has": {}},
        {"_": "rankscope.logs.series:Sample", "has": {"first": 1}},
        {"_": "tuple"},
        {"_": "deque", "of": []},
        {"_": "deque", "of": [10**30]},
        {"_": "deque", "of": "ab"},
        {"_": "dict", "of": [1]},
        {"_": ["x"], "of": []},
        {"_": 5},
        functools.reduce(lambda inner, _: [inner], range(3000), cast("object", 1)),
        {**EMPTY, "has": {**EMPTY["has"], "_logs": 5}},
        {**EMPTY, "has": {**EMPTY["has"], "_restarts": "many"}},
        {},
    ],
)
def test_anything_else_is_no_snapshot(data: object) -> None:
    with pytest.raises(Unreadable):
        thaw(data)


def test_what_is_not_ours_cannot_be_kept() -> None:
    with pytest.raises(Unreadable, match="cannot be kept"):
        freeze(Path())


def test_a_report_can_be_kept_too() -> None:
    report = SlowReport()
    for n in range(1, 90):
        report.line(step(n))

    again = through_json(report)

    assert isinstance(again, SlowReport)
    assert list(again.alerts) == list(report.alerts)
