"""Kinds of fault: who is guilty, and where everybody stands."""

from dataclasses import replace

from tests.suite.kinds import kind
from tests.suite.lines import Job, Sample
from tests.suite.places import (
    BOOT,
    DISK,
    FIFO,
    FUTEX,
    NFS,
    PIPE,
    SLEEP,
    SOCKET,
    Beside,
    Place,
    Worker,
    asleep,
    busy,
    call,
    stuck_io,
)
from tests.suite.programs import POLLS
from tests.suite.world import World

ANY = ("dp", "tp", "pp", "3d")


def frozen(w: World, guilty: dict[int, Place], phase: str = "forward", **more: object) -> Job:
    """Nobody moves between the samples."""
    sample: Sample = w.behind(guilty.keys(), phase) | guilty
    return Job((sample, sample), frozenset(guilty), **more)  # type: ignore[arg-type]


def _blocked(w: World) -> Place:
    wchan = w.random.choice((PIPE, FIFO, SOCKET, NFS, DISK))
    frames = w.program.read() if w.random.random() < 0.5 else w.program.read_plainly()
    return stuck_io(frames, wchan) if wchan in {NFS, DISK} else asleep(frames, wchan)


@kind("data read blocks in the main process", ANY)
def data_read(w: World) -> Job:
    place = _blocked(w)
    return frozen(w, dict.fromkeys(w.few, place), "data")


def _with_workers(w: World, place: Place, *, stuck: bool) -> Place:
    wchan = w.random.choice((PIPE, FIFO, SOCKET, NFS))
    state = "D" if wchan == NFS else "S"
    hung = Worker(w.program.worker("{feed}.{read} ~/feed.py:31"), state=state, wchan=wchan)
    idle = Worker(w.program.idle_worker())
    return place.with_workers(*([hung, hung] if stuck else [idle, idle]))


def _everybody_with_workers(w: World, sample: Sample, stuck: tuple[int, ...]) -> Sample:
    return {r: _with_workers(w, p, stuck=r in stuck) for r, p in sample.items()}


@kind("dataloader workers block", ("dp",), ("ddp", "hf", "lightning", "fsdp", "plain"))
def workers_block(w: World) -> Job:
    pinned = w.random.random() < 0.4
    place = asleep(w.program.loader(pinned=pinned), FUTEX if pinned else POLLS)
    sample = w.behind(w.few) | dict.fromkeys(w.few, place)
    sample = dict(_everybody_with_workers(w, sample, w.few))
    return Job((sample, sample), frozenset(w.few))


@kind("dataloader workers are gone", ("dp",), ("ddp", "hf", "lightning", "plain"))
def workers_gone(w: World) -> Job:
    place = asleep(w.program.loader(), POLLS)
    sample = dict(_everybody_with_workers(w, w.behind((w.one,)), ())) | {w.one: place}
    return Job((sample, sample), frozenset({w.one}))


@kind("dataloader workers deadlock after fork", ("dp",), ("ddp", "hf", "plain"))
def fork_deadlock(w: World) -> Job:
    locked = Worker(w.program.worker("{feed}.{read} ~/feed.py:29"), wchan=FUTEX)
    place = asleep(w.program.loader(), POLLS).with_workers(locked, locked)
    return frozen(w, {w.one: place}, "data")


@kind("a prefetch thread blocks", ANY, ("plain", "megatron", "ddp"))
def prefetch(w: World) -> Job:
    queue = (
        "Condition.wait %/threading.py:327; Queue.get %/queue.py:171; {feed}.{read} ~/feed.py:61"
    )
    place = asleep((*w.program.own(queue), *w.program.step))
    fetch = Beside("prefetch", (*w.program.own("Remote.{read} ~/feed.py:80"), *BOOT), wchan=SOCKET)
    full = "Condition.wait %/threading.py:327; Queue.put %/queue.py:140; {feed}.fill ~/feed.py:48"
    usual = Beside("prefetch", (*w.program.own(full), *BOOT))
    others = {r: p.with_threads(usual) for r, p in w.behind((w.one,), "data").items()}
    sample = others | {w.one: place.with_threads(fetch)}
    return Job((sample, sample), frozenset({w.one}))


