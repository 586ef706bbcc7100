"""The table of real torch/gloo jobs: what is done to whom, and who is guilty of the hang."""

from dataclasses import dataclass
from typing import Literal

Signal = Literal["", "stop", "kill", "stop_workers"]


@dataclass(frozen=True)
class RealJob:
    """One job to start and capture.

    at are the ranks that the trouble happens to, guilty by default; marks is how many ranks must
    say that they are `stuck` before the capture; signal is sent to `at` once the job trains.
    absent ranks are never started. settle_s passes before the first sample.
    """

    name: str
    kind: str
    program: str
    trouble: str = ""
    at: tuple[int, ...] = ()
    guilty: tuple[int, ...] | None = None
    ranks: int = 4
    nodes: int = 1
    signal: Signal = ""
    absent: tuple[int, ...] = ()
    trigger: str = "hang"
    samples: int = 2
    tensor: int = 1
    settle_s: float = 2.0
    marks: int | None = None
    steps: int = 0

    @property
    def culprits(self) -> frozenset[int]:
        """The ranks that the report must name."""
        return frozenset(self.at if self.guilty is None else self.guilty)

    @property
    def stuck(self) -> int:
        """How many ranks say that they are in trouble."""
        if self.marks is not None:
            return self.marks
        return len(self.at) if self.trouble and not self.signal else 0


def _faulty() -> tuple[RealJob, ...]:
    return (
        RealJob("data_read", "data read blocks", "plain", "fifo", (2,)),
        RealJob("data_read_replicas", "data read blocks", "replicas", "fifo", (1, 4), ranks=6,
                trigger="manual"),
        RealJob("data_read_nodes", "data read blocks", "replicas", "fifo", (5,), ranks=8, nodes=2),
        RealJob("data_socket", "a request does not return", "replicas", "socket", (3,)),
        RealJob("data_child", "a child process does not end", "plain", "child", (0,)),
        RealJob("data_flock", "a file lock is held elsewhere", "replicas", "flock", (2,)),
        RealJob("data_sleep", "sleeps in user code", "plain", "sleep", (1,), trigger="manual"),
        RealJob("data_spin", "an endless loop", "plain", "spin", (3,)),
        RealJob("data_filler", "a prefetch thread blocks", "replicas", "filler", (0,)),
        RealJob("data_locks", "two threads deadlock", "replicas", "locks", (2,)),
        RealJob("data_d", "uninterruptible sleep", "plain", "d", (1,)),
        RealJob("data_gil", "a helper thread keeps the global lock", "replicas", "gil", (2,)),
        RealJob("data_breakpoint", "a forgotten breakpoint", "replicas", "breakpoint", (0,)),
        RealJob("forward_sleep", "sleeps in user code", "replicas", "forward_sleep", (3,), ranks=6),
        RealJob("forward_spin", "an endless loop", "replicas", "forward_spin", (1,)),
        RealJob("workers", "dataloader workers block", "replicas", "workers", (2,),
                marks=0, settle_s=8),
        RealJob("workers_stopped", "dataloader workers are stopped", "replicas", "loaders", (1,),
                signal="stop_workers", settle_s=6),
        RealJob("uneven", "uneven batches", "plain", "uneven", (1,), ranks=6),
        RealJob("uneven_replicas", "uneven batches", "replicas", "ends", (3,)),
        RealJob("skips", "one rank skips a collective", "plain", "skips", (2,), trigger="manual"),
        RealJob("alone", "a collective that one rank alone runs", "plain", "alone", (0,)),
        RealJob("stopped", "stopped by a signal", "plain", at=(3,), signal="stop"),
        RealJob("stopped_replicas", "stopped by a signal", "replicas", at=(4,), ranks=8, nodes=2,
                signal="stop", trigger="manual"),
        RealJob("killed", "killed, the others wait for it to come back", "plain", "resists",
                (0, 1, 2, 3), (1,), signal="kill", marks=2),
        RealJob("killed_early", "killed before it joined", "plain", "dies", (2,), signal="kill",
                marks=1),
        RealJob("save_stuck", "the first rank's checkpoint blocks", "plain", "save_stuck", (0,)),
        RealJob("stage_sleeps", "a pipeline stage does not send", "stages", "stage_sleeps", (1,)),
        RealJob("stage_spins", "a pipeline stage does not send", "stages", "stage_spins", (2,),
                ranks=6, nodes=2),
        RealJob("stage_barrier", "a pipeline stage in a barrier", "stages", "stage_barrier", (2,)),
        RealJob("late", "blocked before it joins", "plain", "late", (3,)),
        RealJob("builds", "blocked while it builds the model", "replicas", "builds", (0,),
                settle_s=15),
        RealJob("absent", "a rank never starts", "plain", absent=(3,), guilty=(3,), settle_s=5),
        RealJob("tensor_read", "data read in a tensor-parallel group", "halves", "fifo", (2,),
                tensor=2),
        RealJob("tensor_skips", "one rank skips a tensor-parallel collective", "halves",
                "skips_layer", (1,), ranks=6, tensor=2, steps=8),
        RealJob("tensor_sleeps", "sleeps in a tensor-parallel group", "halves", "sleep", (5,),
                ranks=8, nodes=2, tensor=4),
        RealJob("majority", "most ranks read from dead storage", "plain", "fifo", (0, 1, 3, 4),
                ranks=6),
        RealJob("sharded_sleeps", "sleeps under sharded parameters", "sharded", "shard_sleeps",
                (1,)),
        RealJob("sharded_branch", "another branch of a sharded model", "sharded", "extra_branch",
                (2,), settle_s=3),
        RealJob("leaves", "leaving: one rank joins a thread for ever", "replicas", "leaves", (1,)),
    )  # fmt: skip


