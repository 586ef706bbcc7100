"""All wait, but not in the same operation: which ranks took another way through the program."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from rankscope.analysis.findings import Accusation
from rankscope.analysis.movement import common_steps, is_lively
from rankscope.analysis.parallel import Layout, absent_partners, layout_of
from rankscope.analysis.sides import Sides
from rankscope.analysis.stacks import Stack
from rankscope.analysis.views import RankView
from rankscope.analysis.words import largest_group

TWICE, ONCE, ODD = 0.6, 0.42, 0.45
LARGEST_MINORITY, LARGEST_AT_ONCE = 0.4, 1 / 3
"""Nearly half of the ranks are no minority: nothing tells which half is wrong."""
Groups = dict[tuple[object, ...], list[RankView]]


def mismatched(sides: Sides) -> list[Accusation]:
    """Return the minority that waits in another operation than the others.

    Collectives match by their order, so one rank that skips or adds a call waits in another one.
    The minority may be ahead, behind, or only different; who is wrong, the stacks cannot tell.
    """
    if sides.free or sides.movement.waiters_moved or _is_chance(sides):
        return []
    absent = _absent(sides)
    if absent:
        return absent
    groups = _groups(sides.waiting)
    if len(groups) < 2:
        return _accuse(sides, _other_branch(sides), groups)
    if sides.is_guessed:
        return []  # What most ranks do is not known; those that surely wait are not guilty.
    if any(site[0] == "p2p" for site in groups):
        return _accuse(sides, _lone_collective(groups), groups)
    return _accuse(sides, _first_to_part(groups), groups)


def _is_chance(sides: Sides) -> bool:
    """Whether a single sample shows a job that moves, with its ranks between two operations."""
    return not sides.movement.is_known and is_lively(sides.waiting)


def _absent(sides: Sides) -> list[Accusation]:
    """Return the ranks whose tensor-parallel partners wait in an operation that they passed.

    A partner that skips the operation goes on to the next one of a larger group, so that it stands
    where most ranks are, and the innocent ones are the minority.
    """
    layout = layout_of(sides.scene)
    inside = [v for v in sides.waiting if v.stack and _is_within_group(v.stack, layout)]
    if not inside or len(inside) > len(sides.live) / 2:
        return []
    absent, is_known = absent_partners(inside, sides.live, layout)
    if not absent or len(absent) > len(inside):
        return []
    score = (TWICE if is_known else ODD) if sides.movement.is_known else ONCE
    return [Accusation(v.rank, v.node, "absent", score, v) for v in absent]


def _is_within_group(stack: Stack, layout: Layout) -> bool:
    """Whether a rank waits in an operation of its tensor-parallel group, by its names or place."""
    return stack.is_tensor_parallel or (
        layout.tp > 1 and stack.is_in_layer and bool(stack.meaning) and not stack.is_sharded
    )


def odd_collective(sides: Sides) -> list[Accusation]:
    """Return the ranks that entered a collective inside a pipeline's own exchange.

    An exchange concerns two stages, a collective all; peers in the same exchange go past it.
    """
    if sides.movement.is_known and sides.movement.waiters_moved:
        return []
    exchanging = [v for v in sides.waiting if v.last.family == "p2p" and v.stack]
    exchanges = {view.stack for view in exchanging if view.stack}
    steps = {step for stack in exchanges for step in stack.functions}
    distinct = {view.stack for view in sides.waiting if view.stack} if exchanging else set()
    inside = {stack for stack in distinct if _is_inside(stack, steps, sides)}
    odd = [
        view
        for view in sides.waiting
        if view.last.family == "collective" and view.stack and view.stack in inside
    ]
    if not exchanging or not odd or len(odd) > sides.few:
        return []
    return [Accusation(v.rank, v.node, "odd_collective", ODD, v) for v in odd]


def _is_inside(stack: Stack, steps: set[tuple[str, str]], sides: Sides) -> bool:
    """Whether a frame further out than the collective is an exchange that peers are in."""
    outer = stack.frames[stack.depth + 1 :]
    places = stack.places[stack.depth + 1 :]
    return any(
        match.family.name == "p2p" and place[:2] in steps
        for frame, place in zip(outer, places, strict=True)
        for match in sides.scene.reader.matches_of(frame)
    )


def _other_branch(sides: Sides) -> list[RankView]:
    """Return the few that come to the same call through another part of the model or program.

    Under sharded parameters every module gathers its own, so that a module which one rank alone
    runs never completes. Ranks that only started differently share no outer function.
    """
    ways: dict[tuple[object, ...], list[RankView]] = defaultdict(list)
    for view in sides.waiting:
        ways[_way(view.stack)].append(view)
    largest = max(ways, key=lambda way: len(ways[way]), default=())
    rest = {way: views for way, views in ways.items() if way != largest}
    if not all(way[:1] == largest[:1] and way for way in rest):
        return []
    named = [view for views in rest.values() for view in views]
    if _is_within_neighbours(named):
        return []
    return named if len(named) <= sides.few and len(named) < len(sides.waiting) / 2 else []


def _way(stack: Stack | None) -> tuple[object, ...]:
    """Return the way to a call; which of a model's modules calls is told by lines alone."""
    if stack is None:
        return ()
    return stack.program if stack.is_sharded and stack.is_in_layer else stack.steps


