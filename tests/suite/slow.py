"""Jobs that are slow: one rank holds the others up again and again, or nobody does."""

from dataclasses import replace

from tests.suite.kinds import kind
from tests.suite.lines import Job
from tests.suite.places import DISK, NFS, Place, asleep, busy, stuck_io
from tests.suite.programs import POLLS
from tests.suite.world import World

ANY = ("dp", "tp", "pp", "3d")


@kind("a straggler: the others only wait for it", ANY)
def straggler(w: World) -> Job:
    slow = replace(w.program, spins=False)
    calm = replace_world(w, slow)
    before, after = (calm.behind((w.one,)) | {w.one: busy(slow.forward(v))} for v in (1, 6))
    return Job((before, after), frozenset({w.one}), trigger="slow")


@kind("slow: one rank waits for its loader", ("dp",), ("ddp", "hf", "plain", "fsdp"))
def slow_loader(w: World) -> Job:
    calm = replace_world(w, replace(w.program, spins=False))
    sample = calm.behind((w.one,)) | {w.one: asleep(w.program.loader(), POLLS)}
    return Job((sample, sample), frozenset({w.one}), trigger="slow")


@kind("slow: one rank reads from slow storage", ANY)
def slow_reader(w: World) -> Job:
    calm = replace_world(w, replace(w.program, spins=False))
    place = stuck_io(w.program.read(), w.random.choice((NFS, DISK)))
    sample = calm.behind((w.one,), "data") | {w.one: place}
    return Job((sample, sample), frozenset({w.one}), trigger="slow")


def replace_world(w: World, program: object) -> World:
    return replace(w, program=program)  # type: ignore[arg-type]


@kind("slow, all alike", ANY)
def slow_alike(w: World) -> Job:
    return Job((w.healthy_sample(), w.healthy_sample()), trigger="slow")


@kind("slow, everybody waits for storage", ("dp",))
def slow_storage(w: World) -> Job:
    """Steps take ten times as long, since every rank's reads are slow: where each is, is chance."""

    def sample() -> dict[int, Place]:
        late = asleep(w.program.loader(), POLLS)
        return {r: late if w.random.random() < 0.8 else w.program.grads() for r in range(w.size)}

    return Job((sample(), sample()), trigger="slow")


@kind("slow, the network is slow", ("dp", "tp"))
def slow_network(w: World) -> Job:
    """Nearly all wait for gradients at any moment; who computes changes."""

    def sample() -> dict[int, Place]:
        found = dict(w.all_at(w.program.grads()))
        for rank in w.random.sample(range(w.size), max(1, w.size // 12)):
            found[rank] = busy(w.program.forward(w.random.randrange(15)), 0.1)
        return found

    return Job((sample(), sample()), trigger="slow")


@kind("slow, in different collectives", ("tp",))
def slow_collectives(w: World) -> Job:
    """A slow link: most are caught in one operation, a few in another."""

    def sample() -> dict[int, Place]:
        found = dict(w.all_at(w.program.grads()))
        group = w.topology.tp_group(w.random.randrange(w.size))
        found |= {r: w.program.tensor_wait() for r in found if w.topology.tp_group(r) == group}
        return found

    return Job((sample(), sample()), trigger="slow")
