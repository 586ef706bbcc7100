"""The redaction of chat files; it is that of everything else."""

from rankscope.redaction import MASK, redact

__all__ = ["MASK", "redact"]
