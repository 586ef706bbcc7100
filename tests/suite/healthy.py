"""Kinds in which nobody is guilty: jobs that get on, and jobs in which all are alike."""

from dataclasses import replace

from tests.suite.kinds import kind
from tests.suite.lines import Job
from tests.suite.places import NFS, SLEEP, Beside, Place, Worker, asleep, busy, call, stuck_io
from tests.suite.programs import POLLS
from tests.suite.world import World

ANY = ("dp", "tp", "pp", "3d")
HEALTHY = ("manual", "recapture", "manual", "hang")
_SAVE = "_save $/torch/serialization.py:881; save $/torch/serialization.py:849"


def _trigger(w: World) -> str:
    return w.random.choice(HEALTHY)


@kind("healthy, at full speed", ANY)
def full_speed(w: World) -> Job:
    return Job((w.healthy_sample(), w.healthy_sample()), trigger=_trigger(w))


@kind("healthy, one sample", ANY)
def one_moment(w: World) -> Job:
    return Job((w.healthy_sample(),), trigger="manual")


@kind("healthy, waits for its loaders", ("dp",), ("ddp", "hf", "lightning", "plain"))
def data_bound(w: World) -> Job:
    def sample() -> dict[int, Place]:
        idle = Worker(w.program.worker("{feed}.{read} ~/feed.py:33"), state="R", wchan="0")
        places = (asleep(w.program.loader(), POLLS), asleep(w.program.loader(), POLLS),
                  w.program.grads(), busy(w.program.forward()))  # fmt: skip
        return {r: w.random.choice(places).with_workers(idle, idle) for r in range(w.size)}

    return Job((sample(), sample()), trigger="manual")


@kind("healthy, the first rank evaluates", ("dp",))
def evaluates(w: World) -> Job:
    texts = (
        "score ~/judge.py:12; run_suite ~/judge.py:40",
        "rank ~/judge.py:19; run_suite ~/judge.py:44",
    )
    before, after = (
        w.all_at(w.program.barrier("evaluate")) | {0: busy(w.program.aside("evaluate", text))}
        for text in texts
    )
    return Job((before, after), trigger=_trigger(w))


@kind("healthy, the first rank evaluates at one line", ("dp",))
def evaluates_at_one_line(w: World) -> Job:
    leaf = "Linear.forward $/torch/nn/modules/linear.py:125; score ~/judge.py:12"
    place = busy(w.program.aside("evaluate", leaf), w.random.choice((0.8, 0.99)))
    sample = w.all_at(w.program.barrier("evaluate")) | {0: place}
    return Job((sample, sample), trigger=w.random.choice(("manual", "recapture")))


@kind("healthy, the first rank evaluates, no barrier", ("dp",), ("plain", "ddp", "hf", "fsdp"))
def evaluates_alone(w: World) -> Job:
    texts = (
        "score ~/judge.py:12",
        "Linear.forward $/torch/nn/modules/linear.py:125; rank ~/judge.py:19",
    )
    before, after = (
        w.all_at(w.program.grads()) | {0: busy(w.program.aside("evaluate", text))} for text in texts
    )
    return Job((before, after), trigger=_trigger(w))


@kind("healthy, the first rank saves", ("dp",))
def saves(w: World) -> Job:
    frames = w.program.aside("save", _SAVE)
    places = [stuck_io(frames, "folio_wait_bit_common"), busy(frames, 0.4)]
    w.random.shuffle(places)
    before, after = (
        w.all_at(w.program.barrier("save")) | {0: replace(place, load=0.4)} for place in places
    )
    return Job((before, after), trigger=w.random.choice(("manual", "recapture")))


@kind("healthy, the first rank saves, one sample", ("dp",))
def saves_once(w: World) -> Job:
    place = stuck_io(w.program.aside("save", _SAVE), "folio_wait_bit_common")
    return Job((w.all_at(w.program.barrier("save")) | {0: place},), trigger="manual")


@kind("healthy, the first rank logs", ("dp",), ("plain", "ddp", "hf", "fsdp"))
def logs(w: World) -> Job:
    lines = ("Panel.draw ~/panel.py:31", "Panel.encode ~/panel.py:52")
    before, after = (
        w.all_at(w.program.grads()) | {0: busy(w.program.aside("log", text), 0.8)} for text in lines
    )
    return Job((before, after), trigger=_trigger(w))


@kind("healthy, the first rank prepares data", ("dp",))
def prepares(w: World) -> Job:
    texts = (
        "map_single $/datasets/arrow_dataset.py:3494; Dataset.map $/datasets/arrow_dataset.py:3110",
        "write_batch $/datasets/arrow_writer.py:559; Dataset.map $/datasets/arrow_dataset.py:3110",
    )
    outer = w.program.own("{prepare} ~/feed.py:140; main ~/main.py:18; <module> ~/main.py:41")
    wait = w.program.waiting(w.program.c10d("barrier", outer))
    before, after = (
        w.all_at(wait) | {0: busy((*w.program.own(text), *outer), 0.9)} for text in texts
    )
    return Job((before, after), trigger=_trigger(w))


