"""Every rank or node without a usable stack keeps a row with its reason."""

from collections.abc import Iterator

from rankscope.analysis.positions import DEAD, NO_DUMP, STOPPED
from rankscope.analysis.scene import Scene
from rankscope.analysis.words import tell
from rankscope.model.report import MissingRank
from rankscope.model.text import Text

MOST_UNSEEN = 1024
"""Ranks nobody saw are listed up to here; a wrong world size must not make a report of millions."""


def missing_ranks(scene: Scene) -> tuple[MissingRank, ...]:
    """Return nodes that gave nothing, ranks without a stack, and ranks nobody saw.

    A silent node comes first: it is the reason why its ranks were not seen.
    """
    unseen = list(_unseen(scene))
    more = [_more(len(unseen) - MOST_UNSEEN)] if len(unseen) > MOST_UNSEEN else []
    return (*_silent(scene), *_partial(scene), *_undumped(scene), *unseen[:MOST_UNSEEN], *more)


def _more(count: int) -> MissingRank:
    text = tell("analysis-missing-more", count=count)
    return MissingRank(None, None, text.en, text)


def _undumped(scene: Scene) -> Iterator[MissingRank]:
    for view in scene.views:
        if view.last.stack is None or view.last.family in {DEAD, NO_DUMP}:
            yield _because(view.rank, view.node, view.last.error, _reason(view.last.family))


def _reason(family: str) -> Text:
    known = {DEAD: "analysis-at-dead", STOPPED: "analysis-at-stopped"}
    return tell(known.get(family, "analysis-missing-no-stack"))


def _because(rank: int | None, node: str | None, error: str | None, text: Text) -> MissingRank:
    """Return what the capture says, else our own sentence."""
    return MissingRank(rank, node, error) if error else MissingRank(rank, node, text.en, text)


def _unseen(scene: Scene) -> Iterator[MissingRank]:
    for rank in scene.missing:
        helpers = scene.helper_only.get(rank, ())
        text = why_unseen(scene, seen_helpers=bool(helpers))
        yield MissingRank(rank, helpers[0].node if helpers else None, text.en, text)


def why_unseen(scene: Scene, *, seen_helpers: bool) -> Text:
    """Return why a rank that the job has was not seen."""
    if seen_helpers:
        return tell("analysis-missing-helpers")
    if scene.silent_nodes:
        return tell("analysis-missing-elsewhere", nodes=", ".join(filter(None, scene.silent_nodes)))
    return tell("analysis-missing-no-trainer")


def _silent(scene: Scene) -> Iterator[MissingRank]:
    for node, error in scene.silent_nodes.items():
        yield _because(None, node or None, error, tell("analysis-missing-node"))


def _partial(scene: Scene) -> Iterator[MissingRank]:
    """Return nodes that answered, but not wholly."""
    seen: set[MissingRank] = set()
    for sample in scene.capture.samples:
        node = sample.node or None
        lost = [MissingRank(None, node, sample.error)] if sample.processes and sample.error else []
        if sample.left_out:
            text = tell("analysis-missing-left-out", count=sample.left_out)
            lost.append(MissingRank(None, node, text.en, text))
        yield from (one for one in lost if one not in seen)
        seen.update(lost)
