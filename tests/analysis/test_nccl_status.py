import pytest

from rankscope.analysis.nccl_status import nccl_status
from rankscope.model.capture import NcclAnswer, NcclOutcome


@pytest.mark.parametrize("outcome", list(NcclOutcome))
def test_every_outcome_has_its_words(outcome: NcclOutcome) -> None:
    status = nccl_status([NcclAnswer("n", outcome, nccl_version="2.27.3")])

    assert status is not None
    assert status.outcome == outcome
    assert status.text.zh


def test_before_224_no_status_is_expected() -> None:
    status = nccl_status([NcclAnswer("n", NcclOutcome.REFUSED, nccl_version="2.21.5")])

    assert status is not None
    assert "expected" in status.text.en
    assert "2.21.5" in status.text.zh


def test_a_cpu_job_has_no_nccl() -> None:
    status = nccl_status([NcclAnswer("n", NcclOutcome.NOT_INITIALISED)])

    assert status is not None
    assert "gloo" in status.text.en


def test_the_most_telling_node_counts() -> None:
    answers = [
        NcclAnswer("a", NcclOutcome.REFUSED),
        NcclAnswer("b", NcclOutcome.ANSWERED, nccl_version="2.28.9"),
    ]
    status = nccl_status(answers)

    assert status is not None
    assert (status.outcome, status.nccl_version) == ("answered", "2.28.9")
    assert nccl_status([]) is None
