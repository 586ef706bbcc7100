"""Groups of ranks at one call site that grew or shrank between two captures."""

from collections import defaultdict
from collections.abc import Mapping

from rankscope.analysis.ranges import compress
from rankscope.analysis.stacks import Step
from rankscope.analysis.tree import label_of
from rankscope.analysis.views import RankView
from rankscope.model.report import GroupComparison

MOST_GROUPS = 50
"""A job at full speed has as many groups as ranks; the most changed ones tell enough."""
_Groups = dict[tuple[Step, ...], dict[int, RankView]]


def compared_groups(
    before: Mapping[int, RankView], after: Mapping[int, RankView]
) -> tuple[GroupComparison, ...]:
    """Return the groups that are not the same in both captures, the most changed one first.

    Only of ranks whose stack is known in both: one that is missing now has not got on.
    """
    both = before.keys() & after.keys()
    old = _groups({rank: before[rank] for rank in both})
    new = _groups({rank: after[rank] for rank in both})
    found = [
        _group(old.get(way, {}), new.get(way, {}))
        for way in dict.fromkeys((*new, *old))
        if old.get(way, {}).keys() != new.get(way, {}).keys()
    ]
    return tuple(sorted(found, key=lambda g: -abs(g.after - g.before))[:MOST_GROUPS])


def _groups(views: Mapping[int, RankView]) -> _Groups:
    groups: _Groups = defaultdict(dict)
    for rank, view in views.items():
        if view.stack:
            groups[view.stack.functions][rank] = view
    return groups


def _group(before: dict[int, RankView], after: dict[int, RankView]) -> GroupComparison:
    views = [*after.values(), *before.values()]
    return GroupComparison(
        label=label_of(views[0].stack) if views[0].stack else "",
        before=len(before),
        after=len(after),
        came=compress(after.keys() - before.keys()),
        left=compress(before.keys() - after.keys()),
        waits=sum(view.last.waits for view in views) > len(views) / 2,
    )
