from dataclasses import replace

from rankscope.analysis import compare
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped

WAITS = At(b.ALL_REDUCE)


def test_every_rank_is_frozen_moved_new_or_gone() -> None:
    before = job({0: WAITS, 1: WAITS, 2: piped(b.READ)})
    after = job({0: WAITS, 1: At(b.BARRIER), 3: WAITS})

    comparison = compare(before, after)

    assert {item.rank: item.change for item in comparison.ranks} == {
        0: "frozen",
        1: "moved",
        2: "gone",
        3: "new",
    }
    assert comparison.ranks[1].before.startswith("all_reduce (torch/distributed/")
    assert "Runner.end_epoch" in comparison.ranks[1].after
    assert comparison.ranks[3].before == ""
    assert "2" in comparison.text.en


def test_all_frozen_and_all_moved_are_said() -> None:
    still, gone_on = job(others(4, WAITS)), job(others(4, At(b.BARRIER)))

    assert "None of the 4" in compare(still, still).text.en
    assert "全都没有移动" in compare(still, still).text.zh
    assert "All 4" in compare(still, gone_on).text.en


def test_captures_of_different_jobs_are_called_so() -> None:
    one = job(others(2, WAITS))
    other = replace(one, header=replace(one.header, job_id="jo-8"))

    assert "different jobs" in compare(one, other).text.en


def test_without_a_stack_there_is_nothing_to_compare() -> None:
    empty = job(others(2, At(None)))

    assert compare(empty, empty).ranks == ()
    assert "No rank" in compare(empty, empty).text.en
