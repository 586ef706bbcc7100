"""A generator of made-up jobs with known culprits (docs/accuracy.md)."""

from tests.suite import faults, healthy
from tests.suite.kinds import KINDS, Case, case, cases

__all__ = ["KINDS", "Case", "case", "cases", "faults", "healthy"]
