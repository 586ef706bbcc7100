import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Capture, NodeSample
from rankscope.model.report import Report
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice
from tests.changing import replace

WAITS = At(b.ALL_REDUCE)


def advice(report: Report) -> str:
    return " ".join(step.en for step in report.next_steps)


def warnings(report: Report) -> str:
    return " ".join(caution.en for caution in report.cautions)


@pytest.mark.parametrize(
    ("capture", "pattern"),
    [
        (twice(others(4, running(b.FORWARD))), "P1"),
        (twice(others(4, WAITS, r1=At(b.LOADER))), "P2"),
        (twice(others(4, WAITS)), "P3"),
        (twice(others(4, At(b.QUEUE))), "P4"),
    ],
)
def test_the_platforms_patterns_have_their_advice(capture: Capture, pattern: str) -> None:
    assert pattern in advice(analyse(capture))


def test_it_is_always_a_photo_and_one_sample_says_so() -> None:
    once, both = analyse(job(others(4, WAITS))), analyse(twice(others(4, WAITS)))

    assert "photo of one moment" in warnings(once)
    assert "photo of one moment" in warnings(both)
    assert "one sample only" in warnings(once)
    assert "one sample only" not in warnings(both)
    assert "All ranks alike" in warnings(both)


def test_what_is_missing_is_said_and_listed() -> None:
    report = analyse(
        job(
            others(4, WAITS, r3=At(None, error="Error: EPERM")),
            world=6,
            extra=[NodeSample("node-1", 0, error="timed out")],
        )
    )

    assert "partial" in warnings(report)
    assert (3, "node-0", "Error: EPERM") in [(m.rank, m.node, m.reason) for m in report.missing]
    assert (None, "node-1", "timed out") in [(m.rank, m.node, m.reason) for m in report.missing]
    assert [m.rank for m in report.missing if m.rank is not None] == [3, 4, 5]


def test_nodes_sampled_apart_are_warned_of() -> None:
    capture = job(others(16, WAITS))
    late = replace(capture.samples[1], taken_at="2026-06-08T03:49:07.5Z")

    report = analyse(replace(capture, samples=(capture.samples[0], late)))

    assert "7.5 s apart" in warnings(report)


def test_the_named_ranks_are_in_the_advice() -> None:
    report = analyse(twice(others(8, WAITS, r2=piped(b.READ))))

    assert "the log of rank 2" in advice(report)