@kind("healthy, a checkpoint between the samples", ("dp", "tp"))
def checkpoint_passes(w: World) -> Job:
    place = stuck_io(w.program.aside("save", _SAVE), "folio_wait_bit_common")
    before = w.all_at(w.program.barrier("save")) | {0: place}
    return Job((before, w.healthy_sample()), trigger="manual")


@kind("healthy, all evaluate", ("dp",))
def all_evaluate(w: World) -> Job:
    def sample() -> dict[int, Place]:
        text = "score ~/judge.py:{}; run_suite ~/judge.py:40"
        return {
            r: busy(w.program.aside("evaluate", text.format(10 + w.random.randrange(6))))
            for r in range(w.size)
        }

    return Job((sample(), sample()), trigger=_trigger(w))


@kind("healthy, compiling", ("dp",), ("ddp", "hf", "plain"))
def compiling(w: World) -> Job:
    def place() -> Place:
        text = (
            f"codegen $/torch/_inductor/graph.py:{1900 + w.random.randrange(9)}; compile_fx_inner "
            "$/torch/_inductor/compile_fx.py:560; _compile $/torch/_dynamo/convert_frame.py:750"
        )
        pool = call("_recv_msg $/torch/_inductor/compile_worker/subproc_pool.py:76;"
                    "main $/torch/_inductor/compile_worker/__main__.py:38")  # fmt: skip
        helper = Worker(pool, role=w.random.choice(("compile", "trainer")), wchan="anon_pipe_read")
        return busy((*call(text), *w.program.forward())).with_workers(helper, helper)

    return Job(({r: place() for r in range(w.size)}, {r: place() for r in range(w.size)}),
               trigger=_trigger(w))  # fmt: skip


@kind("healthy, a fork inherits the global lock's look", ("dp",))
def gil_by_chance(w: World) -> Job:
    def sample() -> dict[int, Place]:
        found = dict(w.healthy_sample())
        for rank in w.random.sample(range(w.size), w.size // 4):
            frames = w.program.own(f"Stats.count ~/stats.py:{w.random.randrange(30)}")
            found[rank] = found[rank].with_threads(Beside("stats", frames, "R", "0", gil=True))
        return found

    return Job((sample(), sample()), trigger="manual")


@kind("alike: all wait for gradients", ("dp",))
def alike_grads(w: World) -> Job:
    sample = w.all_at(w.program.grads())
    return Job((sample, sample))


@kind("alike: all in a barrier, one sample", ("dp",))
def alike_barrier(w: World) -> Job:
    return Job((w.all_at(w.program.barrier()),))


@kind("alike: all read or write a hung file system", ("dp",))
def alike_storage(w: World) -> Job:
    frames = w.program.aside("save", _SAVE) if w.random.random() < 0.5 else w.program.read()
    sample = w.all_at(stuck_io(frames, NFS))
    return Job((sample, sample))


@kind("alike: all wait at start-up", ("dp",))
def alike_start(w: World) -> Job:
    sample = w.all_at(w.program.starting())
    return Job((sample, sample))


@kind("alike: all spin in .item()", ("dp",), ("ddp", "hf"))
def alike_item(w: World) -> Job:
    sample = w.all_at(w.program.item())
    return Job((sample, sample))


@kind("alike: all wait for a stale build lock", ("dp",))
def alike_lock(w: World) -> Job:
    text = (
        "FileBaton.wait $/torch/utils/file_baton.py:56; _jit_compile "
        "$/torch/utils/cpp_extension.py:1700"
    )
    sample = w.all_at(asleep(w.program.before_start(text), SLEEP))
    return Job((sample, sample))


@kind("alike: an idle service", ("dp",), ("plain",))
def alike_service(w: World) -> Job:
    text = (
        "acquire_read $/vllm/distributed/device_communicators/shm_broadcast.py:380;"
        "dequeue $/vllm/distributed/device_communicators/shm_broadcast.py:430;"
        "WorkerProc.worker_busy_loop $/vllm/v1/executor/multiproc_executor.py:486;"
        "WorkerProc.worker_main $/vllm/v1/executor/multiproc_executor.py:465"
    )
    place = asleep(call(text), SLEEP)
    return Job((dict.fromkeys(range(8), place),) * 2, trigger="manual")


@kind("alike: half here, half there", ("dp",), ("plain",))
def halves(w: World) -> Job:
    sample = w.all_at(w.program.grads())
    sample |= dict.fromkeys(range(0, w.size, 2), w.program.barrier())
    return Job((sample, sample))
