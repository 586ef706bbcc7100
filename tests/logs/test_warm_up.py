from rankscope.logs.series import Sample
from rankscope.logs.warm_up import WarmUp


def skipped(*samples: tuple[int, int]) -> list[bool]:
    warm_up = WarmUp(2)
    return [
        warm_up.skips(Sample(first=first, last=last, ms=1.0, fresh=number == 0))
        for number, (first, last) in enumerate(samples)
    ]


def test_the_first_steps_are_left_out() -> None:
    assert skipped((1, 1), (2, 2), (3, 3)) == [True, True, False]


def test_every_tenth_line_loses_only_the_first() -> None:
    assert skipped((10, 10), (11, 20)) == [True, False]


def test_a_line_that_contains_the_second_step_is_left_out() -> None:
    assert skipped((1, 1), (2, 10), (11, 20)) == [True, True, False]


def test_a_resumed_run_warms_up_again() -> None:
    assert skipped((301, 301), (302, 302), (303, 303)) == [True, True, False]
