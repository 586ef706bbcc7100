import pytest

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.library import Features
from rankscope.nccl.model import Reason
from rankscope.nccl.safety import Moment, safe_to_ask
from rankscope.nccl.versions import NcclVersion

STARTING, INITIALISING, STEADY, UNKNOWN = Moment


@pytest.mark.parametrize(
    ("version", "moment", "reason"),
    [
        ("2.21.5", STEADY, Reason.TOO_OLD),
        ("2.23.4", STARTING, Reason.TOO_OLD),
        ("2.24.3", STARTING, Reason.STARTING),
        ("2.24.3", UNKNOWN, Reason.NONE),
        ("2.25.1", INITIALISING, Reason.NONE),
        ("2.26.2", STARTING, Reason.STARTING),
        ("2.26.2", INITIALISING, Reason.DANGEROUS),
        ("2.26.5", UNKNOWN, Reason.DANGEROUS),
        ("2.26.6", STEADY, Reason.NONE),
        ("2.27.3", UNKNOWN, Reason.DANGEROUS),
        ("2.27.7", STEADY, Reason.NONE),
        ("2.28.3", INITIALISING, Reason.DANGEROUS),
        ("2.28.7", INITIALISING, Reason.NONE),
        ("2.28.9", UNKNOWN, Reason.NONE),
        ("2.30.7", STARTING, Reason.STARTING),
        ("2.30.7", UNKNOWN, Reason.NONE),
        ("2.32.3", UNKNOWN, Reason.NONE),
        ("2.40.1", STEADY, Reason.NONE),
    ],
)
def test_the_table_of_dangers(version: str, moment: Moment, reason: Reason) -> None:
    permission = safe_to_ask(NcclVersion.parse(version), moment=moment)

    assert (permission.allowed, permission.reason) == (reason is Reason.NONE, reason)
    assert version in permission.text.zh or reason is Reason.STARTING


@pytest.mark.parametrize(
    ("version", "form"), [("2.24.3", "text"), ("2.28.3", "text"), ("2.28.7", "json")]
)
def test_json_is_preferred_where_it_exists(version: str, form: str) -> None:
    assert safe_to_ask(NcclVersion.parse(version), moment=STEADY).format == form


def test_what_the_library_holds_counts_more_than_its_version() -> None:
    version = NcclVersion(2, 30, 7)
    without_ras, without_json = Features(), Features(ras=True)

    assert safe_to_ask(version, without_ras, STEADY).reason is Reason.TOO_OLD
    assert safe_to_ask(version, without_json, STEADY).format == "text"
    assert safe_to_ask(version, without_json, UNKNOWN).reason is Reason.DANGEROUS


def test_an_unknown_version_is_not_asked() -> None:
    permission = safe_to_ask(None)

    assert (permission.allowed, permission.outcome) == (False, NcclOutcome.UNSAFE)


def test_switched_off_is_an_outcome_of_its_own() -> None:
    permission = safe_to_ask(NcclVersion(2, 30, 7), moment=STEADY, enabled=False)

    assert (permission.allowed, permission.outcome) == (False, NcclOutcome.DISABLED)


@pytest.mark.parametrize(
    ("version", "moment", "cautions"),
    [
        ("2.24.3", STEADY, 0),
        ("2.26.3", STEADY, 1),
        ("2.28.9", STEADY, 1),
        ("2.28.9", UNKNOWN, 2),
        ("2.29.7", STEADY, 0),
        ("2.30.7", UNKNOWN, 1),
        ("2.40.1", STEADY, 1),
    ],
)
def test_what_an_answer_may_suffer_from_is_said_before(
    version: str, moment: Moment, cautions: int
) -> None:
    assert len(safe_to_ask(NcclVersion.parse(version), moment=moment).cautions) == cautions
