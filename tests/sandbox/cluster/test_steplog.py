from io import StringIO

from rankscope.logs.steps import Step, parse_step
from sandbox.cluster.steplog import StepLog


def test_a_line_reads_as_a_step_with_its_time() -> None:
    stream = StringIO()

    StepLog(stream, 500, 8, iter([10.0, 10.25]).__next__).write(12, 0.5, 1.25)

    assert parse_step(stream.getvalue()) == Step(12, 500, 250.0)
    assert "consumed samples:          768 |" in stream.getvalue()
