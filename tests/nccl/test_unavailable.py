from itertools import product

import pytest

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import Reason
from rankscope.nccl.read import read_answer
from rankscope.nccl.unavailable import Circumstances, explain, settle
from rankscope.nccl.verdict import Context, judge
from rankscope.nccl.versions import NcclVersion

REFUSED = """\
Connecting to ::1:28028: Connection refused
Connecting to 127.0.0.1:28028: Connection refused
Failed to connect to the NCCL RAS service!
Please make sure that the NCCL job has the RAS service enabled and that
the RAS client was started on a node where the NCCL job is running.
"""
OLD, NEW = NcclVersion(2, 21, 5), NcclVersion(2, 26, 3)


@pytest.mark.parametrize(
    ("supported", "running", "initialised"), list(product([True, False], repeat=3))
)
def test_only_with_all_three_conditions_a_refusal_calls_for_investigation(
    supported: bool, running: bool, initialised: bool
) -> None:
    known = Circumstances(NEW if supported else OLD, running=running, initialised=initialised)
    why = explain(Reason.REFUSED, known)

    assert why.investigate == (supported and running and initialised)
    assert why.expected == (not why.investigate)
    assert why.preconditions


@pytest.mark.parametrize(
    ("known", "reason", "outcome"),
    [
        (Circumstances(OLD), Reason.TOO_OLD, NcclOutcome.UNSUPPORTED),
        (Circumstances(NEW, built_with_ras=False), Reason.TOO_OLD, NcclOutcome.UNSUPPORTED),
        (Circumstances(loaded=False), Reason.NOT_LOADED, NcclOutcome.NOT_INITIALISED),
        (Circumstances(NEW, enabled=False), Reason.DISABLED, NcclOutcome.DISABLED),
        (Circumstances(NEW, running=False), Reason.JOB_OVER, NcclOutcome.REFUSED),
        (
            Circumstances(NEW, initialised=False),
            Reason.NOT_INITIALISED,
            NcclOutcome.NOT_INITIALISED,
        ),
        (Circumstances(NEW, destroyed=True), Reason.DESTROYED, NcclOutcome.NOT_INITIALISED),
        (
            Circumstances(NEW, running=True, initialised=True),
            Reason.UNREACHABLE,
            NcclOutcome.REFUSED,
        ),
        (Circumstances(NEW), Reason.REFUSED, NcclOutcome.REFUSED),
        (Circumstances(), Reason.REFUSED, NcclOutcome.REFUSED),
    ],
)
def test_the_table_of_reasons(known: Circumstances, reason: Reason, outcome: NcclOutcome) -> None:
    assert explain(Reason.REFUSED, known).reason == reason
    assert settle(read_answer(REFUSED), known).outcome == outcome


def test_the_refusal_of_an_old_nccl_is_expected_and_no_failure() -> None:
    known = Circumstances(OLD)
    verdict = judge(settle(read_answer(REFUSED), known), context=Context(circumstances=known))

    assert "2.21.5" in verdict.line.en
    assert "expected" in verdict.line.en
    assert "预期" in verdict.line.zh
    assert "no evidence of an NCCL communication failure" in verdict.text.en
    assert "单机多卡" in verdict.text.zh
    assert "cannot be seen" in verdict.text.en
    assert "exchanging only the NCCL library" in verdict.text.en
    assert "pip install" not in verdict.text.en


def test_the_refusal_of_a_new_nccl_leads_to_four_checks_in_order() -> None:
    known = Circumstances(NEW)
    steps = judge(read_answer(REFUSED), context=Context(circumstances=known)).next_steps

    for step, word in zip(
        steps, ["switched off", "initialised NCCL", "taken down", "listening address"], strict=False
    ):
        assert word in step.en


def test_an_unknown_version_is_to_be_found_out_first() -> None:
    steps = judge(read_answer(REFUSED)).next_steps

    assert "version" in steps[0].en
    assert len(steps) == 9


@pytest.mark.parametrize("reason", [Reason.REFUSED, Reason.FROZEN, Reason.TOO_OLD, Reason.STARTING])
def test_where_to_look_instead_in_the_order_that_helps(reason: Reason) -> None:
    steps = [step.en for step in explain(reason, Circumstances(NEW)).next_steps[-4:]]

    for step, word in zip(steps, ["log", "launch command", "metrics", "stacks"], strict=True):
        assert word in step


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_its_words(reason: Reason) -> None:
    without = {
        Reason.NONE,
        Reason.CUT,
        Reason.EMPTY,
        Reason.TOO_LARGE,
        Reason.OTHER_JOB,
        Reason.NO_REPORT,
        Reason.FOREIGN,
    }
    if reason not in without:
        assert explain(reason, Circumstances()).line.zh


def test_answers_are_not_settled() -> None:
    assert settle(read_answer(b""), Circumstances(OLD)).outcome is NcclOutcome.CUT
