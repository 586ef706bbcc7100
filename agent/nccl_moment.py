"""What a job is doing now, as far as it matters for asking NCCL RAS; pure.

A communicator that is made within a first collective cannot be told from the collective by its
Python stack. That no process makes one is therefore known only of a job whose training has made
progress, which its log tells and not its stacks.
"""

from collections.abc import Iterable

from agent.outcome import Threads
from rankscope.nccl.safety import Moment

# Functions of torch.distributed, torch.distributed.device_mesh and rendezvous.
MAKING = frozenset(
    {
        *("init_process_group", "new_group", "split_group", "_new_group_with_tag"),
        *("_new_process_group_helper", "_store_based_barrier", "_create_c10d_store"),
        *("rendezvous", "_env_rendezvous_handler", "_tcp_rendezvous_handler"),
        *("init_device_mesh", "_init_device_mesh", "_init_process_groups", "new_subgroups"),
        *("eager_connect_single_device", "perform_nocolor_split", "abort_process_group"),
        *("destroy_process_group", "shrink_group"),
    }
)


def moment_of(stacks: Iterable[Threads | None], *, progressed: bool) -> Moment:
    """Return the moment of a job from its trainers' stacks, None where there is none.

    progressed says that the job's log shows steps of training.
    """
    seen = list(stacks)
    if any(_makes(threads) for threads in seen if threads):
        return Moment.INITIALISING if progressed else Moment.STARTING
    all_read = bool(seen) and all(threads is not None for threads in seen)
    return Moment.STEADY if progressed and all_read else Moment.UNKNOWN


def _makes(threads: Threads) -> bool:
    names = (frame.get("name", "") for thread in threads for frame in thread.get("frames") or ())
    return any(str(name).rpartition(".")[2] in MAKING for name in names)
