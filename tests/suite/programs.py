"""Training programs: what their stacks look like at each activity, by framework.

The frames of frameworks are theirs (torch 2.4 to 2.9, Lightning 2, transformers 4, Megatron-Core,
DeepSpeed 0.15, vLLM 0.8, JAX 0.4, Horovod 0.28); the program's own come from a drawn vocabulary.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from tests.suite.places import FUTEX, Frames, Place, asleep, busy, call
from tests.suite.words import Words

_LOGGED = "_exception_logger.<locals>.wrapper $/torch/distributed/c10d_logger.py:83"
_C10D = "$/torch/distributed/distributed_c10d.py"
_MODULE = (
    "Module._call_impl $/torch/nn/modules/module.py:1789;"
    "Module._wrapped_call_impl $/torch/nn/modules/module.py:1778"
)
_OPS = {"all_reduce": 3252, "barrier": 5356, "broadcast": 3151, "recv": 2799, "send": 2753,
        "all_gather_into_tensor": 3822, "reduce_scatter_tensor": 4301, "all_gather_object": 3060,
        "all_to_all_single": 4522}  # fmt: skip
_BACKWARD = (
    "_engine_run_backward $/torch/autograd/graph.py:979;"
    "backward $/torch/autograd/__init__.py:395; Tensor.backward $/torch/_tensor.py:623"
)
_LOADER = (
    "_PollLikeSelector.select %/selectors.py:415; wait %/multiprocessing/connection.py:947;"
    "Connection._poll %/multiprocessing/connection.py:440;"
    "_ConnectionBase.poll %/multiprocessing/connection.py:257;"
    "Queue.get %/multiprocessing/queues.py:113;"
    "_MultiProcessingDataLoaderIter._try_get_data $/torch/utils/data/dataloader.py:1291;"
    "_MultiProcessingDataLoaderIter._get_data $/torch/utils/data/dataloader.py:1453;"
    "_MultiProcessingDataLoaderIter._next_data $/torch/utils/data/dataloader.py:1491;"
    "_BaseDataLoaderIter.__next__ $/torch/utils/data/dataloader.py:733"
)
_PINNED = (
    "Condition.wait %/threading.py:331; Queue.get %/queue.py:180;"
    "_MultiProcessingDataLoaderIter._try_get_data $/torch/utils/data/dataloader.py:1284;"
    "_MultiProcessingDataLoaderIter._get_data $/torch/utils/data/dataloader.py:1448;"
    "_MultiProcessingDataLoaderIter._next_data $/torch/utils/data/dataloader.py:1491;"
    "_BaseDataLoaderIter.__next__ $/torch/utils/data/dataloader.py:733"
)
_WORKER = (
    "_worker_loop $/torch/utils/data/_utils/worker.py:349;"
    "BaseProcess.run %/multiprocessing/process.py:108;"
    "BaseProcess._bootstrap %/multiprocessing/process.py:314;"
    "Popen._launch %/multiprocessing/popen_fork.py:71;"
    "_MultiProcessingDataLoaderIter.__init__ $/torch/utils/data/dataloader.py:1146"
)

_OUTER = {  # framework -> (inside a step, around it); {…} are the program's own
    "plain": ("{Loop}.{step} ~/{file}.py:82", "{Loop}.{fit} ~/{file}.py:111"),
    "lightning": (
        ("LightningModule.training_step ~/{file}.py:52;"
        "_call_strategy_hook $/pytorch_lightning/trainer/call.py:311;"
        "Strategy.training_step $/pytorch_lightning/strategies/strategy.py:390;"
        "_AutomaticOptimization._training_step "
        "$/pytorch_lightning/loops/optimization/automatic.py:318"),
        ("_TrainingEpochLoop.advance $/pytorch_lightning/loops/training_epoch_loop.py:250;"
        "_FitLoop.run $/pytorch_lightning/loops/fit_loop.py:202;"
        "Trainer._run_stage $/pytorch_lightning/trainer/trainer.py:1023;"
        "Trainer.fit $/pytorch_lightning/trainer/trainer.py:538"),
    ),
    "hf": (
        "Trainer.training_step $/transformers/trainer.py:3698",
        ("Trainer._inner_training_loop $/transformers/trainer.py:2534;"
        "Trainer.train $/transformers/trainer.py:2193"),
    ),
    "megatron": (
        ("forward_backward_no_pipelining $/megatron/core/pipeline_parallel/schedules.py:451;"
        "train_step $/megatron/training/training.py:1140"),
        "train $/megatron/training/training.py:1880; pretrain $/megatron/training/training.py:710",
    ),
    "deepspeed": (
        "DeepSpeedEngine.forward $/deepspeed/runtime/engine.py:1899; {Loop}.{step} ~/{file}.py:66",
        "{Loop}.{fit} ~/{file}.py:101",
    ),
}  # fmt: skip
_OUTER |= dict.fromkeys(("ddp", "fsdp", "jax", "horovod", "mpi"), _OUTER["plain"])
FRAMEWORKS = tuple(_OUTER)
DATA_PARALLEL = ("plain", "ddp", "lightning", "hf", "fsdp", "deepspeed", "horovod", "jax")


@dataclass(frozen=True)
class Program:
    """One job's program. spins: its collectives burn a CPU, as NCCL's host waits do."""

    framework: str
    words: Words
    spins: bool = False

    def own(self, text: str) -> Frames:
        """Read frames whose `{…}` are the job's own names."""
        w = self.words
        named = text.format(
            Loop=w.loop, fit=w.fit, step=w.step, file=w.file, share=w.share, read=w.read,
            feed=w.feed, net=w.net, evaluate=w.evaluate, save=w.save, log=w.log,
            prepare=w.prepare, close=w.close,
        )  # fmt: skip
        return call(named, w.folder)

    @cached_property
    def root(self) -> Frames:
        """The program's start."""
        return self.own("main ~/main.py:24; <module> ~/main.py:41")

    @cached_property
    def epoch(self) -> Frames:
        """The loop over steps."""
        return (*self.own(_OUTER[self.framework][1]), *self.root)

    @cached_property
    def step(self) -> Frames:
        """Inside one step."""
        return (*self.own(_OUTER[self.framework][0]), *self.epoch)

    def around(self, text: str) -> Frames:
        """Frames called by the loop over steps, at a line of its own."""
        name, path, line = self.epoch[0]
        return (*self.own(text), (name, path, line + 3 + len(text) % 5), *self.epoch[1:])

    def c10d(self, op: str, outer: Frames) -> Frames:
        """A call into torch.distributed."""
        return (*call(f"{op} {_C10D}:{_OPS[op]}; {_LOGGED}"), *outer)

    def waiting(self, frames: Frames) -> Place:
        """A wait for peers, by the job's transport."""
        return busy(frames, 1.0) if self.spins else asleep(frames, FUTEX)

    # What a rank does in a step.
    def forward(self, variant: int = 0) -> Frames:
        """Compute the forward pass."""
        unit = self.own(f"{{net}}.forward ~/nets/{'abc'[variant % 3]}.py:{31 + 4 * (variant % 5)}")
        net = (*call(_MODULE), *self.own("Model.forward ~/nets/model.py:74"), *call(_MODULE))
        if self.framework == "jax":
            return (*self.own("make_inputs ~/nets/inputs.py:22"), *self.step)
        return (*unit, *net, *self.step)

    def multiply(self, variant: int = 0) -> Frames:
        """Compute inside torch, below a layer."""
        leaf = "Linear.forward $/torch/nn/modules/linear.py:125;" + _MODULE
        return (*call(leaf), *self.forward(variant))

    def update(self) -> Frames:
        """Update the weights."""
        return (
            *call("_single_tensor_adamw $/torch/optim/adamw.py:493; AdamW.step "
                  "$/torch/optim/adamw.py:243; Optimizer.profile_hook_step.<locals>.wrapper "
                  "$/torch/optim/optimizer.py:493"),
            *self.step,
        )  # fmt: skip

    def read(self) -> Frames:
        """Read a batch in the main process."""
        return (*self.own("{feed}.{read} ~/feed.py:35; {feed}.__next__ ~/feed.py:58"), *self.step)

    def read_plainly(self) -> Frames:
        """Read a batch through functions without telling names."""
        return (*self.own("{feed}.{read} ~/feed.py:35; {feed}.more ~/feed.py:61"), *self.step)

    def loader(self, *, pinned: bool = False) -> Frames:
        """Wait for a batch of dataloader workers."""
        return (*call(_PINNED if pinned else _LOADER), *self.epoch)

    def worker(self, text: str) -> Frames:
        """A forked dataloader worker that runs some code of the program."""
        fetch = call("_MapDatasetFetcher.fetch $/torch/utils/data/_utils/fetch.py:52;" + _WORKER)
        return (*self.own(text), *fetch, *self.epoch)

    def idle_worker(self) -> Frames:
        """A dataloader worker without work."""
        poll = ";".join(_LOADER.split(";")[:4])
        return (*call(f"{poll}; Queue.get %/multiprocessing/queues.py:113; {_WORKER}"), *self.epoch)

    def grads(self) -> Place:
        """Wait for the gradients of all replicas."""
        return _GRADS.get(self.framework, _plain_grads)(self)

    def backward(self) -> Frames:
        """Compute the backward pass."""
        if self.framework == "jax":
            return self.multiply(1)
        return (*call(_BACKWARD), *self.step)

    def gather(self, module: str = "a") -> Place:
        """Wait for the parameters of a sharded module."""
        inner = self.own(f"{{net}}.forward ~/nets/{module}.py:47; Model.forward ~/nets/model.py:80")
        if self.framework == "deepspeed":
            frames = call(
                "Stream.synchronize $/torch/cuda/streams.py:105;"
                "PartitionedParameterCoordinator.fetch_sub_module "
                "$/deepspeed/runtime/zero/partitioned_param_coordinator.py:327;"
                "DeepSpeedZeRoOffload.pre_sub_module_forward_function "
                "$/deepspeed/runtime/zero/parameter_offload.py:452"
            )
            return busy((*frames, *inner, *self.step), 1.0)
        frames = call(
            "FlatParamHandle._all_gather_flat_param $/torch/distributed/fsdp/_flat_param.py:1452;"
            "FlatParamHandle.unshard $/torch/distributed/fsdp/_flat_param.py:1371;"
            "_unshard $/torch/distributed/fsdp/_runtime_utils.py:300;"
            "_pre_forward_unshard $/torch/distributed/fsdp/_runtime_utils.py:427"
        )
        return self.waiting((*self.c10d("all_gather_into_tensor", frames), *inner, *self.step))

    def item(self) -> Place:
        """Read a value from the device: a spinning wait that leaves the program's frame only."""
        return busy((*self.own("{Loop}.note ~/{file}.py:77"), *self.step), 1.0)

    # Groups within a replica.
    def tensor_wait(self, block: int = 0) -> Place:
        """Wait for the tensor-parallel partners in forward."""
        if self.framework == "megatron":
            text = (
                "_reduce $/megatron/core/tensor_parallel/mappings.py:27; _ReduceFromModelParallel"
                "Region.forward $/megatron/core/tensor_parallel/mappings.py:228; RowParallelLinear"
                ".forward $/megatron/core/tensor_parallel/layers.py:1205"
            )
        else:
            text = "_Reduce.forward ~/nets/{where}.py:27; "
            text += "RowParallelLinear.forward ~/nets/{where}.py:42"
            text = text.replace("{where}", "tp" if self.words.net < "M" else "layers")
        layers = (*self.own(text), *self.forward(block))
        return self.waiting(self.c10d("all_reduce", layers))

    def batch_wait(self) -> Place:
        """Wait for the batch that the first rank of a tensor-parallel group reads."""
        text = (
            "broadcast_data $/megatron/core/tensor_parallel/data.py:76; get_batch ~/main.py:88"
            if self.framework == "megatron"
            else "{feed}.spread ~/feed.py:71"
        )
        return self.waiting(self.c10d("broadcast", (*self.own(text), *self.step)))

    def stage_wait(self, what: str) -> Place:
        """Wait for a neighbouring pipeline stage; what is recv_forward, send_forward, …."""
        if self.framework == "megatron":
            frames = self.own(
                "synchronize $/torch/cuda/__init__.py:985;"
                "_communicate $/megatron/core/pipeline_parallel/p2p_communication.py:401;"
                f"{what} $/megatron/core/pipeline_parallel/p2p_communication.py:470;"
                "forward_backward_pipelining_without_interleaving "
                "$/megatron/core/pipeline_parallel/schedules.py:1840"
            )
            return busy((*frames, *self.step[1:]), 1.0)
        op = "recv" if what.startswith("recv") else "send"
        outer = (*self.own(f"Stage.{what} ~/stage.py:{20 + len(what)}"), *self.step)
        return self.waiting(self.c10d(op, outer))

    # Around the steps.
    def barrier(self, section: str = "close") -> Place:
        """Wait for all at the end of a section that the program names."""
        outer = self.around(f"{{Loop}}.{{{section}}} ~/{{file}}.py:{90 + len(section)}")
        return self.waiting(self.c10d("barrier", outer))

    def aside(self, section: str, text: str) -> Frames:
        """Work in a section that one rank alone runs."""
        return (
            *self.own(text),
            *self.around(f"{{Loop}}.{{{section}}} ~/{{file}}.py:{89 + len(section)}"),
        )

    def starting(self) -> Place:
        """Wait for all at start-up."""
        text = (
            "_create_c10d_store $/torch/distributed/rendezvous.py:199; _env_rendezvous_handler "
            "$/torch/distributed/rendezvous.py:286; init_process_group "
            f"{_C10D}:1752; {_LOGGED}; main ~/main.py:12; <module> ~/main.py:41"
        )
        return asleep(self.own(text), POLLS)

    def before_start(self, text: str) -> Frames:
        """Run something before the process group exists."""
        return self.own(f"{text}; main ~/main.py:10; <module> ~/main.py:41")

    def spinning(self) -> "Program":
        """The same program with spinning collectives."""
        return replace(self, spins=True)


