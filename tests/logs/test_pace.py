from rankscope.logs.pace import KEPT, Pace
from rankscope.logs.series import Sample


def feed(pace: Pace, numbers: range, ms: float, **fields: object) -> list[tuple[str, bool]]:
    """Feed steps of one length; return the kinds of what was found, and whether it lasts."""
    found = []
    for number in numbers:
        sample = Sample(first=number, last=number, ms=ms, **fields)  # type: ignore[arg-type]
        pace.note(sample)
        judged = pace.judge(sample)
        if judged:
            found.append((judged[1], pace.is_suspected))
    return found


def test_the_last_steps_are_kept() -> None:
    pace = Pace()
    feed(pace, range(1, 301), 100.0)

    assert [one.step for one in pace.steps] == list(range(301 - KEPT, 301))


def test_a_restart_begins_the_steps_anew() -> None:
    pace = Pace()
    feed(pace, range(1, 50), 100.0)
    feed(pace, range(30, 31), 100.0, fresh=True)

    assert [one.step for one in pace.steps] == [30]


def test_what_the_platforms_rule_misses_is_suspected_and_recovers() -> None:
    pace = Pace()
    assert not feed(pace, range(1, 60), 100.0)

    assert feed(pace, range(60, 90), 130.0) == [("moderate", True)]
    assert feed(pace, range(90, 120), 100.0) == [("moderate", False)]


def test_what_the_log_says_in_the_slow_steps_is_told() -> None:
    pace = Pace()
    feed(pace, range(1, 60), 100.0)
    feed(pace, range(60, 61), 900.0, marks=("checkpoint",))
    for number in range(61, 80):
        sample = Sample(first=number, last=number, ms=300.0)
        pace.note(sample)
        judged = pace.judge(sample)
        if judged:
            break

    assert judged
    window, tier = judged
    assert tier == "severe"
    assert window.first == 58  # Five steps, without the one of the checkpoint.
    assert window.ratio > 1.5


def test_another_batch_size_ends_a_suspicion_since_nothing_compares() -> None:
    pace = Pace()
    feed(pace, range(1, 60), 100.0, shape=(8,))
    assert feed(pace, range(60, 90), 130.0, shape=(8,)) == [("moderate", True)]

    assert feed(pace, range(90, 120), 200.0, shape=(16,)) == [("", False)]
