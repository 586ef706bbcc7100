from rankscope.analysis import compare
from rankscope.model.capture import NodeSample, Role, Thread
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped
from tests.changing import replace

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


def test_without_a_stack_in_both_captures_a_rank_keeps_its_row_and_reason() -> None:
    empty = job(others(2, At(None, error="timeout: 10 s")))

    comparison = compare(empty, empty)

    assert [item.change for item in comparison.ranks] == ["unknown", "unknown"]
    reason = comparison.ranks[0].reason
    assert reason is not None
    assert reason.en == "before: timeout: 10 s; after: timeout: 10 s"
    assert "No rank" in comparison.text.en


def test_a_rank_that_nobody_ever_saw_has_a_row_too() -> None:
    partial = job(others(3, WAITS), world=4)

    last = compare(partial, partial).ranks[-1]

    assert (last.rank, last.change) == (3, "unknown")
    assert last.reason is not None
    assert "no trainer process was found" in last.reason.en


def test_a_rank_that_was_only_unreachable_before_is_not_new() -> None:
    before = job(others(3, WAITS, r1=At(None, error="timeout: 10 s")))
    after = job(others(3, WAITS))

    found = compare(before, after)

    assert [item.change for item in found.ranks] == ["frozen", "unknown", "frozen"]
    assert "New" not in found.text.en
    assert "without" not in found.text.en
    assert "want of a stack: 1" in found.text.en


def test_ranks_of_a_node_that_was_silent_are_not_new_and_not_gone() -> None:
    silent = NodeSample("node-1", 0, error="timed out")
    whole = job(others(4, WAITS), per_node=2)
    half = job(others(2, WAITS), world=4, per_node=2, extra=[silent])

    for one, other in ((half, whole), (whole, half)):
        changes = {item.rank: item.change for item in compare(one, other).ranks}
        assert changes == {0: "frozen", 1: "frozen", 2: "unknown", 3: "unknown"}


def test_a_dead_rank_is_gone() -> None:
    before = job(others(2, WAITS))
    after = job(others(2, WAITS, r1=At(None, state="Z", role=Role.DEAD, error="zombie: exited")))

    gone = compare(before, after).ranks[1]

    assert gone.change == "gone"
    assert gone.reason is not None
    assert "zombie" in gone.reason.en


def test_a_restarted_process_did_not_stand_still() -> None:
    before = job(others(2, WAITS))
    node = before.samples[0]
    again = tuple(
        replace(p, pid=p.pid + 50, threads=tuple(replace(t, os_thread_id=p.pid + 50)
                                                 for t in p.threads))
        for p in node.processes
    )  # fmt: skip
    after = replace(before, samples=(replace(node, processes=again),))

    comparison = compare(before, after)

    found = comparison.ranks[0]
    assert found.change == "moved"
    assert found.reason is not None
    assert "started again" in found.reason.en
    assert comparison.text.en == "Started again in between, as other processes: 0-1."


def test_threads_are_compared_and_those_that_wait_by_design_are_left_out() -> None:
    idle = b.stack(
        "Condition.wait %/threading.py:331",
        "Queue.get %/queue.py:180",
        "_AsyncWriterThread._run $/tensorboard/summary/writer/event_file_writer.py:273",
    )

    def at(line: int, *more: Thread) -> At:
        fetch = b.thread("fetch", b.stack(f"Feeder.read ~/feed.py:{line}"), os_thread_id=71)
        writer = b.thread("writer", idle, os_thread_id=72)
        return At(b.ALL_REDUCE, beside=(fetch, writer, *more))

    new = b.thread("late", b.READ, os_thread_id=73)
    threads = compare(job({0: at(3)}), job({0: at(9, new)})).ranks[0].threads

    assert [(t.name, t.change) for t in threads] == [("late", "new"), ("fetch", "moved")]


def test_groups_that_grew_or_shrank_are_shown_with_what_that_says() -> None:
    computing = b.running(b.FORWARD)
    before = job(others(8, computing, r0=WAITS, r1=WAITS))
    after = job(others(8, WAITS, r5=computing))

    found = compare(before, after)

    first = found.groups[0]
    assert (first.before, first.after, first.came, first.left) == (2, 7, "2-4,6-7", "")
    assert first.waits
    assert "grew from 2 to 7: more ranks are held up there" in found.text.en
    assert "从 2 个增加到 7 个" in found.text.zh


def test_of_those_that_stand_still_the_one_that_waits_for_nobody_is_pointed_at() -> None:
    stuck = job(others(6, WAITS, r4=piped(b.READ)))

    assert "Of those that stand still, rank 4 waits for nobody" in compare(stuck, stuck).text.en
