import pytest

from rankscope.errors import UnusableInput
from sandbox.feishu.faults import Fault, Faults


def test_a_fault_happens_as_often_as_asked() -> None:
    faults = Faults()
    faults.add(Fault(path="/messages$", method="post", status=500, times=2))

    hits = [faults.take("POST", "/open-apis/im/v1/messages") is not None for _ in range(3)]

    assert hits == [True, True, False]


def test_other_calls_are_left_alone() -> None:
    faults = Faults()
    faults.add(Fault(path="/messages$", method="POST", status=500))

    assert faults.take("PATCH", "/open-apis/im/v1/messages") is None
    assert faults.take("POST", "/open-apis/im/v1/images") is None


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(UnusableInput, match="regular expression"):
        Faults().add(Fault(path="("))
