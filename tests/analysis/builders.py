"""Made-up jobs: every rank's trainer at a chosen place, in one or more samples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rankscope.model.capture import (
    Capture,
    CaptureHeader,
    Frame,
    NcclAnswer,
    NodeSample,
    Process,
    Role,
    Task,
    Thread,
    Trigger,
)
from tests.changing import replace

SITE = "/opt/venv/lib/python3.11/site-packages"
STDLIB = "/usr/lib/python3.11"
PROJECT = "/mnt/project/atlas"
C10D = f"{SITE}/torch/distributed/distributed_c10d.py"


def frame(name: str, filename: str, line: int = 10) -> Frame:
    return Frame(name, filename, line)


def stack(*calls: str) -> tuple[Frame, ...]:
    """Read `name file:line`, innermost first; `~` is the project, `$` site-packages, `%` stdlib."""
    return tuple(_call(call) for call in calls)


def _call(call: str) -> Frame:
    name, _, where = call.rpartition(" ")
    path, _, line = where.rpartition(":")
    for short, full in (("~", PROJECT), ("$", SITE), ("%", STDLIB)):
        path = path.replace(short, full)
    return Frame(name, path, int(line))


ROOT = stack("main ~/run.py:30", "<module> ~/run.py:44")
LOOP = (*stack("Runner.step ~/runner.py:60", "Runner.fit ~/runner.py:90"), *ROOT)
EPOCH = (*stack("Runner.fit ~/runner.py:99"), *ROOT)


def collective(op: str, caller: str, outer: tuple[Frame, ...] = LOOP) -> tuple[Frame, ...]:
    wrapper = stack("_exception_logger.<locals>.wrapper $/torch/distributed/c10d_logger.py:83")
    return (frame(op, C10D, 3000), *wrapper, *stack(caller), *outer)


ALL_REDUCE = collective("all_reduce", "Runner.mean_gradients ~/runner.py:40")
BARRIER = collective("barrier", "Runner.end_epoch ~/runner.py:70", EPOCH)
BROADCAST = collective("broadcast", "Feeder.share ~/feed.py:50")
SEND = collective("send", "Stage.send_forward ~/stages.py:20")
RECV = collective("recv", "Stage.recv_backward ~/stages.py:25")
BACKWARD = (
    *stack("_engine_run_backward $/torch/autograd/graph.py:979"),
    *stack("backward $/torch/autograd/__init__.py:395", "Tensor.backward $/torch/_tensor.py:623"),
    *LOOP,
)
SYNC = (*stack("synchronize $/torch/cuda/streams.py:102", "Runner.wait ~/runner.py:52"), *LOOP)
READ = (*stack("Feeder.read ~/feed.py:21", "Feeder.next ~/feed.py:30"), *LOOP)
FORWARD = (*stack("Block.forward ~/model.py:15", "Net.forward ~/model.py:30"), *LOOP)
OPTIMIZER = (*stack("Runner.update ~/runner.py:64"), *LOOP)
LOADER = (
    *stack(
        "_PollLikeSelector.select %/selectors.py:415",
        "wait %/multiprocessing/connection.py:947",
        "Connection._poll %/multiprocessing/connection.py:440",
        "Queue.get %/multiprocessing/queues.py:113",
        "_MultiProcessingDataLoaderIter._try_get_data $/torch/utils/data/dataloader.py:1291",
        "_BaseDataLoaderIter.__next__ $/torch/utils/data/dataloader.py:725",
    ),
    *EPOCH,
)
WORKER = (
    *stack("Feeder.read ~/feed.py:21", "_worker_loop $/torch/utils/data/_utils/worker.py:340"),
    *stack("BaseProcess._bootstrap %/multiprocessing/process.py:314"),
    *EPOCH,
)
QUEUE = (
    *stack("Condition.wait %/threading.py:327", "Queue.get %/queue.py:171"),
    *stack("Feeder.take ~/feed.py:61"),
    *LOOP,
)
STORE = stack(
    "_create_c10d_store $/torch/distributed/rendezvous.py:199",
    "init_process_group $/torch/distributed/distributed_c10d.py:1892",
    "main ~/run.py:12",
    "<module> ~/run.py:44",
)
SAVE = (*stack("_save $/torch/serialization.py:1312", "Runner.keep ~/runner.py:80"), *EPOCH)
EVALUATE = (*stack("Judge.score ~/judge.py:12", "Runner.end_epoch ~/runner.py:69"), *EPOCH)
EVALUATE_NEXT = (*stack("Judge.rank ~/judge.py:19", "Runner.end_epoch ~/runner.py:69"), *EPOCH)
DEBUGGER = (*stack("Cmd.cmdloop %/cmd.py:126", "Pdb.interaction %/pdb.py:433"), *LOOP)
BOOTSTRAP = stack(
    "Thread.run %/threading.py:982",
    "Thread._bootstrap_inner %/threading.py:1045",
    "Thread._bootstrap %/threading.py:1002",
)


@dataclass(frozen=True)
class At:
    """Where a trainer is; frames None stands for a process without a dump."""

    frames: tuple[Frame, ...] | None
    state: str = "S"
    wchan: str = "futex_do_wait"
    role: Role = Role.TRAINER
    error: str | None = None
    ticks: int | None = None
    gil: bool = False
    beside: tuple[Thread, ...] = ()
    helpers: tuple[Process, ...] = field(default=())
    tasks: tuple[Task, ...] = ()


def running(frames: tuple[Frame, ...]) -> At:
    return At(frames, state="R", wchan="0")


def piped(frames: tuple[Frame, ...]) -> At:
    return At(frames, wchan="anon_pipe_read")


def thread(name: str | None, frames: tuple[Frame, ...], **more: object) -> Thread:
    return replace(Thread(name, (*frames, *BOOTSTRAP), os_thread_id=77), **more)


def process(rank: int, at: At) -> Process:
    pid = 1000 + rank
    main = Thread("MainThread", at.frames or (), pid, at.state == "R", at.gil)
    return Process(
        pid=pid,
        ppid=500,
        rank=rank,
        role=at.role,
        state=at.state,
        wchan=at.wchan,
        error=at.error,
        tasks=(Task(pid, "python", at.state, at.wchan, at.ticks), *at.tasks),
        threads=() if at.frames is None else (*at.beside, main),
    )


def sample(number: int, ranks: Mapping[int, At], per_node: int = 8) -> list[NodeSample]:
    nodes: dict[str, list[Process]] = {}
    for rank, at in ranks.items():
        helpers = [replace(helper, ppid=1000 + rank) for helper in at.helpers]
        nodes.setdefault(f"node-{rank // per_node}", []).extend([process(rank, at), *helpers])
    return [
        NodeSample(node, number, f"2026-06-08T03:49:0{5 * number}Z", processes=tuple(processes))
        for node, processes in nodes.items()
    ]


def job(
    *samples: Mapping[int, At] | Sequence[At],
    world: int | None = None,
    trigger: Trigger = Trigger.MANUAL,
    extra: Iterable[NodeSample] = (),
    nccl: tuple[NcclAnswer, ...] = (),
    per_node: int = 8,
) -> Capture:
    """Build a capture; each sample gives the place of every rank."""
    given = [dict(s) if isinstance(s, Mapping) else dict(enumerate(s)) for s in samples]
    found = [node for n, ranks in enumerate(given) for node in sample(n, ranks, per_node)]
    size = world if world is not None else max(max(s, default=0) for s in given) + 1
    header = CaptureHeader(
        job_id="jo-7", print_id="1780890495107774003", trigger=trigger, world_size=size,
        samples=len(samples),
    )  # fmt: skip
    return Capture(header, (*found, *extra), nccl)


def others(count: int, at: At, **different: At) -> dict[int, At]:
    """Put all ranks at one place, and some (`r2=…`) at another."""
    ranks = dict.fromkeys(range(count), at)
    return ranks | {int(name[1:]): place for name, place in different.items()}


def twice(ranks: Mapping[int, At]) -> Capture:
    """Build a job that stands still over two samples."""
    return job(ranks, ranks)
