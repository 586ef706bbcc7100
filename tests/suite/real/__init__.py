"""Captures of real torch/gloo jobs, taken by the real agent, with their truth."""

from collections.abc import Iterator
from pathlib import Path

import zstandard

from tests.suite.real.jobs import JOBS, RealJob

CAPTURES = Path(__file__).parent / "captures"

__all__ = ["CAPTURES", "JOBS", "RealJob", "content_of", "stored"]


def stored() -> Iterator[RealJob]:
    """Yield the jobs whose capture is kept here."""
    return (job for job in JOBS.values() if path_of(job).exists())


def path_of(job: RealJob) -> Path:
    """Return where a job's capture lies."""
    return CAPTURES / f"{job.name}.jsonl.zst"


def content_of(job: RealJob) -> list[bytes]:
    """Return the lines of a stored capture."""
    data = zstandard.ZstdDecompressor().stream_reader(path_of(job).read_bytes()).read()
    return data.splitlines()
