"""Small jobs with their truth: who is to be named, and by what pattern."""

from rankscope.model.capture import Capture, Frame, NodeSample, Role, Trigger
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice
from tests.changing import replace

WAITS = At(b.ALL_REDUCE)


def asleep(frames: tuple[Frame, ...]) -> At:
    return At(frames, wchan="hrtimer_nanosleep")


def read(name: str, line: int) -> At:
    return At((*b.stack(f"Feeder.{name} ~/feed.py:{line}"), *b.LOOP), wchan="wait_woken")


HELPER = replace(b.process(0, At(b.WORKER)), pid=9001, role=Role.DATALOADER, rank=None, state="S")
SPINNER = b.thread("histograms", b.stack("Stats.count ~/stats.py:9"), owns_gil=True, active=True)
PREFETCH = b.thread("prefetch", b.stack("Remote.fetch ~/feed.py:80", "Feeder.fill ~/feed.py:70"))
TP_WAIT = b.collective(
    "all_reduce", "RowParallelLinear.forward $/megatron/core/tensor_parallel/layers.py:40"
)

GUILTY: dict[str, tuple[Capture, list[int], str]] = {
    "a read from storage": (twice(others(4, WAITS, r2=piped(b.READ))), [2], "user"),
    "dataloader, others in DDP backward": (
        twice(others(4, At(b.BACKWARD), r2=At(b.LOADER, wchan="do_sys_poll", helpers=(HELPER,)))),
        [2],
        "data",
    ),
    "an endless loop at one line": (twice(others(4, WAITS, r3=running(b.READ))), [3], "working"),
    "an endless loop over lines": (
        job(
            others(8, WAITS, r3=running((*b.stack("Feeder.parse ~/feed.py:21"), *b.READ[1:]))),
            others(8, WAITS, r3=running((*b.stack("Feeder.parse ~/feed.py:23"), *b.READ[1:]))),
            trigger=Trigger.HANG,
        ),
        [3],
        "working",
    ),
    "a skipped collective": (twice(others(4, WAITS, r1=At(b.BARRIER))), [1], "mismatch"),
    "uneven batches": (
        twice(others(8, At(b.BARRIER), r0=WAITS, r1=WAITS)),
        [0, 1],
        "mismatch",
    ),
    "one stopped, with a stack like all": (
        twice(others(8, WAITS, r5=At(b.ALL_REDUCE, state="T", wchan="do_signal_stop"))),
        [5],
        "stopped",
    ),
    "one stopped, without a stack": (
        twice(others(8, WAITS, r5=At(None, state="T", error="Error: Failed to suspend"))),
        [5],
        "stopped",
    ),
    "a zombie": (twice(others(4, WAITS, r1=At(None, state="Z", role=Role.DEAD))), [1], "dead"),
    "gone between the samples": (
        job(others(4, WAITS), dict.fromkeys((0, 1, 3), WAITS)),
        [2],
        "vanished",
    ),
    "never seen": (job(*[dict.fromkeys(range(7), WAITS)] * 2, world=8), [7], "missing"),
    "no dump, in uninterruptible sleep": (
        twice(others(8, WAITS, r6=At(None, state="D", error="Error: timed out"))),
        [6],
        "no_dump",
    ),
    "a helper thread with the global lock": (
        twice(others(8, WAITS, r2=At(b.ALL_REDUCE, beside=(SPINNER,)))),
        [2],
        "gil",
    ),
    "a blocked prefetch thread": (
        twice(others(8, WAITS, r6=At(b.QUEUE, beside=(PREFETCH,)), r7=At(b.BROADCAST))),
        [6],
        "lock_queue",
    ),
    "its tensor-parallel partner waits elsewhere": (
        twice(others(8, WAITS, r4=piped(b.READ), r5=At(b.BROADCAST))),
        [4],
        "user",
    ),
    "most ranks on dead storage": (
        twice(others(8, piped(b.READ), r5=WAITS, r6=WAITS, r7=WAITS)),
        [0, 1, 2, 3, 4],
        "user",
    ),
    "two causes": (
        twice(others(8, WAITS, r0=read("post", 90), r5=At(b.FORWARD))),
        [0, 5],
        "user",
    ),
    "a pipeline stage that does not send": (
        twice({0: At(b.RECV), 1: At(b.RECV), 2: running(b.FORWARD), 3: At(b.RECV)}),
        [2],
        "working",
    ),
    "a pipeline, the other replica waits": (
        twice(others(8, WAITS, r0=At(b.SEND), r2=At(b.FORWARD), r4=At(b.RECV), r6=At(b.RECV))),
        [2],
        "user",
    ),
    "a stage alone in a barrier": (
        twice({0: At(b.RECV), 1: At(b.RECV), 2: At(b.BARRIER), 3: At(b.SEND)}),
        [2],
        "mismatch",
    ),
    "before the process group": (twice(others(4, At(b.STORE), r3=piped(b.READ))), [3], "user"),
    "a breakpoint": (twice(others(4, WAITS, r3=piped(b.DEBUGGER))), [3], "debugger"),
    "left the loop early": (
        twice(
            others(
                8,
                WAITS,
                r3=At(b.stack("close ~/run.py:50", "<module> ~/run.py:45"), wchan="do_sys_poll"),
                r2=At(b.BROADCAST),
            ),
        ),
        [3],
        "user",
    ),
    "left the loop early, waits in a barrier": (
        twice(
            {r: At(b.BROADCAST) if r % 2 == 0 else WAITS for r in range(8)}
            | {3: At(b.collective("barrier", "close ~/run.py:50", b.ROOT[1:]))}
        ),
        [3],
        "mismatch",
    ),
    "a straggler in backward": (
        twice(others(4, At(b.BACKWARD), r2=running(b.BACKWARD))),
        [2],
        "working",
    ),
    "rank 0 saves for ever": (twice(others(8, At(b.BARRIER), r0=piped(b.SAVE))), [0], "storage"),
    "its tensor-parallel partner waits in a layer that it passed": (
        twice(others(8, WAITS, r5=At(TP_WAIT))),
        [4],
        "absent",
    ),
    "another branch of a sharded model": (
        twice(
            others(
                8,
                At((*b.SYNC[:1], *b.stack("Net.gather ~/model.py:50"), *b.LOOP)),
                r7=At(
                    (
                        *b.SYNC[:1],
                        *b.stack("Net.gather ~/model.py:50", "Tower.forward ~/t.py:3"),
                        *b.LOOP,
                    )
                ),
            )
        ),
        [7],
        "mismatch",
    ),
}

