import pytest

from rankscope.chat.jobs import Ambiguous, Found, NoSuchJob, Resolution, resolve_job

IDS = ["jo-1a", "jo-1b", "jo-1a2", "train-7"]


@pytest.mark.parametrize(
    ("typed", "resolution"),
    [
        ("jo-1b", Found("jo-1b")),
        ("jo-1a", Found("jo-1a")),
        ("JO-1A", Found("jo-1a")),
        ("tr", Found("train-7")),
        ("TRAIN", Found("train-7")),
        ("jo-", Ambiguous(("jo-1a", "jo-1a2", "jo-1b"))),
        ("train-8", NoSuchJob("train-7")),
        ("nothing", NoSuchJob("")),
    ],
)
def test_a_job_is_found_by_its_id_or_a_unique_beginning(typed: str, resolution: Resolution) -> None:
    assert resolve_job(typed, IDS) == resolution


def test_without_jobs_there_is_no_nearest() -> None:
    assert resolve_job("jo-1", []) == NoSuchJob("")


def test_ids_that_differ_in_case_alone_are_ambiguous_unless_exact() -> None:
    assert resolve_job("JO-X", ["jo-x", "Jo-X"]) == Ambiguous(("Jo-X", "jo-x"))
    assert resolve_job("jo-x", ["jo-x", "Jo-X"]) == Found("jo-x")
