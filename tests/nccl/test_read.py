from collections import Counter
from dataclasses import replace

import pytest

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import Communicator, RasAnswer, Reason
from rankscope.nccl.read import read_answer
from tests.nccl import jobs
from tests.nccl.answers import Job, as_text, split, world
from tests.nccl.jobs import CONDITIONS, VERSIONS, WITH_JSON, of_version
from tests.nccl.json_answers import as_json

EVERY = [(name, version) for name in CONDITIONS for version in VERSIONS]


def read_text(job: Job, version: str = "2.30.7", *, verbose: bool = False) -> RasAnswer:
    return read_answer(as_text(of_version(job, version), verbose))


def read_json(job: Job, version: str = "2.30.7") -> RasAnswer:
    return read_answer(as_json(of_version(job, version)))


@pytest.mark.parametrize(("name", "version"), EVERY)
@pytest.mark.parametrize("verbose", [False, True])
def test_every_line_of_a_whole_text_is_understood(name: str, version: str, verbose: bool) -> None:
    answer = read_text(CONDITIONS[name], version, verbose=verbose)

    assert answer.unknown_lines == ()
    assert answer.problems == ()
    assert (answer.outcome, answer.reliable) == (NcclOutcome.ANSWERED, True)
    assert (answer.nccl_version, answer.format) == (version, "text")


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("version", WITH_JSON)
def test_every_json_is_understood_with_the_comma_that_2_28_forgets(name: str, version: str) -> None:
    answer = read_json(CONDITIONS[name], version)

    assert answer.unknown_lines == ()
    assert (answer.problems, answer.reliable) == ((), True)
    assert (answer.nccl_version, answer.format) == (version, "json")


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("version", WITH_JSON)
def test_text_and_json_of_one_state_agree(name: str, version: str) -> None:
    text = read_text(CONDITIONS[name], version, verbose=True)
    data = read_json(CONDITIONS[name], version)
    by_hash = {comm.hash: comm for comm in data.communicators}

    assert outline(text) == outline(data)
    assert text.missing_processes == data.missing_processes
    assert text.dead_processes == data.dead_processes
    for comm in text.communicators:
        if comm.hash:
            assert ranks_of(comm, by_hash[comm.hash]) == ranks_of(by_hash[comm.hash], comm)


def outline(answer: RasAnswer) -> Counter[tuple[object, ...]]:
    counted: Counter[tuple[object, ...]] = Counter()
    for comm in answer.communicators:
        counted[comm.size, comm.status, comm.errors, comm.ranks_answered] += comm.alike
    return counted


