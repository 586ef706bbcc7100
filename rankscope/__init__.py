"""The shared core of rankscope: models, analysis, cards, storage. No web, no queue entry points."""

__version__ = "0.1.0"
