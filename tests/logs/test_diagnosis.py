from rankscope.logs.diagnosis import Piece, diagnose
from rankscope.logs.triage import JobFacts

NAMES = ("train.log", "train", "worker", "worker.0", "a/train.log")


def test_one_log_under_two_names_is_named_once() -> None:
    pieces = [Piece(name, "KeyError: 'x'\n", 1) for name in NAMES]

    assert diagnose(JobFacts(), pieces, ()).logs == (
        "train.log",
        "worker",
        "worker.0",
        "a/train.log",
    )
