"""What two captures of a job say together, in a few sentences."""

from collections.abc import Iterator, Mapping, Sequence

from rankscope.analysis.ranges import listed
from rankscope.analysis.views import RankView
from rankscope.analysis.words import tell
from rankscope.model.capture import Capture
from rankscope.model.report import GroupComparison, RankComparison
from rankscope.model.text import Text

MOST_GROUPS = 2


def comparison_text(
    before: Capture,
    after: Capture,
    ranks: Sequence[RankComparison],
    groups: Sequence[GroupComparison],
    views: Mapping[int, RankView],
) -> Text:
    """Return the sentences; views are the ranks with a stack in the later capture."""
    if before.header.job_id != after.header.job_id:
        return tell(
            "analysis-compare-other-job",
            before=before.header.job_id,
            after=after.header.job_id,
        )
    parts = [*_moved(ranks), *_held(ranks, views), *_grown(groups), *_listed(ranks)]
    return Text("".join(part.zh for part in parts), " ".join(part.en for part in parts))


def _listed(ranks: Sequence[RankComparison]) -> Iterator[Text]:
    for change, message in (("gone", "lost"), ("new", "new"), ("unknown", "unknown")):
        found = [item.rank for item in ranks if item.change == change]
        if found:
            yield tell(f"analysis-compare-{message}", ranks=listed(found))


def _moved(ranks: Sequence[RankComparison]) -> Iterator[Text]:
    """Say who moved; a process that was started again tells nothing about getting on."""
    still = [item.rank for item in ranks if item.change == "frozen"]
    moved = [item.rank for item in ranks if item.change == "moved" and not item.reason]
    again = [item.rank for item in ranks if item.change == "moved" and item.reason]
    if moved and still:
        yield tell(
            "analysis-compare-mixed",
            frozen=len(still),
            still=listed(still),
            moved=len(moved),
            ranks=listed(moved),
        )
    elif moved or still:
        count = len(still or moved)
        yield tell(f"analysis-compare-{'moved' if moved else 'frozen'}", count=count)
    elif not again:
        yield tell("analysis-compare-nothing")
    if again:
        yield tell("analysis-compare-again", ranks=listed(again))


def _held(ranks: Sequence[RankComparison], views: Mapping[int, RankView]) -> Iterator[Text]:
    """Name the ranks that stand still without waiting for others, while others wait."""
    still = [item.rank for item in ranks if item.change == "frozen"]
    free = [rank for rank in still if not views[rank].waits]
    if free and 2 * len(free) < len(still):
        yield tell("analysis-compare-held", ranks=listed(free))


def _grown(groups: Sequence[GroupComparison]) -> Iterator[Text]:
    """Tell of the groups that grew, or else shrank, the most."""
    grown = [group for group in groups if group.after > max(1, group.before)]
    for group in grown[:MOST_GROUPS]:
        message = "grew-waiting" if group.waits else "grew"
        yield _group(message, group)
    shrunk = [group for group in groups if group.after < group.before > 1]
    for group in shrunk[: MOST_GROUPS - len(grown)] if len(grown) < MOST_GROUPS else ():
        yield _group("shrank-waiting" if group.waits else "shrank", group)


def _group(message: str, group: GroupComparison) -> Text:
    return tell(
        f"analysis-compare-{message}", label=group.label, before=group.before, after=group.after
    )