NOBODY: dict[str, tuple[Capture, str]] = {
    "all in one collective": (twice(others(8, WAITS)), "all_in_communication"),
    "all in DDP backward": (twice(others(4, At(b.BACKWARD))), "all_in_communication"),
    "all wait for the device": (job(others(8, At(b.SYNC))), "all_in_communication"),
    "all write to a hung file system": (
        twice(others(4, At(b.SAVE, state="D", wchan="percpu_rwsem_wait"))),
        "all_in_storage",
    ),
    "all compute at one place": (twice(others(4, running(b.FORWARD))), "all_in_program"),
    "all wait at start-up": (twice(others(4, At(b.STORE))), "all_in_start_up"),
    "all stopped": (twice(others(4, At(b.ALL_REDUCE, state="T"))), "all_stopped"),
    "healthy, at full speed": (
        job(
            {0: At(b.BACKWARD), 1: At(b.LOADER), 2: At(b.BACKWARD), 3: running(b.ALL_REDUCE)},
            {0: running(b.READ), 1: At(b.BACKWARD), 2: running(b.FORWARD), 3: At(b.BACKWARD)},
        ),
        "moving",
    ),
    "healthy, nobody waits": (
        job(others(4, running(b.FORWARD)), others(4, running(b.OPTIMIZER))),
        "moving",
    ),
    "rank 0 evaluates": (
        job(
            others(8, At(b.BARRIER), r0=running(b.EVALUATE)),
            others(8, At(b.BARRIER), r0=running(b.EVALUATE_NEXT)),
        ),
        "working",
    ),
    "a checkpoint, then on": (
        job(others(8, At(b.BARRIER), r0=At(b.SAVE)), others(8, WAITS, r0=running(b.FORWARD))),
        "moving",
    ),
    "a healthy pipeline": (
        job(
            {0: At(b.SEND), 1: At(b.RECV), 2: running(b.FORWARD), 3: At(b.RECV)},
            {0: At(b.RECV), 1: running(b.FORWARD), 2: At(b.SEND), 3: At(b.ALL_REDUCE)},
        ),
        "moving",
    ),
    "half here, half there": (
        twice({0: WAITS, 1: WAITS, 2: At(b.BARRIER), 3: At(b.BARRIER)}),
        "mixed_waiting",
    ),
    "no dump of anybody": (twice(others(4, At(None, error="Permission denied"))), "no_stacks"),
    "no process at all": (job({}, world=4), "no_ranks"),
    "an agent of two is silent": (
        job(others(8, WAITS), world=16, extra=[NodeSample("node-1", 0, error="timed out")]),
        "all_in_communication",
    ),
    "one moment of a lively job": (
        job({0: WAITS, 1: running(b.ALL_REDUCE), 2: At(b.OPTIMIZER), 3: At(b.FORWARD)}),
        "unclear",
    ),
}
