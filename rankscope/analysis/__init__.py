"""Captures become reports and comparisons; pure (docs/patterns.md)."""

from rankscope.analysis.comparison import compare
from rankscope.analysis.report import analyse
from rankscope.analysis.report_text import report_text

__all__ = ["analyse", "compare", "report_text"]
