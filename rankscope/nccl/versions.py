"""NCCL versions, as packages, libraries, logs and PyTorch write them."""

import re
from dataclasses import dataclass
from typing import Self

VERSION = re.compile(
    r"(?<![\d.])(\d{1,2})\s*[.,]\s*(\d{1,3})\s*[.,]\s*(\d{1,3})(?![\d.])", re.ASCII
)
CODE_BASE = 10_000
"""ncclGetVersion returns X*10000 + Y*100 + Z since 2.9."""


@dataclass(frozen=True, slots=True, order=True)
class NcclVersion:
    """Major, minor, patch; ordered."""

    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Find a version in `2.21.5-1`, `libnccl2=2.21.5-1+cuda12.4`, `(2, 21, 5)` or `22105`.

        The first number of three parts counts; None when there is none.
        """
        if match := VERSION.search(text):
            return cls(int(match[1]), int(match[2]), int(match[3]))
        if re.fullmatch(r"\d{5}", text.strip(), re.ASCII):
            code = int(text)
            return cls(code // CODE_BASE, code // 100 % 100, code % 100)
        return None

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Return the version as a tuple."""
        return self.major, self.minor, self.patch

    def is_within(self, first: tuple[int, int, int], last: tuple[int, int, int]) -> bool:
        """Whether it is one of the versions from first to last."""
        return first <= self.numbers <= last

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


FIRST_WITH_RAS = NcclVersion(2, 24, 0)
FIRST_WITH_JSON = NcclVersion(2, 28, 7)
FIRST_WITH_MONITOR = NcclVersion(2, 29, 2)
LAST_STUDIED = NcclVersion(2, 32, 3)

INIT_CRASH = ((2, 26, 2), (2, 26, 6))
"""A question while any communicator initialises crashes the job (NVIDIA/nccl#1669, #1718)."""
WALK_BUG = ((2, 26, 2), (2, 28, 9))
"""Garbage, and memory read out of bounds, when a communicator lacks ranks (NVIDIA/nccl#1762)."""
INIT_RACE = ((2, 27, 3), (2, 32, 3))
"""Zero rows while a communicator initialises, and a crash of the text report at scale
(NVIDIA/nccl#2346; whether 2.31.2 and 2.32.3 are free of it is not known)."""
