from rankscope.logs.first_error import Layer, Role, first_error_of_texts
from tests.logs.first_error.lines import answer, steps

SUMMARY = """\
E0301 10:00:09.1 77 api.py:869] failed (exitcode: 1) local_rank: 3 (pid: 80) of binary: python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
Root Cause (first observed failure):
[0]:
  rank      : 11 (local_rank: 3)
  exitcode  : 1 (pid: 80)
"""


def test_the_launcher_names_the_rank_that_the_line_does_not() -> None:
    found = first_error_of_texts({"w": "TypeError: x\n" + SUMMARY}).first_error

    assert found is not None
    assert (found.line, found.rank) == (1, 11)


def test_a_local_rank_counts_when_there_is_one_worker() -> None:
    one = first_error_of_texts({"w": "[default3]:TypeError: x\n"}).first_error
    two = first_error_of_texts({"w": "n1: [default3]:TypeError: x\nn2: KeyError: y\n"}).first_error

    assert one is not None
    assert two is not None
    assert (one.rank, two.rank) == (3, None)


def test_the_same_fault_of_many_ranks_is_one_with_a_count() -> None:
    found = answer("".join(f"[rank{n}]: ValueError: bad {n}\n" for n in range(5)))

    assert found.first_error is not None
    assert (found.first_error.rank, found.first_error.ranks, found.second) == (0, 5, None)


def test_consequences_are_counted_by_kind() -> None:
    found = answer(
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n"
        + "".join(f"[rank{n}]: BrokenPipeError: [Errno 32] x\n" for n in range(1, 9))
    )

    assert found.consequence_count == 8
    assert [(one.rule, one.count, one.line) for one in found.consequences] == [
        ("peer-gone-pipe", 8, 2)
    ]


def test_an_unknown_exception_is_said_to_be_unknown() -> None:
    found = answer('Traceback (most recent call last):\n  File "/p/a.py", line 1, in f\nOops: x\n')

    assert found.first_error is not None
    assert found.first_error.layer is Layer.CODE
    assert any("No known pattern" in note.en for note in found.notes)


def test_the_layer_of_an_unknown_exception_is_that_of_its_frames() -> None:
    frame = '  File "/usr/lib/python3.10/site-packages/torch/distributed/run.py", line 9, in main\n'
    found = answer(f"Traceback (most recent call last):\n{frame}LaunchError: x\n").first_error

    assert found is not None
    assert found.layer is Layer.COMMAND


def test_a_stopped_job_has_no_error() -> None:
    found = answer(steps(1, 3) + "W0301 Sending process 80 closing signal SIGTERM\n")

    assert found.first_error is None or found.first_error.role is Role.TEARDOWN
    assert any("outside" in note.en for note in found.notes)


def test_an_empty_log_is_no_error() -> None:
    found = answer("")

    assert found.first_error is None
    assert found.notes


def test_the_evidence_of_a_restart() -> None:
    found = answer(
        "Bootcheck Finished\nCommand running...\n"
        + steps(1, 9)
        + "Job restarting, attempt 2\nBootcheck item gpu ok\nBootcheck Finished\n"
        + "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 5\n"
        + steps(6, 8)
    ).evidence

    assert (found.attempts, found.loaded_checkpoint, found.loaded_step) == (2, "/ckpt", 5)
    assert (found.step_before_restart, found.first_step_after_restart) == (9, 6)
    assert found.last_step == 8


def test_memory_stays_small_when_a_log_is_full_of_errors() -> None:
    lines = (f"[rank{n % 8}]: ValueError: bad sample {n}\n" for n in range(20_000))
    found = answer("".join(lines))

    assert found.first_error is not None
    assert found.first_error.line == 1
    assert found.consequence_count < 5000