def _groups(waiting: Iterable[RankView]) -> Groups:
    groups: Groups = defaultdict(list)
    for view in waiting:
        groups[view.last.site].append(view)
    return groups


def _lone_collective(groups: Groups) -> list[RankView]:
    """Return a rank alone in a collective while pipeline stages wait for each other."""
    sizes = {
        site: len(views)
        for site, views in groups.items()
        if site[0] not in {"p2p", "serving_idle"} and not _is_within_neighbours(views)
    }
    lone = [site for site, size in sizes.items() if size == 1]
    return groups[lone[0]] if len(lone) == 1 else []


def _first_to_part(groups: Groups) -> list[RankView]:
    """Return the groups that part earliest, seen from the program's start, from the largest one.

    Deeper partings are hierarchy: while a data-parallel group waits for one of its members, that
    member's tensor-parallel partner waits for it somewhere inside the same step.
    """
    ordered = sorted(groups.values(), key=len, reverse=True)
    largest, rest = ordered[0], ordered[1:]
    if len(rest[0]) == len(largest):
        return []
    depths = [(_depth(largest, views), views) for views in rest]
    first = min(depth for depth, _ in depths)
    named = [view for depth, views in depths if depth == first for view in views]
    if _is_within_neighbours(named) and not _is_within_neighbours(largest):
        return []
    return named if len(named) < len(largest) else []


def _depth(one: list[RankView], other: list[RankView]) -> int:
    a, b = one[0].stack, other[0].stack
    return common_steps(a.steps, b.steps) if a and b else 0


def _is_within_neighbours(views: Iterable[RankView]) -> bool:
    """Whether ranks wait in a tensor-parallel operation: then their few partners are the reason."""
    return all(view.stack is not None and view.stack.is_tensor_parallel for view in views)


def _accuse(sides: Sides, named: list[RankView], groups: Groups) -> list[Accusation]:
    known = sides.movement.is_known
    largest = LARGEST_MINORITY if known else LARGEST_AT_ONCE
    if not named or len(named) > len(sides.scene.views) * largest:
        return []
    rest = [view for view in max(groups.values(), key=len) if view not in named]
    other = largest_group(rest)[0]
    score = (TWICE if known else ONCE) * (0.7 if sides.is_guessed else 1)
    if len(named) > len(sides.scene.views) * LARGEST_AT_ONCE:
        score = min(score, ODD)
    return [
        Accusation(view.rank, view.node, "mismatch", score, view, _order(view, other))
        for view in named
    ]


def _order(view: RankView, other: RankView) -> Literal["ahead", "behind", ""]:
    """Compare the lines at which two ranks part; in a loop an earlier line may be a round ahead."""
    if not view.stack or not other.stack:
        return ""
    for own, theirs in zip(view.stack.program, other.stack.program, strict=False):
        if own[:2] != theirs[:2]:
            return ""
        if own[2] != theirs[2] and own[2] > 0 and theirs[2] > 0:
            return "ahead" if own[2] > theirs[2] else "behind"
    return ""
