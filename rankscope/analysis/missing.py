"""Every rank or node without a usable stack keeps a row with its reason."""

from collections.abc import Iterator

from rankscope.analysis.positions import DEAD, NO_DUMP, STOPPED
from rankscope.analysis.scene import Scene
from rankscope.analysis.words import tell
from rankscope.model.report import MissingRank


def missing_ranks(scene: Scene) -> tuple[MissingRank, ...]:
    """Return ranks without a stack, ranks nobody saw, and nodes that gave nothing."""
    return tuple(_undumped(scene)) + tuple(_unseen(scene)) + tuple(_silent(scene))


def _undumped(scene: Scene) -> Iterator[MissingRank]:
    for view in scene.views:
        if view.last.stack is None or view.last.family in {DEAD, NO_DUMP}:
            reason = view.last.error or _reason(view.last.family)
            yield MissingRank(view.rank, view.node, reason)


def _reason(family: str) -> str:
    known = {DEAD: "analysis-at-dead", STOPPED: "analysis-at-stopped"}
    text = tell(known.get(family, "analysis-missing-no-stack"))
    return _both(text.zh, text.en)


def _unseen(scene: Scene) -> Iterator[MissingRank]:
    for rank in scene.missing:
        helpers = scene.helper_only.get(rank, ())
        text = tell(f"analysis-missing-{'helpers' if helpers else 'no-trainer'}")
        yield MissingRank(rank, helpers[0].node if helpers else None, _both(text.zh, text.en))


def _silent(scene: Scene) -> Iterator[MissingRank]:
    for node, error in scene.silent_nodes.items():
        text = tell("analysis-missing-node")
        yield MissingRank(None, node or None, error or _both(text.zh, text.en))


def _both(zh: str, en: str) -> str:
    """Join both languages: a reason is one text, since most come from the capture itself."""
    return f"{zh} / {en}"
