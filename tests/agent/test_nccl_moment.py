import pytest

from agent.nccl_moment import moment_of
from agent.outcome import Threads
from rankscope.nccl.safety import Moment


def threads(*names: str) -> Threads:
    return [{"frames": [{"name": name} for name in names]}]


COLLECTIVE = threads("all_reduce", "train", "<module>")
STARTS = threads("_store_based_barrier", "init_process_group", "<module>")
GROUP = threads("ProcessGroups.new_group", "save", "<module>")


@pytest.mark.parametrize(
    ("stacks", "progressed", "moment"),
    [
        ([COLLECTIVE, COLLECTIVE], True, Moment.STEADY),
        ([COLLECTIVE, COLLECTIVE], False, Moment.UNKNOWN),
        ([COLLECTIVE, None], True, Moment.UNKNOWN),
        ([], True, Moment.UNKNOWN),
        ([COLLECTIVE, GROUP], True, Moment.INITIALISING),
        ([COLLECTIVE, STARTS], False, Moment.STARTING),
        ([None, STARTS], False, Moment.STARTING),
    ],
)
def test_the_moment_of_a_job(
    stacks: list[Threads | None], progressed: bool, moment: Moment
) -> None:
    assert moment_of(stacks, progressed=progressed) is moment
