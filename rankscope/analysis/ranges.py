"""Sets of ranks as people write them."""

from collections.abc import Iterable

MOST_CHARS = 200


def compress(ranks: Iterable[int]) -> str:
    """Return ranks as `0-1,3-7`, empty for none."""
    spans: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if spans and rank == spans[-1][1] + 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def listed(ranks: Iterable[int]) -> str:
    """Return ranks as they stand in a sentence: a long list is cut, and its number added."""
    found = set(ranks)
    text = compress(found)
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[:MOST_CHARS].rpartition(',')[0]},… ({len(found)})"
