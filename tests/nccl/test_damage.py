"""No cut and no corruption of a line may crash the reader or make it invent a missing rank.

Only one kind of corruption cannot be told from the truth: digits of a number exchanged for others
in the one place where a text answer says it. It is left out below where the number is a rank.
"""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import RasAnswer
from rankscope.nccl.read import read_answer
from rankscope.nccl.shape import as_json as shape
from rankscope.nccl.verdict import judge
from tests.nccl import jobs
from tests.nccl.answers import as_text
from tests.nccl.jobs import CONDITIONS, VERSIONS, WITH_JSON, of_version
from tests.nccl.json_answers import as_json
from tests.nccl.test_read import EXCERPT

SAMPLES = (
    *(
        as_text(of_version(job, version), verbose)
        for job in CONDITIONS.values()
        for version in VERSIONS
        for verbose in (False, True)
    ),
    *(as_json(of_version(job, v)) for job in CONDITIONS.values() for v in WITH_JSON),
    EXCERPT,
)
LINES = sorted({line for sample in SAMPLES for line in sample.split("\n")})
RANK_NUMBERS = re.compile(r"Rank \d+|ranks?: [\d,]+")


def missing(answer: RasAnswer) -> set[int]:
    return {lost.rank for comm in answer.communicators for lost in comm.missing}


def check(damaged: str, whole: str) -> None:
    answer = read_answer(damaged)
    shape(answer, judge(answer))
    judge(answer, read_answer(whole))
    assert missing(answer) <= missing(read_answer(whole))
    if not answer.reliable:
        assert missing(answer) == set()
        assert (answer.dead_processes, answer.missing_processes) == (0, 0)
        assert all(not comm.behind for comm in answer.communicators)


samples = st.sampled_from(SAMPLES)


@given(samples, st.data())
@settings(max_examples=400, deadline=None)
def test_any_truncation(whole: str, data: st.DataObject) -> None:
    check(whole[: data.draw(st.integers(0, len(whole)))], whole)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["dead", "silent", "mixed_loss"])
def test_a_cut_before_the_last_section_is_never_taken_for_whole(name: str, version: str) -> None:
    whole = as_text(of_version(CONDITIONS[name], version))
    for length in range(whole.index("Warnings")):
        answer = read_answer(whole[:length])
        assert not answer.reliable
        assert answer.outcome is NcclOutcome.CUT


@pytest.mark.parametrize("version", WITH_JSON)
def test_a_cut_json_is_never_taken_for_whole(version: str) -> None:
    whole = as_json(of_version(jobs.DEAD, version)).rstrip()
    for length in range(0, len(whole), 7):
        assert not read_answer(whole[:length]).reliable


line_edits: st.SearchStrategy[list[str]] = st.one_of(
    st.just([]),
    st.just(["", ""]),
    st.text(max_size=60).map(lambda text: [text]),
    st.sampled_from(LINES).map(lambda line: [line]),
    st.binary(max_size=30).map(lambda raw: [raw.decode(errors="replace")]),
)


@given(samples, st.data(), line_edits)
@settings(max_examples=600, deadline=None)
def test_any_line_replaced_or_lost(whole: str, data: st.DataObject, instead: list[str]) -> None:
    lines = whole.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    if any(_only_ranks_differ(lines[at], line) for line in instead):
        return
    check("\n".join([*lines[:at], *instead, *lines[at + 1 :]]), whole)


@given(samples, st.data())
@settings(max_examples=300, deadline=None)
def test_any_line_doubled_or_exchanged_with_the_next(whole: str, data: st.DataObject) -> None:
    lines = whole.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    check("\n".join([*lines[: at + 1], *lines[at:]]), whole)
    check("\n".join([*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]), whole)


@given(samples, st.data(), st.characters(codec="utf-8"))
@settings(max_examples=800, deadline=None)
@example(as_text(jobs.DEAD), None, "7")
def test_any_character_exchanged(whole: str, data: st.DataObject | None, instead: str) -> None:
    at = data.draw(st.integers(0, len(whole) - 1)) if data else whole.index("Rank 5 --") + 5
    damaged = whole[:at] + instead + whole[at + 1 :]
    if not _only_ranks_differ(damaged, whole):
        check(damaged, whole)


def _only_ranks_differ(one: str, other: str) -> bool:
    return one != other and RANK_NUMBERS.sub("", one) == RANK_NUMBERS.sub("", other)


ZERO_ROW = "    1         2         0         0         0         0    NOCOMM  MISMATCH\n"


def misread() -> str:
    """Compose what NVIDIA/nccl#1762 prints: a zero row and addresses in place of hashes."""
    text = as_text(of_version(jobs.LEAVING, "2.28.9"))
    row = re.search(r"    1 .* OK\n", text)
    assert row is not None
    text = text.replace(row[0], ZERO_ROW)
    return text + "#1-0 (a39f000200000001) MISMATCH\n#1-1 (f392000200000002) MISMATCH\n"


def test_misread_memory_is_recognised_and_nothing_of_it_is_used() -> None:
    answer = read_answer(misread())
    verdict = judge(answer)

    assert (answer.outcome, answer.reliable) == (NcclOutcome.ANSWERED, False)
    assert {"2.28.9"} <= set(verdict.next_steps[0].en.split())
    assert any("transition" in text.en for text in verdict.seen)
    assert all(not comm.not_members for comm in answer.communicators)


def test_a_communicator_of_zeros_in_json_spoils_the_answer() -> None:
    whole = as_json(jobs.HEALTHY)
    empty = (
        '{"hash": "0x0", "secondary_hash": "0x0:0x0", "size": 0, "ranks_count": 0,'
        ' "missing_ranks_count": 0, "ranks": [], "missing_ranks": []},'
    )
    damaged = whole.replace('"communicators": [', f'"communicators": [{empty}', 1)
    damaged = damaged.replace('"communicators_count": 3', '"communicators_count": 4')
    answer = read_answer(damaged)

    assert not answer.reliable
    assert judge(answer).kind == "unreliable"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"communicators_count": 3', '"communicators_count": 2'),
        ('"ranks_count": 8', '"ranks_count": 7'),
        ('"rank": 5', '"rank": 6'),
        ('"size": 8', '"size": 9'),
        ('"hash": "0x7a11"', '"hash": "garbage"'),
        ('"init_state": 0', '"init_state": "0"'),
        ('"pid": 4005', '"pid": null'),
    ],
)
def test_numbers_of_a_json_are_held_against_each_other(old: str, new: str) -> None:
    whole = as_json(jobs.HEALTHY)

    assert old in whole
    assert not read_answer(whole.replace(old, new, 1)).reliable


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("           1          8        8", "           1          8        9"),
        ("3-4         8         7", "3-4         9         7"),
        ("3-4         8         7", "3-4         8         6"),
        ("from 1 rank\n  Rank 5", "from 2 ranks\n  Rank 5"),
        ("Rank 5 --", "Rank 8 --"),
        ("#0-0 (0000000000007a11) INCOMPLETE", "#0-1 (0000000000007a11) INCOMPLETE"),
        ("#0-0 (0000000000007a11) INCOMPLETE", "#0-0 (0000000000007a11) ERROR"),
        ("managed by process 4005", "managed by process 4006"),
        ("RUNNING  INCOMPLETE", "RUNNING      OK"),
        ("  1 job process is considered dead", "  2 job processes are considered dead"),
    ],
)
def test_numbers_of_a_text_are_held_against_each_other(old: str, new: str) -> None:
    whole = as_text(jobs.DEAD)

    assert old in whole
    assert not read_answer(whole.replace(old, new, 1)).reliable
