"""Asks every agent of a job for its stacks at one agreed moment, and keeps whatever comes."""

from rankscope.capture.collect import Collected, collect
from rankscope.capture.request import CaptureRequest, Target
from rankscope.capture.trust import Trust

__all__ = ["CaptureRequest", "Collected", "Target", "Trust", "collect"]