POLLS = "poll_schedule_timeout.constprop.0"


def _plain_grads(program: Program) -> Place:
    outer = (*program.own("{Loop}.{share} ~/{file}.py:45"), *program.step)
    return program.waiting(program.c10d("all_reduce", outer))


def _backward_grads(program: Program) -> Place:
    return asleep((*call(_BACKWARD), *program.step), FUTEX)


def _fsdp_grads(program: Program) -> Place:
    hook = call(
        "_reduce_grad $/torch/distributed/fsdp/_runtime_utils.py:870;"
        "_post_backward_hook $/torch/distributed/fsdp/_runtime_utils.py:757"
    )
    return program.waiting(
        (*program.c10d("reduce_scatter_tensor", hook), *call(_BACKWARD), *program.step)
    )


def _zero_grads(program: Program) -> Place:
    frames = call(
        "Stream.synchronize $/torch/cuda/streams.py:105;"
        "DeepSpeedZeroOptimizer_Stage3.reduce_ready_partitions_and_remove_grads "
        "$/deepspeed/runtime/zero/stage3.py:1180;"
        "DeepSpeedEngine.allreduce_gradients $/deepspeed/runtime/engine.py:2025;"
        "DeepSpeedEngine.backward $/deepspeed/runtime/engine.py:2090"
    )
    return busy((*frames, *program.step[1:]), 1.0)