@kind("an endless loop at one line", ANY)
def spin(w: World) -> Job:
    frames = w.random.choice(
        (w.program.read_plainly(), w.program.forward(3), w.program.around("tokenize ~/text.py:14"))
    )
    return frozen(w, {w.one: busy(frames)})


@kind("an endless loop over several lines", ANY)
def spin_lines(w: World) -> Job:
    def at(line: int) -> Place:
        return busy((*w.program.own(f"clean ~/text.py:{line}"), *w.program.read_plainly()))

    before, after = (w.behind((w.one,)) | {w.one: at(line)} for line in (20, 24))
    return Job((before, after), frozenset({w.one}))


@kind("a native call blocks in forward", ANY)
def native_lock(w: World) -> Job:
    return frozen(w, {w.one: asleep(w.program.forward(), FUTEX)})


@kind("a native call spins in forward", ANY)
def native_spin(w: World) -> Job:
    return frozen(w, {w.one: busy(w.program.forward())})


@kind("one rank skips a collective", ("dp",), ("plain",))
def skips(w: World) -> Job:
    sample = w.all_at(w.program.grads()) | {w.one: w.program.barrier()}
    return Job((sample, sample), frozenset({w.one}))


@kind("uneven batches: a few ranks are ahead", ("dp",), ("plain", "ddp", "fsdp", "hf"))
def uneven(w: World) -> Job:
    sample = w.all_at(w.program.barrier()) | dict.fromkeys(w.few, w.program.grads())
    return Job((sample, sample), frozenset(w.few))


@kind("a collective that one rank alone runs", ("dp",), ("plain", "ddp", "hf"))
def extra(w: World) -> Job:
    own = w.program.around("{Loop}.{log} ~/{file}.py:140")
    place = w.program.waiting(w.program.c10d("all_gather_object", own))
    sample = w.all_at(w.program.grads()) | {w.one: place}
    return Job((sample, sample), frozenset({w.one}))


@kind("one rank skips a tensor-parallel collective", ("tp",))
def skips_tensor(w: World) -> Job:
    sample = w.all_at(w.program.grads())
    group = w.topology.tp_group(w.one)
    for rank in sample:
        if w.topology.tp_group(rank) == group and rank != w.one:
            sample[rank] = w.program.tensor_wait()
    return Job((sample, sample), frozenset({w.one}))


@kind("another branch of a sharded model", ("dp",), ("fsdp", "deepspeed"))
def branch(w: World) -> Job:
    sample = w.all_at(w.program.gather("a")) | {w.one: w.program.gather("vision")}
    return Job((sample, sample), frozenset({w.one}))


@kind("stopped by a signal", ANY)
def stopped(w: World) -> Job:
    frames = w.random.choice((w.program.grads().frames, w.program.forward(), None))
    place = Place(frames, "T", "do_signal_stop", error=None if frames else "timeout: 10 s")
    return frozen(w, {w.one: place})


@kind("a dead process is not collected", ANY)
def zombie(w: World) -> Job:
    place = Place(None, "Z", "do_exit", role="dead", error="zombie: exited, not collected")
    return frozen(w, {w.one: place})


@kind("a process vanishes between the samples", ANY)
def vanishes(w: World) -> Job:
    others = w.behind((w.one,))
    return Job((others | {w.one: busy(w.program.forward())}, others), frozenset({w.one}),
               world=w.size)  # fmt: skip


@kind("a rank never starts", ("dp",))
def never_starts(w: World) -> Job:
    sample = w.all_at(w.program.starting())
    del sample[w.one]
    return Job((sample, sample), frozenset({w.one}), world=w.size)


@kind("blocked before the process group exists", ("dp",))
def before_start(w: World) -> Job:
    place = asleep(w.program.before_start("{feed}.__init__ ~/feed.py:12"), PIPE)
    sample = w.all_at(w.program.starting()) | {w.one: place}
    return Job((sample, sample), frozenset({w.one}))


@kind("no dump, in uninterruptible sleep", ANY)
def undumped(w: World) -> Job:
    return frozen(w, {w.one: Place(None, "D", NFS, error="timeout: no answer in 10 s")})


@kind("the first rank saves for ever", ("dp",))
def saves_for_ever(w: World) -> Job:
    text = "_save $/torch/serialization.py:881; save $/torch/serialization.py:849"
    place = stuck_io(w.program.aside("save", text), NFS)
    sample = w.all_at(w.program.barrier("save")) | {0: place}
    return Job((sample, sample), frozenset({0}))


