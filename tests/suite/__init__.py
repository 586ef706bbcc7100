"""A generator of made-up jobs with known culprits (docs/accuracy.md)."""

from tests.suite import faults, healthy, slow
from tests.suite.kinds import CONDITIONS, KINDS, Case, Condition, case, cases

__all__ = ["CONDITIONS", "KINDS", "Case", "Condition", "case", "cases", "faults", "healthy", "slow"]
