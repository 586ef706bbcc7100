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
    return MissingRank(None, None, _both(text.zh, text.en))


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
        text = why_unseen(scene, seen_helpers=bool(helpers))
        yield MissingRank(rank, helpers[0].node if helpers else None, _both(text.zh, text.en))


def why_unseen(scene: Scene, *, seen_helpers: bool) -> Text:
    """Return why a rank that the job has was not seen."""
    if seen_helpers:
        return tell("analysis-missing-helpers")
    if scene.silent_nodes:
        return tell("analysis-missing-elsewhere", nodes=", ".join(filter(None, scene.silent_nodes)))
    return tell("analysis-missing-no-trainer")


def _silent(scene: Scene) -> Iterator[MissingRank]:
    for node, error in scene.silent_nodes.items():
        text = tell("analysis-missing-node")
        yield MissingRank(None, node or None, error or _both(text.zh, text.en))


def _partial(scene: Scene) -> Iterator[MissingRank]:
    """Return nodes that answered, but not wholly."""
    seen: set[tuple[str, str]] = set()
    for sample in scene.capture.samples:
        reasons = [sample.error or ""] if sample.processes else []
        if sample.left_out:
            text = tell("analysis-missing-left-out", count=sample.left_out)
            reasons.append(_both(text.zh, text.en))
        for reason in reasons:
            if reason and (sample.node, reason) not in seen:
                seen.add((sample.node, reason))
                yield MissingRank(None, sample.node or None, reason)


def _both(zh: str, en: str) -> str:
    """Join both languages: a reason is one text, since most come from the capture itself."""
    return f"{zh} / {en}"
