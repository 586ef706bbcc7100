"""Waits that leave no frame of their own: `work.wait()` is C++ below the function that calls it."""

from collections.abc import Sequence

from rankscope.analysis.positions import USER
from rankscope.analysis.views import RankView

LAYER = "forward"
"""What torch, and everybody after it, calls the method of a layer that computes."""


def at_handles(free: Sequence[RankView], *, others_to_blame: bool) -> list[RankView]:
    """Return the ranks that may wait for a handle of a communication, if others may be the reason.

    They sleep in a lock at one line of the training loop's own code, outside every layer of the
    model and its gradients: there it is a handle, a future or a lock. Nothing in the stack tells
    which, so that they count as waiting only beside ranks that cannot be at a handle:
    others_to_blame, or free ones.
    """
    sleeping = [view for view in free if _may_be_at_handle(view)]
    if not others_to_blame and len(sleeping) == len(free):
        return []
    return sleeping


def _may_be_at_handle(view: RankView) -> bool:
    last = view.last
    return (
        last.family == USER
        and last.wait == "lock"
        and not view.is_working
        and not last.owns_gil
        and (view.is_identical or not view.is_sampled_twice)
        and view.is_at_program_leaf
        and view.stack is not None
        and view.stack.places[0][0] != LAYER
        and not view.stack.is_in_layer
        and not view.stack.is_in_autograd
    )
