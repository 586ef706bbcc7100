from rankscope.analysis import analyse
from tests.analysis import builders as b
from tests.analysis.builders import At, others, piped, twice

WAITS = At(b.ALL_REDUCE)


def test_the_first_suspect_stands_beside_the_nearest_rank_that_waits() -> None:
    report = analyse(twice(others(6, WAITS, r3=piped(b.READ))))

    pair = report.side_by_side
    assert pair is not None
    assert (pair.suspect.rank, pair.control.rank) == (3, 2)
    assert pair.suspect.frames[: pair.shared] == pair.control.frames[: pair.shared]
    assert pair.suspect.frames[pair.shared] != pair.control.frames[pair.shared]


def test_the_control_rank_is_on_the_suspects_node_where_one_waits_there() -> None:
    ranks = others(16, WAITS, r8=piped(b.READ), r9=At(b.BARRIER))

    pair = analyse(twice(ranks)).side_by_side

    assert pair is not None
    assert (pair.control.rank, pair.control.node) == (10, "node-1")


def test_without_a_suspect_or_without_its_stack_nobody_is_put_beside_anybody() -> None:
    nobody = analyse(twice(others(4, WAITS)))
    undumped = analyse(twice(others(4, WAITS, r1=At(None, state="D", error="timeout"))))

    assert nobody.side_by_side is None
    assert [suspect.rank for suspect in undumped.suspects] == [1]
    assert undumped.side_by_side is None
