"""The first error of a job: which line of which log, and what only follows from it; pure."""

from rankscope.logs.first_error.answer import first_error, first_error_of_texts
from rankscope.logs.first_error.model import Answer, Error, Evidence, Layer, Role
from rankscope.logs.first_error.rules import RuleBook, default_rules, load_rules
from rankscope.logs.first_error.scan import Scan
from rankscope.logs.first_error.scanner import Scanner, scan_blocks

__all__ = [
    "Answer",
    "Error",
    "Evidence",
    "Layer",
    "Role",
    "RuleBook",
    "Scan",
    "Scanner",
    "default_rules",
    "first_error",
    "first_error_of_texts",
    "load_rules",
    "scan_blocks",
]
