"""The card that says what two captures of a job have in common."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from rankscope.cards.budget import Card, Limits, fit
from rankscope.cards.escape import plain, short_frame
from rankscope.cards.facts import NAME_CHARS
from rankscope.cards.render import render
from rankscope.model.report import Comparison, RankChange, RankComparison
from rankscope.model.state import Incident
from rankscope.model.text import Language

ROWS = 10
CHANGES: tuple[RankChange, ...] = get_args(RankChange)
COLOURS = {
    "frozen": "red",
    "moved": "green",
    "new": "blue",
    "gone": "neutral",
    "unknown": "neutral",
}
# What stands still or has vanished is looked at first.
ORDER = {"frozen": 0, "gone": 1, "unknown": 2, "new": 3, "moved": 4}


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One row of the table; a frozen rank's second place is left empty, being the first."""

    rank: int
    node: str
    is_suspect: bool
    change: str
    colour: str
    before: str
    after: str


def comparison_card(
    comparison: Comparison,
    incident: Incident,
    link: str,
    language: Language,
    suspects: Collection[int] = (),
) -> Card:
    """Return the card of a comparison; ranks in `suspects` that are frozen come first.

    At most ten ranks are listed, with those that moved last.
    """

    def draw(limits: Limits) -> Card:
        shown = _shown(comparison, suspects, 2 * limits.suspects)
        return render(
            "comparison.json.j2",
            language,
            job=plain(incident.job_id, NAME_CHARS),
            before=plain(comparison.before, NAME_CHARS),
            after=plain(comparison.after, NAME_CHARS),
            says=plain(comparison.text.of(language), 2 * limits.chars),
            counts=_counts(comparison),
            rows=[_row(rank, suspects, limits) for rank in shown],
            more=len(comparison.ranks) - len(shown),
            link=link,
            colour=_colour(comparison),
        )

    return fit(draw)


def _shown(comparison: Comparison, suspects: Collection[int], limit: int) -> list[RankComparison]:
    def key(rank: RankComparison) -> tuple[int, bool, int]:
        return ORDER[rank.change], rank.rank not in suspects, rank.rank

    return sorted(comparison.ranks, key=key)[: min(limit, ROWS)]


def _row(rank: RankComparison, suspects: Collection[int], limits: Limits) -> ChangeRow:
    width = min(60, limits.chars)
    return ChangeRow(
        rank=rank.rank,
        node=plain(rank.node, NAME_CHARS),
        is_suspect=rank.rank in suspects,
        change=rank.change,
        colour=COLOURS[rank.change],
        before=short_frame(rank.before, width),
        after="" if rank.change == "frozen" else short_frame(rank.after, width),
    )


def _counts(comparison: Comparison) -> list[tuple[str, int]]:
    counted = Counter(rank.change for rank in comparison.ranks)
    return [(change, counted[change]) for change in CHANGES if counted[change]]


def _colour(comparison: Comparison) -> str:
    changes = {rank.change for rank in comparison.ranks}
    if "frozen" in changes:
        return "red"
    return "orange" if "gone" in changes else "green" if "moved" in changes else "grey"
