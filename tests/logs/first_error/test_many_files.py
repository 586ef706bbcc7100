"""Several logs whose clocks differ."""

from rankscope.logs.first_error import Role
from tests.logs.first_error.lines import answer

LINE = "2026-03-01 10:{0:02d}:{1:02d}.000 job-w w | "
TIMEOUT = (
    "[rank{0}]: [Rank {0}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for {1} milliseconds"
)


def step(minute: int, second: int, number: int) -> str:
    return LINE.format(minute, second) + f"iteration {number}/ 99 | lm loss: 2.0 |\n"


def said(minute: int, second: int, text: str) -> str:
    return LINE.format(minute, second) + text + "\n"


def test_the_earlier_of_two_causes_by_time() -> None:
    found = answer(
        said(5, 30, "[rank0]: ValueError: late"), said(5, 10, "[rank1]: TypeError: early")
    )

    assert found.first_error is not None
    assert (found.first_error.file, found.first_error.rank) == ("1.log", 1)
    assert found.second is not None
    assert found.second.file == "0.log"


def test_clocks_are_compared_by_the_steps_both_logs_have() -> None:
    late_clock = "".join(step(6, 10 + n, n) for n in range(1, 4))
    found = answer(
        "".join(step(5, 10 + n, n) for n in range(1, 4)) + said(5, 30, "[rank0]: ValueError: b"),
        late_clock + said(6, 20, "[rank1]: TypeError: a"),
    )

    assert found.first_error is not None
    assert found.first_error.file == "1.log"


def test_clocks_are_compared_by_the_same_timeout() -> None:
    found = answer(
        said(10, 0, TIMEOUT.format(0, 600000)) + said(10, 5, "kernel: NVRM: Xid (PCI:0): 79, x"),
        said(40, 0, TIMEOUT.format(1, 600000)) + said(40, 2, "OSError: Input/output error"),
    )

    assert found.first_error is not None
    assert found.first_error.rule == "storage-io"


def test_a_specific_cause_wins_within_the_skew() -> None:
    found = answer(
        said(5, 10, "[rank0]: ValueError: vague"),
        said(5, 11, "[rank1]: torch.OutOfMemoryError: CUDA out of memory."),
    )

    assert found.first_error is not None
    assert found.first_error.rule == "gpu-out-of-memory"


def test_a_timeout_begins_before_it_is_reported() -> None:
    found = answer(said(30, 0, TIMEOUT.format(0, 600000)), said(30, 5, TIMEOUT.format(1, 900000)))

    assert found.first_error is not None
    assert (found.first_error.rank, found.first_error.role) == (1, Role.SYMPTOM)
    assert not found.certain


def test_the_ranks_that_reported_no_timeout_are_named() -> None:
    world = said(1, 0, "using world size: 8, data-parallel size: 8")
    found = answer(
        world + "".join(said(20, n, TIMEOUT.format(n, 600000)) for n in (0, 1, 2, 3)),
        "".join(said(20, n, TIMEOUT.format(n, 600000)) for n in (4, 5, 7)),
    )

    assert found.absent == (6,)
    assert any("6" in note.en for note in found.notes)


def test_logs_without_times_still_have_an_answer() -> None:
    found = answer("ConnectionResetError: [Errno 104] x\n", "[rank3]: KeyError: 'a'\n")

    assert found.first_error is not None
    assert found.first_error.rank == 3


def test_zones_that_both_logs_name_are_compared() -> None:
    found = answer(
        "2026-03-01T18:05:10+08:00 ValueError: early\n", "2026-03-01T10:05:30Z TypeError: late\n"
    )

    assert found.first_error is not None
    assert found.first_error.file == "0.log"


def test_a_zone_that_only_one_log_names_changes_nothing() -> None:
    found = answer(
        "2026-03-01T18:05:40+0800 ValueError: late\n", "2026-03-01 18:05:10 TypeError: early\n"
    )

    assert found.first_error is not None
    assert found.first_error.file == "1.log"
