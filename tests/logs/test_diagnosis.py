from rankscope.logs.diagnosis import Piece, diagnose
from rankscope.logs.triage import JobFacts


def test_one_log_under_two_names_is_named_once() -> None:
    pieces = [Piece(name, "KeyError: 'x'\n", 1) for name in ("train.log", "train", "worker-0")]

    assert diagnose(JobFacts(), pieces, ()).logs == ("train.log", "worker-0")
