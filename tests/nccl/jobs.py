"""Jobs in every condition the reader must tell apart, to be printed in every version's form."""

from dataclasses import replace

from tests.nccl.answers import Job, split, world

VERSIONS = ("2.24.3", "2.25.1", "2.26.3", "2.27.7", "2.28.9", "2.29.7", "2.30.7", "2.32.3")
WITH_JSON = ("2.28.9", "2.29.7", "2.30.7", "2.32.3")
STEP = (("AllReduce", 101),)
AHEAD = (("AllReduce", 102),)

_world = world()
_left = split(_world, range(4), 0xAA01)
_right = split(_world, range(4, 8), 0xAA02)

HEALTHY = Job((_world, _left, _right))
ONE_BEHIND = Job((_world.but(5, launched=(("AllReduce", 99),)), _left, _right))
TWO_AHEAD = Job((_world.but(6, launched=STEP).but(7, launched=STEP),))
HANG = Job(
    (
        _world.but(5, launched=(("AllReduce", 99),)),
        _left,
        _right.but(1, launched=(("AllReduce", 70),)),
    )
)
SEVERAL_KINDS = Job(
    (
        _world.but(0, launched=(("AllReduce", 101),)).but(
            1, launched=(("AllReduce", 100), ("AllGather", 3))
        ),
    )
)
SILENT = Job((_world.but(5, absent="silent"), _left, _right.but(1, absent="silent")), timeouts=2)
DEAD = Job((_world.but(5, absent="dead"), _left, _right.but(1, absent="dead")))
MIXED_LOSS = Job((_world.but(5, absent="dead").but(6, absent="silent"),))
LOST_AND_BEHIND = Job((_world.but(5, absent="silent").but(2, launched=(("AllReduce", 99),)),))
FAILED = Job(
    (
        world(abort=True, asynchronous=6).but(6, asynchronous=1).but(7, asynchronous=3),
        _left.but(1, init=2),
        _right,
    )
)
NCCL_TIMEOUT = Job((world(asynchronous=8),))
ONE_INIT = Job((_world, _left, _right.but(3, init=7)))
ALL_INIT = Job((_world, split(_world, range(4), 0xAA01, init=7), _right))
LEAVING = Job(
    (
        _world.but(0, finalize=True)
        .but(4, finalize=True)
        .but(1, absent="outside")
        .but(2, absent="outside")
        .but(3, absent="outside"),
        _left,
        _right,
    )
)
EMPTY = Job(())
_large = world(8, 8)
_lost = (replace(m, absent="silent") if 20 <= m.rank < 44 else m for m in _large.members)
MANY_LOST = Job((replace(_large, members=tuple(_lost)),))

CONDITIONS = {
    "healthy": HEALTHY,
    "one_behind": ONE_BEHIND,
    "two_ahead": TWO_AHEAD,
    "hang": HANG,
    "several_kinds": SEVERAL_KINDS,
    "silent": SILENT,
    "dead": DEAD,
    "mixed_loss": MIXED_LOSS,
    "lost_and_behind": LOST_AND_BEHIND,
    "failed": FAILED,
    "nccl_timeout": NCCL_TIMEOUT,
    "one_init": ONE_INIT,
    "all_init": ALL_INIT,
    "leaving": LEAVING,
    "empty": EMPTY,
    "many_lost": MANY_LOST,
}


def of_version(job: Job, version: str) -> Job:
    """Return the same job under another NCCL."""
    return replace(job, version=version)
