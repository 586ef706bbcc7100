"""Sections of a program that one rank alone runs while the others wait; normal while it gets on."""

from rankscope.analysis.movement import common_steps
from rankscope.analysis.stacks import Stack
from rankscope.analysis.views import RankView

BARRIERS = frozenset({"barrier", "monitored_barrier", "wait_for_everyone", "sync_global_devices"})
GETS_ON_SHARE = 0.02
"""A thread that writes a file uses a few hundredths of a CPU; one that is blocked uses none."""


def is_guarded(view: RankView, majority: Stack | None) -> bool:
    """Whether a rank works in a section whose end the others await in a barrier.

    One rank evaluates, saves or prepares data and the others stand in a barrier of the same
    function: that is how such sections are written.
    """
    if majority is None or majority.meaning is None or view.stack is None:
        return False
    if majority.meaning.op not in BARRIERS or view.last.family == "debugger":
        return False
    return common_steps(view.stack.steps, majority.caller_steps) == len(majority.caller_steps)


def is_aside(view: RankView, majority: Stack | None) -> bool:
    """Whether a rank is in a section by its barrier, or by the name of a function of its own."""
    if is_guarded(view, majority):
        return True
    section = view.stack.section if view.stack else None
    return section is not None and (majority is None or section not in majority.functions)


def gets_on(view: RankView) -> bool:
    """Whether a rank that shows one place in all samples used a CPU, or was seen in two states."""
    share = view.cpu_share
    if share is not None:
        return share > GETS_ON_SHARE
    return len({position.state for position in view.positions}) > 1
