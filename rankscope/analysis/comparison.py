"""Two captures of one job, rank by rank."""

from rankscope.analysis.names import call_site
from rankscope.analysis.ranges import compress
from rankscope.analysis.rules import default_rules
from rankscope.analysis.scene import scene_of
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.views import RankView
from rankscope.analysis.words import tell
from rankscope.model.capture import Capture
from rankscope.model.report import Comparison, RankChange, RankComparison
from rankscope.model.text import Text


def compare(before: Capture, after: Capture) -> Comparison:
    """Return what changed from one capture to a later one.

    A rank is frozen when its newest stacks show the same calls, line by line but for the lines
    inside libraries; a rank without a stack in either capture is new or gone.
    """
    reader = StackReader(default_rules())
    old, new = _by_rank(before, reader), _by_rank(after, reader)
    ranks = tuple(
        _rank(rank, old.get(rank), new.get(rank)) for rank in sorted(old.keys() | new.keys())
    )
    return Comparison(
        job_id=after.header.job_id,
        before=before.header.print_id,
        after=after.header.print_id,
        ranks=ranks,
        text=_text(before, after, ranks),
    )


def _by_rank(capture: Capture, reader: StackReader) -> dict[int, RankView]:
    views = scene_of(capture, reader).views
    return {view.rank: view for view in views if view.stack and view.last.family != "dead"}


def _rank(rank: int, before: RankView | None, after: RankView | None) -> RankComparison:
    known = after or before
    return RankComparison(
        rank=rank,
        node=known.node if known else "",
        change=_change(before, after),
        before=_place(before),
        after=_place(after),
    )


def _change(before: RankView | None, after: RankView | None) -> RankChange:
    if before is None or before.stack is None:
        return "new"
    if after is None or after.stack is None:
        return "gone"
    same = before.stack.functions == after.stack.functions
    return "frozen" if same and before.stack.program == after.stack.program else "moved"


def _place(view: RankView | None) -> str:
    if view is None or view.stack is None:
        return ""
    stack = view.stack
    frame = stack.frames[stack.depth] if stack.frames else None
    if stack.shown and frame is not stack.shown and frame is not None:
        return f"{call_site(frame)} ← {call_site(stack.shown)}"
    return call_site(frame) if frame else ""


def _text(before: Capture, after: Capture, ranks: tuple[RankComparison, ...]) -> Text:
    if before.header.job_id != after.header.job_id:
        return tell(
            "analysis-compare-other-job",
            before=before.header.job_id,
            after=after.header.job_id,
        )
    parts = [_moved(ranks)]
    for change, message in (("gone", "lost"), ("new", "new")):
        found = [item.rank for item in ranks if item.change == change]
        if found:
            parts.append(tell(f"analysis-compare-{message}", ranks=compress(found)))
    return Text("".join(part.zh for part in parts), " ".join(part.en for part in parts))


def _moved(ranks: tuple[RankComparison, ...]) -> Text:
    still = [item.rank for item in ranks if item.change == "frozen"]
    moved = [item.rank for item in ranks if item.change == "moved"]
    if not still and not moved:
        return tell("analysis-compare-nothing")
    if not moved or not still:
        return tell(f"analysis-compare-{'moved' if moved else 'frozen'}", count=len(still or moved))
    return tell(
        "analysis-compare-mixed",
        frozen=len(still),
        still=compress(still),
        moved=len(moved),
        ranks=compress(moved),
    )
