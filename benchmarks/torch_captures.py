"""Makes the captures of real torch/gloo jobs that tests/suite/real keeps, and judges them.

Each job really hangs (or does not), in processes of its own on this machine, and the real agent
captures it. Run from the project's root, with torch installed, as root:

    python -m benchmarks.torch_captures [--only NAME] [--write]
"""

import argparse
import time

import zstandard

from rankscope.analysis import analyse
from rankscope.capture_file import parse_capture
from tests.suite.real import CAPTURES, JOBS, RealJob
from tests.suite.real.maker import NotReady, capture


def make(job: RealJob, *, write: bool) -> str:
    """Make one capture and return one line about it."""
    started = time.monotonic()
    try:
        lines = capture(job)
    except NotReady as error:
        return f"{job.name}: not made: {error}"
    report = analyse(parse_capture(lines))
    named = {suspect.rank for suspect in report.suspects}
    if write:
        CAPTURES.mkdir(exist_ok=True)
        data = zstandard.ZstdCompressor(level=19).compress(b"\n".join(lines) + b"\n")
        (CAPTURES / f"{job.name}.jsonl.zst").write_bytes(data)
    verdict = report.verdict
    return (
        f"{'ok ' if named == job.culprits else 'BAD'} {job.name}: guilty {sorted(job.culprits)}, "
        f"named {sorted(named)}, {verdict.pattern}, {verdict.confidence}, {verdict.progress}, "
        f"{time.monotonic() - started:.0f} s"
    )


def main() -> None:
    """Make the captures that are asked for, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="only jobs whose name holds this text")
    parser.add_argument("--write", action="store_true", help="keep them in tests/suite/real")
    chosen = parser.parse_args()
    for job in JOBS.values():
        if not chosen.only or chosen.only in job.name:
            print(make(job, write=chosen.write), flush=True)


if __name__ == "__main__":
    main()
