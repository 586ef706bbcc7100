"""The prefix tree of the trainers' calls, with the ranks that are at each end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rankscope.analysis.names import bare, call_site, tail
from rankscope.analysis.ranges import compress
from rankscope.analysis.stacks import Stack, Step
from rankscope.analysis.views import RankView
from rankscope.model.report import Group


@dataclass
class Node:
    """A call; ranks stand in this call itself, the others further in."""

    children: dict[Step, "Node"] = field(default_factory=dict)
    ranks: list[int] = field(default_factory=list)
    stack: Stack | None = None

    def ends(self) -> Iterator["Node"]:
        """Return every call that some rank stands in."""
        open_nodes = [self]
        while open_nodes:
            node = open_nodes.pop()
            if node.ranks:
                yield node
            open_nodes.extend(node.children.values())


def call_tree(views: Iterable[RankView]) -> Node:
    """Return the tree of all ranks that have a stack, outermost call first."""
    root = Node()
    ends: dict[int, Node] = {}
    for view in views:
        stack = view.stack
        if stack is None:
            continue
        node = ends.get(id(stack))
        if node is None:
            node = ends[id(stack)] = _insert(root, stack)
        node.ranks.append(view.rank)
    return root


def _insert(root: Node, stack: Stack) -> Node:
    node = root
    for step in stack.functions:
        node = node.children.setdefault(step, Node())
    node.stack = node.stack or stack
    return node


def groups_of(views: Iterable[RankView]) -> tuple[Group, ...]:
    """Return the ranks by call site, the largest group first."""
    ends = sorted(call_tree(views).ends(), key=lambda node: (-len(node.ranks), min(node.ranks)))
    return tuple(_group(node.stack, node.ranks) for node in ends if node.stack)


def _group(stack: Stack, ranks: list[int]) -> Group:
    frames = tuple(call_site(frame) for frame in stack.frames)
    return Group(label_of(stack), compress(ranks), len(ranks), frames)


def label_of(stack: Stack) -> str:
    """Return `all_reduce ← Trainer.sync_grads (trainer.py)`: the innermost call and the program."""
    own = stack.shown
    if own is None:
        return ""
    where = f"{own.name} ({tail(own.filename).rpartition('/')[2]})"
    inner = stack.frames[stack.depth] if stack.meaning else stack.frames[0]
    return where if inner is own else f"{bare(inner.name)} ← {where}"