def _calm() -> tuple[RealJob, ...]:
    nobody: tuple[int, ...] = ()
    return (
        RealJob("healthy", "healthy, by hand", "plain", trigger="manual"),
        RealJob("healthy_hang", "healthy, after a false hang alert", "replicas"),
        RealJob("healthy_loaders", "healthy, with loaders", "replicas", "loaders", (0, 1, 2, 3),
                nobody, trigger="manual", marks=0),
        RealJob("slow_loaders", "slow, all wait for their loaders", "replicas", "slow_loaders",
                (0, 1, 2, 3), nobody, trigger="slow", marks=0, settle_s=4),
        RealJob("healthy_pipeline", "healthy pipeline", "stages", trigger="manual", ranks=6),
        RealJob("healthy_tensor", "healthy, tensor parallel", "halves", tensor=2,
                trigger="manual", nodes=2),
        RealJob("healthy_sharded", "healthy, sharded", "sharded", trigger="recapture"),
        RealJob("healthy_once", "healthy, one sample", "replicas", trigger="manual", samples=1),
        RealJob("evaluates", "healthy, the first rank evaluates", "plain", "evaluates", (0,),
                nobody),
        RealJob("saves", "healthy, the first rank saves", "plain", "save_on", (0,), nobody),
        RealJob("prepares", "healthy, the first rank prepares data", "prepared", ranks=6,
                marks=1),
        RealJob("alike_storage", "alike: all read from dead storage", "plain", "fifo",
                (0, 1, 2, 3), nobody),
        RealJob("alike_mutual", "alike: all wait to receive", "stages", "mutual", (0, 1, 2, 3),
                nobody, marks=0, settle_s=3),
        RealJob("alike_sleep", "alike: all sleep at one line", "prepared", "quota",
                (0, 1, 2, 3), nobody),
        RealJob("alike_key", "alike: all wait at the store", "prepared", "key", (0, 1, 2, 3),
                nobody),
    )  # fmt: skip


JOBS: dict[str, RealJob] = {job.name: job for job in (*_faulty(), *_calm())}