def _jax_grads(program: Program) -> Place:
    return asleep(
        (*call("ArrayImpl.block_until_ready $/jax/_src/array.py:631"), *program.step), FUTEX
    )


def _horovod_grads(program: Program) -> Place:
    frames = call(
        "synchronize $/horovod/torch/mpi_ops.py:1282;"
        "_DistributedOptimizer.synchronize $/horovod/torch/optimizer.py:362;"
        "_DistributedOptimizer.step $/horovod/torch/optimizer.py:392"
    )
    return asleep((*frames, *program.step), FUTEX)


def _mpi_grads(program: Program) -> Place:
    """mpi4py is compiled: only the program's frame shows, and Open MPI polls at full speed."""
    return busy((*program.own("{Loop}.{share} ~/{file}.py:45"), *program.step), 1.0)


def _megatron_grads(program: Program) -> Place:
    frames = call(
        "_ParamAndGradBucketGroup.finish_grad_sync "
        "$/megatron/core/distributed/param_and_grad_buffer.py:430;"
        "DistributedDataParallel.finish_grad_sync "
        "$/megatron/core/distributed/distributed_data_parallel.py:475;"
        "finalize_model_grads $/megatron/core/distributed/finalize_model_grads.py:290"
    )
    return program.waiting((*frames, *program.step))


_GRADS = {
    "ddp": _backward_grads, "lightning": _backward_grads, "hf": _backward_grads,
    "fsdp": _fsdp_grads, "deepspeed": _zero_grads, "jax": _jax_grads, "horovod": _horovod_grads,
    "mpi": _mpi_grads, "megatron": _megatron_grads,
}  # fmt: skip