def ranks_of(comm: Communicator, other: Communicator) -> tuple[object, ...]:
    """Return what a communicator says of ranks, as far as the other names them too."""
    named = bool(comm.missing) and bool(other.missing)
    behind = not (comm.behind_unnamed or other.behind_unnamed)
    return (
        comm.missing_count,
        {(lost.rank, lost.dead, lost.process) for lost in comm.missing if named},
        comm.not_member_count,
        comm.behind_count,
        comm.behind if behind else None,
        {(tally.kind, tally.minimum, tally.maximum) for tally in comm.skewed},
        comm.diverged,
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_who_is_behind_follows_from_the_counts_not_from_who_is_listed(version: str) -> None:
    text = as_text(of_version(jobs.TWO_AHEAD, version))
    (comm,) = read_answer(text).communicators

    assert "Rank 6 -- GPU 2" in text
    assert "Rank 5 -- " not in text
    assert (comm.behind, comm.ahead) == ((0, 1, 2, 3, 4, 5), (6, 7))


@pytest.mark.parametrize("version", VERSIONS)
def test_one_rank_behind_is_named_with_its_process(version: str) -> None:
    comm = read_text(jobs.ONE_BEHIND, version).communicators[0]

    assert (comm.behind, comm.ahead) == ((5,), ())
    assert comm.processes[5].pid == 4005
    assert (comm.tallies[0].minimum, comm.tallies[0].maximum) == (99, 100)


def test_old_versions_have_one_total() -> None:
    assert read_text(jobs.ONE_BEHIND, "2.24.3").communicators[0].tallies[0].kind == "Collective"
    assert read_text(jobs.ONE_BEHIND, "2.26.3").communicators[0].tallies[0].kind == "AllReduce"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_dead_process_and_its_ranks(version: str) -> None:
    answer = read_text(jobs.DEAD, version)
    whole, right = (comm for comm in answer.communicators if comm.missing)

    assert answer.dead_processes == 1
    assert (answer.dead[0].host, answer.dead[0].pid) == ("10.0.0.2", 4005)
    assert [(lost.rank, lost.dead) for lost in whole.missing] == [(5, True)]
    assert [(lost.rank, lost.dead) for lost in right.missing] == [(1, True)]
    assert whole.missing[0].process is not None
    assert whole.missing[0].process.pid == 4005


@pytest.mark.parametrize("version", VERSIONS)
def test_a_silent_process_is_missing_but_not_dead(version: str) -> None:
    answer = read_text(jobs.SILENT, version)

    assert (answer.missing_processes, answer.dead_processes) == (1, 0)
    assert [lost.dead for comm in answer.communicators for lost in comm.missing] == [False, False]


def test_which_of_two_lost_ranks_is_dead_is_unknown_in_2_24() -> None:
    old, new = (read_text(jobs.MIXED_LOSS, version) for version in ("2.24.3", "2.30.7"))

    assert [lost.dead for lost in old.communicators[0].missing] == [None, None]
    assert [lost.dead for lost in new.communicators[0].missing] == [True, False]


def test_long_lists_are_left_out_of_a_plain_report() -> None:
    comm = read_text(jobs.MANY_LOST).communicators[0]

    assert (comm.missing, comm.missing_count, comm.ranks_answered) == ((), 24, 40)


def test_a_list_that_2_24_cuts_is_used_without_its_last_number() -> None:
    whole = world(64, 8)
    lost = [replace(member, absent="silent") for member in whole.members[100:]]
    job = Job((replace(whole, members=(*whole.members[:100], *lost)),))
    comm = read_text(job, "2.24.3", verbose=True).communicators[0]

    assert comm.missing_count == 412
    assert 200 < len(comm.missing) < 300
    assert [lost.rank for lost in comm.missing] == list(range(100, 100 + len(comm.missing)))


@pytest.mark.parametrize("version", VERSIONS)
def test_ranks_that_left_are_no_members_but_not_missing(version: str) -> None:
    comm = read_text(jobs.LEAVING, version, verbose=True).communicators[0]

    assert (comm.status, comm.missing, comm.not_members) == ("FINALIZE", (), (1, 2, 3))


def test_errors_without_a_name_are_counted() -> None:
    text, data = read_text(jobs.NCCL_TIMEOUT), read_json(jobs.NCCL_TIMEOUT)

    for answer in (text, data):
        (failure,) = answer.communicators[0].failures
        assert (failure.error, failure.number, failure.stage) == ("", 8, "async")


def test_the_job_summary() -> None:
    text, data = read_text(jobs.HEALTHY).job, read_json(jobs.HEALTHY).job

    assert text is not None
    assert data is not None
    assert (text.nodes, text.processes, text.gpus) == (2, 8, 8)
    assert (data.nodes, data.processes, data.gpus) == (2, 8, 8)
    assert (text.cuda_compiled, text.cuda_runtime, text.cuda_driver) == ("12.9", 12090, 12080)
    assert (text.derived, data.derived) == (False, True)


UNEVEN_NODES = """\
  Nodes  Processes         GPUs
          per node  per process
      3          4            1
      1          2            1

  Nodes  Processes         GPUs
(total)    (total)      (total)
      4         14           14

The outlier node:
  Node 10.0.0.4 running processes 20369,20370
"""
UNEVEN_PROCESSES = """\
  Nodes  Processes
          per node
      3          1

         Processes         GPUs
                    per process
                 2            8
                 1            4

  Nodes  Processes         GPUs
(total)    (total)      (total)
      3          3           20
"""


@pytest.mark.parametrize(
    ("table", "totals"), [(UNEVEN_NODES, (4, 14, 14)), (UNEVEN_PROCESSES, (3, 3, 20))]
)
def test_the_job_summary_of_uneven_jobs(table: str, totals: tuple[int, int, int]) -> None:
    text = as_text(jobs.EMPTY)
    start, end = text.index("  Nodes "), text.index("\nCommunicators")
    answer = read_answer(text[:start] + table + text[end:])

    assert answer.reliable
    assert answer.job is not None
    assert (answer.job.nodes, answer.job.processes, answer.job.gpus) == totals
    assert answer.job.processes_per_node is None


EXCERPT = """\
NCCL version 2.26.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12080

Nodes  Processes  GPUs per process  Processes (total)  GPUs (total)
    1          8                 1                  8            8

Group  Comms  Nodes  Ranks  Ranks  Ranks    Status  Errors
   #   in group  per comm  per node  per comm  in group
   0         1         1         7         8         7   RUNNING  INCOMPLETE

DEAD
  1 job process is considered dead (unreachable via the RAS network)
"""


@pytest.mark.parametrize("ending", ["", "\n", "   \n\n"])
def test_an_excerpt_as_documentation_quotes_it(ending: str) -> None:
    answer = read_answer(EXCERPT.rstrip("\n") + ending)

    assert (answer.reliable, answer.nccl_version) == (True, "2.26.3")
    assert len(answer.cautions) == 1
    assert answer.job is not None
    assert (answer.job.nodes, answer.job.processes, answer.job.gpus) == (1, 8, 8)
    assert answer.job.gpus_per_process == 1
    assert answer.dead_processes == 1
    (comm,) = answer.communicators
    assert (comm.size, comm.ranks_answered, comm.status) == (8, 7, "RUNNING")
    assert (comm.errors, comm.missing, comm.missing_count) == (("INCOMPLETE",), (), 1)


def test_rccl_is_read_the_same_way() -> None:
    text = as_text(jobs.ONE_BEHIND)
    text = text.replace("NCCL version 2.30.7 compiled with CUDA 12.9", RCCL[0], 1)
    text = text.replace("CUDA runtime version 12090, driver version 12080", RCCL[1], 1)
    answer = read_answer(text)

    assert (answer.reliable, answer.communicators[0].behind) == (True, (5,))


RCCL = (
    "RCCL version 2.27.7 compiled with ROCm 7.0.2.0-56",
    "HIP runtime version 70051831, amdgpu driver version 61250",
)


def test_lines_of_the_protocol_and_of_a_shell_may_surround_a_report() -> None:
    text = as_text(jobs.HEALTHY)
    before = "Connection timed out; retrying...\nSERVER PROTOCOL 2\nOK\n"
    answer = read_answer(f"Defaulted container\n{before}{text}exit code: 0\n")

    assert answer.reliable
    assert answer.handshake_retries == 1
    assert answer.unknown_lines == ("Defaulted container",)


def test_lines_of_the_protocol_may_surround_json() -> None:
    answer = read_answer(f"SERVER PROTOCOL 2\nOK\nOK\n{as_json(jobs.HEALTHY)}exit code: 0\n")

    assert (answer.reliable, answer.unknown_lines) == (True, ())


def test_windows_line_ends() -> None:
    answer = read_answer(as_text(jobs.ONE_BEHIND).replace("\n", "\r\n").encode())

    assert (answer.reliable, answer.communicators[0].behind) == (True, (5,))


NEWER = "#0-0 (0000000000007a11) SLOW\n  2 ranks are slower than the others\n"


def test_unknown_lines_of_a_newer_version_are_kept_and_do_no_harm() -> None:
    answer = read_text(jobs.ONE_BEHIND, "2.40.1")
    newer = read_answer(as_text(of_version(jobs.ONE_BEHIND, "2.40.1")) + NEWER)

    assert newer.reliable
    assert newer.unknown_lines == tuple(NEWER.splitlines())
    assert newer.communicators == answer.communicators


def test_unknown_lines_of_a_known_version_are_a_sign_of_damage() -> None:
    answer = read_answer(as_text(jobs.ONE_BEHIND) + NEWER)

    assert not answer.reliable
    assert answer.unknown_lines == tuple(NEWER.splitlines())


def test_unknown_keys_of_json_are_kept() -> None:
    text = as_json(of_version(jobs.HEALTHY, "2.40.1")).replace('"size"', '"shape": 1,\n"size"')
    answer = read_answer(text)

    assert (answer.reliable, answer.unknown_lines) == (True, ("shape",))


def test_no_rendezvous_yet() -> None:
    answer = read_text(jobs.EMPTY)

    assert (answer.reliable, answer.rendezvous_incomplete, answer.communicators) == (True, True, ())


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", Reason.EMPTY),
        (b"\n\n", Reason.EMPTY),
        (b"NCCL ver", Reason.CUT),
        (b'{\n  "nccl_version": "2.30', Reason.CUT),
        (b"import os\n", Reason.FOREIGN),
        (b"\x7fELF\x00\xff\xfe", Reason.FOREIGN),
    ],
)
def test_what_is_no_report(raw: bytes, reason: Reason) -> None:
    answer = read_answer(raw)

    assert (answer.outcome, answer.reason) == (NcclOutcome.CUT, reason)
    assert not answer.reliable


def test_the_version_of_a_cut_json_is_kept() -> None:
    assert read_answer(as_json(jobs.HEALTHY)[:300]).nccl_version == "2.30.7"


def test_processes_of_communicators_that_share_them_are_counted_once() -> None:
    whole = world()
    job = Job((whole.but(5, absent="dead"), split(whole.but(5, absent="dead"), range(4, 8), 0xAA)))

    assert read_json(job).dead_processes == 1
