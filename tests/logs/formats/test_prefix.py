import pytest

from rankscope.logs.formats.prefix import plain, who_printed, without_prefix


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("[default7]: iteration 1", "[default7]"),
        ("[rank3]:step: 1", "[rank3]"),
        ("[trainer0|1]:step 1", "[trainer0|1]"),
        ("(TaskRunner pid=4250) step:1", "(TaskRunner pid=4250)"),
        ("(Worker pid=7, ip=10.0.0.3) step:1", "(Worker pid=7, ip=10.0.0.3)"),
        ("12: step 1", "12"),
        ("[1,3]<stdout>:step 1", "[1,3]<stdout>"),
        ("[pod/job-worker-1/pytorch] step 1", "[pod/job-worker-1/pytorch]"),
        ("job-worker-1: [rank9]: step 1", "job-worker-1 [rank9]"),
        ("2026-02-03 04:05:06 [worker-2] step 1", "[worker-2]"),
        ("worker-2 | step 1", "worker-2"),
        (" [2026-02-03 04:05:06] iteration 1/ 9 |", ""),
        ("[INFO|2026-02-03 04:05:06] llamafactory", ""),
        ("{'loss': 1.5}", ""),
        ("step 12: loss 3", ""),
    ],
)
def test_who_printed_a_line(line: str, who: str) -> None:
    assert who_printed(line) == who


def test_what_is_left_is_the_line() -> None:
    assert without_prefix("job-worker-1: [rank9]: step 1") == "step 1"
    assert without_prefix("step 1") == "step 1"


def test_colours_are_taken_off() -> None:
    assert plain("\x1b[38;2;180;60;0mstep:\x1b[39m 1\x1b[K\x1b[?25h") == "step: 1"
    assert plain("\x1b]0;title\x07step") == "step"
