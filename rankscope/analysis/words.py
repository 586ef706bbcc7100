"""Small sentences that the report is made of."""

from collections.abc import Iterable, Sequence

from rankscope.analysis.names import call_site
from rankscope.analysis.positions import USER, Position
from rankscope.analysis.ranges import listed
from rankscope.analysis.stacks import Stack
from rankscope.analysis.views import RankView
from rankscope.model.text import Text
from rankscope.text import say

_TOLD = frozenset({"pipe", "fifo", "socket", "storage", "sleep", "child"})
"""Kernel waits that say more than that a thread sleeps."""


def tell(message_id: str, **parameters: object) -> Text:
    """Return a catalogue sentence; parameters may be sentences in both languages themselves."""
    zh = {
        name: value.zh if isinstance(value, Text) else value for name, value in parameters.items()
    }
    en = {
        name: value.en if isinstance(value, Text) else value for name, value in parameters.items()
    }
    if zh == en:
        return say(message_id, **zh)
    return Text(say(message_id, **zh).zh, say(message_id, **en).en)


def doing(position: Position) -> Text:
    """Return what a rank is doing, as a phrase."""
    waits = "-waiting" if position.family == "backward" and position.waits else ""
    return tell(f"analysis-at-{position.family}{waits}", op=position.op)


def somewhere(position: Position) -> Text:
    """Return what a rank is doing, where, and what it waits for in the kernel."""
    site = site_of(position.stack)
    if not site:
        return doing(position)
    if position.waits or position.wait not in _TOLD:
        return tell("analysis-somewhere", doing=doing(position), site=site)
    how = tell(f"analysis-doing-{position.wait}")
    if position.family == USER:
        return tell("analysis-somewhere-blocked", site=site, how=how)
    return tell("analysis-somewhere-how", doing=doing(position), site=site, how=how)


def site_of(stack: Stack | None) -> str:
    """Return the call site in the program, as `name (file:line)`, empty when there is none."""
    return call_site(stack.shown) if stack and stack.shown else ""


def ranks_text(ranks: Iterable[int]) -> Text:
    """Return `rank 2` or `ranks 0-1,5`."""
    found = sorted(set(ranks))
    return tell(
        "analysis-one-rank" if len(found) == 1 else "analysis-many-ranks", ranks=listed(found)
    )


def largest_group(views: Sequence[RankView]) -> list[RankView]:
    """Return the ranks of the site where most are."""
    groups: dict[tuple[object, ...], list[RankView]] = {}
    for view in views:
        groups.setdefault(view.last.site, []).append(view)
    return max(groups.values(), key=len, default=[])


def seconds_text(seconds: float | None) -> Text:
    """Return a span in seconds, or `some seconds` when it is unknown."""
    if not seconds:
        return tell("analysis-some-seconds")
    return tell("analysis-seconds", count=f"{seconds:.1f}".removesuffix(".0"))
