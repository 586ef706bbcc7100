from rankscope.logs.first_error.attempts import Attempts


def held(attempts: Attempts, line: int, worker: str = "", *, platform: bool = False) -> bool:
    return attempts.holds(line, worker, platform=platform)


def test_without_any_mark_everything_counts() -> None:
    assert held(Attempts(), 1)


def test_only_the_platform_may_fail_before_the_check_is_finished() -> None:
    attempts = Attempts()
    attempts.finished(10, "w0")

    assert held(attempts, 11, "w0")
    assert not held(attempts, 9, "w0")
    assert held(attempts, 9, "w0", platform=True)


def test_each_worker_has_its_own_mark() -> None:
    attempts = Attempts()
    attempts.finished(10, "w0")
    attempts.finished(20, "w1")

    assert held(attempts, 15, "w0")
    assert not held(attempts, 15, "w1")
    assert held(attempts, 15, "w2")


def test_a_second_end_of_the_check_is_another_attempt() -> None:
    attempts = Attempts()
    for worker in ("w0", "w1"):
        attempts.finished(10, worker)
    attempts.finished(60, "w0")

    assert attempts.count == 2
    assert not held(attempts, 50, "w1")
    assert held(attempts, 61, "w1")


def test_an_announced_restart_and_its_check_are_one() -> None:
    attempts = Attempts()
    attempts.finished(10, "w0")
    attempts.restarted(50)
    attempts.check_line(51, "w0")
    attempts.finished(55, "w0")

    assert attempts.count == 2
    assert held(attempts, 52, "w0", platform=True)
    assert not held(attempts, 40, "w0", platform=True)


def test_restarts_far_apart_are_counted() -> None:
    attempts = Attempts()
    for line in (100, 200, 300):
        attempts.restarted(line)

    assert attempts.count == 4
