"""torchrun's summary of a failed node, printed below `ChildFailedError`.

Its first failure is the one with the smallest time, which has one second; a child without an error
file has the time at which the agent noticed. It knows one node only
(torch/distributed/elastic/multiprocessing/errors/__init__.py).
"""

import re
from dataclasses import dataclass

LENGTH = 400
_ROOT = re.compile(r"Root Cause \(first observed failure\)")
_FIELD = re.compile(r"^\s+(?P<name>rank|exitcode|host)\s*: (?P<value>.+)")
_RANK = re.compile(r"(\d+) \(local_rank: (\d+)\)")


@dataclass(slots=True)
class Failure:
    """What the summary says about the first failure of its node."""

    worker: str
    rank: int | None = None
    exit_code: int | None = None


class ElasticSummary:
    """Reads the summary of one stream line by line."""

    def __init__(self) -> None:
        self._left = 0
        self._root: Failure | None = None
        self.in_root = False

    @property
    def busy(self) -> bool:
        """Whether the next lines may belong to the summary."""
        return self._left > 0

    def begin(self) -> None:
        """Take in the line with ChildFailedError."""
        self._left = LENGTH
        self.in_root = False

    def take(self, text: str, worker: str) -> Failure | None:
        """Take in a line; returns the first failure when its exit code has been read."""
        self._left -= 1
        if _ROOT.search(text):
            self._root = Failure(worker)
            self.in_root = True
        found = _FIELD.match(text) if self.in_root else None
        if found is None or self._root is None:
            return None
        return self._field(self._root, found["name"], found["value"])

    def _field(self, failure: Failure, name: str, value: str) -> Failure | None:
        if name == "rank":
            rank = _RANK.match(value)
            failure.rank = int(rank[1]) if rank else None
        if name == "exitcode":
            code = re.match(r"-?\d+", value)
            failure.exit_code = int(code[0]) if code else None
            return failure
        return None
