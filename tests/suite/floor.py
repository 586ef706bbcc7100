"""The obvious method, for comparison: a minority leaf stack is guilty."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rankscope.analysis.columns import with_rows

Json = dict[str, Any]


def floor_suspects(content: Iterable[bytes]) -> list[int]:
    """Name the ranks whose trainer's innermost function is rarer than the commonest one."""
    leaves = _leaves(content)
    counts = Counter(leaves.values())
    if len(counts) < 2:
        return []
    common = counts.most_common(1)[0][0]
    odd = [rank for rank, leaf in leaves.items() if leaf != common]
    return sorted(odd, key=lambda rank: (counts[leaves[rank]], rank))


def _leaves(content: Iterable[bytes]) -> dict[int, tuple[str, str]]:
    nodes = [line for line in map(json.loads, content) if "processes" in line]
    last = max(node["sample"] for node in nodes)
    found: dict[int, tuple[str, str]] = {}
    for node in nodes:
        for packed in node["processes"] if node["sample"] == last else ():
            process = with_rows(packed, node)
            if process["role"] not in {"trainer", "dead"}:
                continue
            main = [t for t in process["threads"] if t["thread_name"] == "MainThread"]
            frames = _frames(main[0], node) if main else []
            leaf = (frames[0]["name"], frames[0]["filename"]) if frames else ("", "")
            found.setdefault(process["rank"], leaf)
    return found


def _frames(thread: Json, node: Json) -> list[Json]:
    found: list[Json] = thread["frames"] if "frames" in thread else node["stacks"][thread["stack"]]
    return [{"filename": "", **frame} for frame in found]
