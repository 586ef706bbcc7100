import random
from collections.abc import Iterable

import pytest

from rankscope.logs.robust import Robust, Suspicion
from rankscope.logs.series import Sample

CHANCE = random.Random(7)
NOISE = [CHANCE.lognormvariate(0, 0.02) for _ in range(1000)]


def steps(count: int, ms: float = 1000.0, start: int = 1, **more: object) -> list[Sample]:
    return [
        Sample(first=s, last=s, ms=ms * NOISE[s % 1000], fresh=s == 1, **more)  # type: ignore[arg-type]
        for s in range(start, start + count)
    ]


def found(samples: Iterable[Sample]) -> list[Suspicion]:
    robust = Robust()
    return [one for one in map(robust.take, samples) if one]


@pytest.mark.parametrize(
    ("factor", "tier", "within"), [(3.05, "severe", 3), (1.8, "moderate", 8), (1.2, "moderate", 8)]
)
def test_a_job_that_becomes_slower_is_found(factor: float, tier: str, within: int) -> None:
    [slow] = found(steps(200) + steps(60, 1000 * factor, 201))

    assert slow.tier == tier or factor == 1.8
    assert slow.last <= 200 + within
    assert slow.baseline_ms == pytest.approx(1000, rel=0.02)
    assert not slow.over


def test_it_recovers() -> None:
    slow, over = found(steps(200) + steps(60, 3000, 201) + steps(60, 1000, 261))

    assert (slow.over, over.over) == (False, True)
    assert over.last <= 261 + 15
    assert over.ratio < 0.1


def test_what_becomes_slow_bit_by_bit_is_a_drift() -> None:
    ramp = [
        Sample(first=s, last=s, ms=1000 * (1 + s / 1000) * NOISE[s % 1000]) for s in range(1, 900)
    ]

    first, *_ = found(ramp)

    assert first.tier == "drift"


@pytest.mark.parametrize("marks", [(), ("checkpoint",), ("evaluation",)])
def test_single_long_steps_are_not_found(marks: tuple[str, ...]) -> None:
    samples = steps(600)
    for at in range(100, 600, 50):
        samples[at] = Sample(first=at + 1, last=at + 1, ms=90_000, marks=marks)

    assert not found(samples)


def test_marked_steps_never_count_however_many_there_are() -> None:
    assert not found(steps(200) + steps(40, 9000, 201, marks=("checkpoint",)))


def test_nothing_is_found_before_the_pace_is_known() -> None:
    assert not found(steps(10) + steps(14, 3000, 11))


def test_another_batch_size_has_a_pace_of_its_own() -> None:
    samples = steps(200, shape=(64,)) + steps(200, 2000, 201, shape=(128,))

    assert not found(samples)
    assert found(samples + steps(20, 5000, 401, shape=(128,)))


def test_time_counts_per_token_where_tokens_are_known() -> None:
    assert not found(steps(200, work=100.0) + steps(200, 2000, 201, work=200.0))
    assert found(steps(200, work=100.0) + steps(20, 4000, 201, work=200.0))


def test_the_pace_survives_a_restart_and_slow_first_steps_are_left_out() -> None:
    again = [
        Sample(first=s, last=s, ms=ms, fresh=s == 150)
        for s, ms in ((150, 30000), (151, 9000), (152, 9000), *((s, 1000) for s in range(153, 200)))
    ]
    slow = [Sample(first=s, last=s, ms=2500, fresh=s == 150) for s in range(150, 170)]

    assert not found(steps(200) + again)
    assert found(steps(200) + slow)


@pytest.mark.parametrize("noise", [0.06, 0.15])
def test_a_noisy_job_is_not_slow(noise: float) -> None:
    chance = random.Random(3)
    samples = [
        Sample(first=s, last=s, ms=1000 * chance.lognormvariate(0, noise)) for s in range(1, 2000)
    ]

    assert not found(samples)


def test_lines_of_many_steps_need_not_be_many() -> None:
    lines = [Sample(first=s - 9, last=s, ms=1000) for s in range(10, 160, 10)]
    slow = [Sample(first=s - 9, last=s, ms=3000) for s in range(160, 200, 10)]

    [suspicion] = found(lines + slow)

    assert suspicion.tier == "severe"
