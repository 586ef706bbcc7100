"""The labels of a job that routes may look at: those of its events, bounded; pure."""

from collections.abc import Mapping
from itertools import islice

MOST = 64
LONGEST_NAME = 100
LONGEST_VALUE = 200


def merged_labels(known: Mapping[str, str], fresh: Mapping[str, str]) -> dict[str, str]:
    """Return known labels with fresh ones over them; what is too long or too much is left out."""
    short = {
        name: value
        for name, value in fresh.items()
        if len(name) <= LONGEST_NAME and len(value) <= LONGEST_VALUE
    }
    return dict(islice({**short, **known, **short}.items(), MOST))
