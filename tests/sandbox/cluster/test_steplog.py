from io import StringIO

from rankscope.logs.steps import parse_step
from sandbox.cluster.steplog import StepLog


def test_a_line_reads_as_a_step_with_its_time() -> None:
    stream = StringIO()

    StepLog(stream, 500, 8).write(12, 0.5, 1.25)

    step = parse_step(stream.getvalue())
    assert step is not None
    assert (step.number, step.total) == (12, 500)
    assert step.ms is not None
    assert "consumed samples:          768 |" in stream.getvalue()