@kind("a helper thread keeps the global lock", ANY)
def keeps_gil(w: World) -> Job:
    frames = (*w.program.own("Stats.count ~/stats.py:21; Stats.loop ~/stats.py:26"), *BOOT)
    holder = Beside("stats", frames, "R", "0", gil=True)
    place = w.random.choice((w.program.grads(), asleep(w.program.forward()))).with_threads(holder)
    nap = (*w.program.own("Stats.loop ~/stats.py:25"), *BOOT)
    others = {r: p.with_threads(Beside("stats", nap, wchan=SLEEP))
              for r, p in w.behind((w.one,)).items()}  # fmt: skip
    sample = others | {w.one: place}
    return Job((sample, sample), frozenset({w.one}))


@kind("most ranks read from dead storage", ("dp", "tp"))
def majority(w: World) -> Job:
    guilty = w.random.sample(range(w.size), w.size * 5 // 8)
    place = asleep(w.program.read(), FIFO)
    sample = w.all_at(w.program.grads()) | dict.fromkeys(guilty, place)
    return Job((sample, sample), frozenset(guilty))


@kind("two causes at one time", ("dp", "tp"))
def two_causes(w: World) -> Job:
    other = (w.one + w.size // 2) % w.size
    post = "{Loop}.{log} ~/{file}.py:130"
    urllib = (
        "SocketIO.readinto %/socket.py:706; HTTPResponse.begin %/http/client.py:318;"
        "urlopen %/urllib/request.py:216"
    )
    return frozen(
        w,
        {w.one: asleep((*w.program.own(urllib), *w.program.around(post)), SOCKET),
         other: asleep(w.program.forward(), FUTEX)},
    )  # fmt: skip


@kind("a pipeline stage computes for ever", ("pp", "3d"))
def stage_spins(w: World) -> Job:
    return frozen(w, {w.one: busy(w.program.forward(2))})


@kind("a pipeline stage stands in a barrier", ("pp",))
def stage_barrier(w: World) -> Job:
    return frozen(w, {w.one: w.program.barrier()})


@kind("left the loop early", ANY)
def left_early(w: World) -> Job:
    frames = (*w.program.own("{close} ~/{file}.py:128"), *w.program.root)
    return frozen(w, {w.one: asleep(frames, POLLS)}, "data")


@kind("left early, waits in the last barrier", ("dp", "tp"))
def left_early_barrier(w: World) -> Job:
    end = (*w.program.own("{close} ~/{file}.py:131"), *w.program.root)
    return frozen(w, {w.one: w.program.waiting(w.program.c10d("barrier", end))})


@kind("a forgotten breakpoint", ANY)
def breakpoint_left(w: World) -> Job:
    text = (
        "Cmd.cmdloop %/cmd.py:126; Pdb._cmdloop %/pdb.py:365; Pdb.interaction %/pdb.py:433;"
        "Pdb.user_line %/pdb.py:343; Bdb.dispatch_line %/bdb.py:115"
    )
    return frozen(w, {w.one: asleep((*call(text), *w.program.forward()), "wait_woken")})


@kind("a request to a service does not return", ANY)
def service(w: World) -> Job:
    text = (
        "SSLSocket.read %/ssl.py:1103; HTTPConnectionPool.urlopen $/urllib3/connectionpool.py:789;"
        "Session.send $/requests/sessions.py:703; {log} ~/{file}.py:133"
    )
    return frozen(w, {w.one: asleep(w.program.around(text), SOCKET)})


@kind("a retry loop in one group", ("tp",), ("plain",))
def retries(w: World) -> Job:
    group = w.topology.tp_group(w.one)
    where = ("manifest ~/feed.py:96", "Client.ask ~/feed.py:88; manifest ~/feed.py:93")
    wait = w.program.waiting(
        (*w.program.c10d("broadcast", ()), *w.program.c10d("all_gather_object", ())[:0],
         *w.program.own(where[0]), *w.program.step[:1], *w.program.epoch)
    )  # fmt: skip
    retry = (*w.program.own(where[1]), *w.program.step[:1], *w.program.epoch)
    sample = w.all_at(w.program.grads())
    for rank in sample:
        if w.topology.tp_group(rank) == group:
            sample[rank] = asleep(retry, SLEEP) if rank == w.one else wait
    return Job((sample, sample), frozenset({w.one}))


@kind("the holder of a build lock hangs", ("dp",))
def build_lock(w: World) -> Job:
    baton = (
        "FileBaton.wait $/torch/utils/file_baton.py:56; _jit_compile "
        "$/torch/utils/cpp_extension.py:1700; load $/torch/utils/cpp_extension.py:1312"
    )
    ninja = (
        "Popen.communicate %/subprocess.py:1209; run %/subprocess.py:550; _run_ninja_build "
        "$/torch/utils/cpp_extension.py:2104; _jit_compile $/torch/utils/cpp_extension.py:1703"
    )
    wait = asleep(w.program.before_start(baton), SLEEP)
    hold = asleep(w.program.before_start(ninja), POLLS)
    node = w.one // 8 * 8
    sample = w.all_at(w.program.starting()) | dict.fromkeys(
        range(node, min(node + 8, w.size)), wait
    )
    sample[w.one] = hold
    return Job((sample, sample), frozenset({w.one}))


@kind("the others spin in .item()", ("dp",), ("ddp", "hf"))
def item(w: World) -> Job:
    sample = w.all_at(w.program.item()) | dict.fromkeys(w.few, asleep(w.program.loader(), POLLS))
    return Job((sample, sample), frozenset(w.few))


@kind("MPI: the others poll in compiled code", ("dp",), ("mpi",))
def mpi(w: World) -> Job:
    sample = w.all_at(w.program.grads()) | {w.one: _blocked(w)}
    return Job((sample, sample), frozenset({w.one}))


@kind("a serving worker hangs in its model", ("dp",), ("plain",))
def serving(w: World) -> Job:
    base = call(
        "GPUModelRunner.execute_model $/vllm/v1/worker/gpu_model_runner.py:1054;"
        "Worker.execute_model $/vllm/v1/worker/gpu_worker.py:239;"
        "WorkerProc.worker_busy_loop $/vllm/v1/executor/multiproc_executor.py:491;"
        "WorkerProc.worker_main $/vllm/v1/executor/multiproc_executor.py:465"
    )
    reduce = call(
        "PyNcclCommunicator.all_reduce $/vllm/distributed/device_communicators/pynccl.py:117;"
        "GroupCoordinator.all_reduce $/vllm/distributed/parallel_state.py:311"
    )
    layer = call("Attention.forward $/vllm/attention/layer.py:210")
    sample: Sample = dict.fromkeys(range(8), busy((*reduce, *base), 1.0))
    guilty = w.one % 8
    sample = dict(sample) | {guilty: asleep((*layer, *base), FUTEX)}
    return Job((sample, sample), frozenset({guilty}))


@kind("leaving: one rank joins a thread for ever", ("dp",))
def leaving(w: World) -> Job:
    text = "Thread.join %/threading.py:1119; Writer.stop ~/{file}.py:150; {close} ~/{file}.py:151"
    place = asleep((*w.program.own(text), *w.program.root))
    sample = w.all_at(w.program.barrier()) | {w.one: place}
    return Job((sample, sample), frozenset({w.one}))


@kind("one sample only, blocked", ("dp", "tp"))
def once(w: World) -> Job:
    job = frozen(w, {w.one: _blocked(w)}, "data")
    return replace(job, samples=job.samples[:1])


@kind("no process states, blocked in the loader", ("dp",), bare=True)
def bare_loader(w: World) -> Job:
    return frozen(w, {w.one: asleep(w.program.loader(), POLLS)})


@kind("no process states, blocked in a read", ("dp", "tp"), bare=True)
def bare_read(w: World) -> Job:
    return frozen(w, {w.one: asleep(w.program.read(), FIFO)}, "data")


@kind("a node is cut off", ("dp",))
def node_lost(w: World) -> Job:
    node = w.one // 8
    gone = range(8 * node, min(8 * node + 8, w.size))
    if w.size < 24:
        return data_read.make(w)  # One node of two is no minority.
    sample = {r: p for r, p in w.all_at(w.program.grads()).items() if r not in gone}
    return Job((sample, sample), frozenset(gone), world=w.size, silent_nodes=(f"gpu{node:04d}",))
