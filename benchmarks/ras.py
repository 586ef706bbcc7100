"""Reads the JSON answer of a 16,384-rank job, beside `json.loads` alone.

Every rank is in four communicators: world, tensor, pipeline and data parallel groups. Each
measurement runs in a process of its own, so that its peak memory is its own.

Run: python benchmarks/ras.py [--ranks 16384]
Fails when reading and judging takes more than 3 s or 1.5 GB at 16,384 ranks.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TENSOR, PIPELINE, PER_NODE = 8, 16, 8
MOST_SECONDS, MOST_GB = 3.0, 1.5
BEHIND = 4_242
RANK = """\
        {
          "rank": %d,
          "host": "10.%d.%d.1",
          "pid": %d,
          "cuda_dev": %d,
          "nvml_dev": %d,
          "status": {
            "init_state": 0,
            "async_error": 0,
            "finalize_called": false,
            "destroy_flag": false,
            "abort_flag": false
          },
          "collective_counts": {
            "Broadcast": 3,
            "Reduce": 0,
            "AllGather": 88215,
            "ReduceScatter": 88215,
            "AllReduce": %d
          }
        }"""
COMM = """\
    {
      "hash": "0x%x",
      "secondary_hash": "0x%x:0x%x",
      "size": %d,
      "ranks_count": %d,
      "missing_ranks_count": 0,
      "ranks": [
%s
      ],
      "missing_ranks": [

      ]
    }"""
REPORT = """\
{
  "nccl_version": "2.30.7",
  "cuda_runtime_version": 13000,
  "cuda_driver_version": 13000,
  "timestamp": "2026-03-04 05:06:07",
  "communicators_count": %d,
  "communicators": [
%s
  ],
  "ras": {
    "collection_time_sec": 1.234,
    "timeouts_count": 0
  }
}
"""


def compose(ranks: int) -> str:
    """Compose the answer of a job in which one rank is behind in all its groups."""
    comms = [
        COMM % (number + 1, number * 7 + 1, number * 11 + 1, len(members), len(members), rows)
        for number, members in enumerate(_groups(ranks))
        for rows in [",\n".join(_row(place, rank) for place, rank in enumerate(members))]
    ]
    return REPORT % (len(comms), ",\n".join(comms))


def _groups(ranks: int) -> Iterator[range]:
    """Yield world, then the groups of consecutive ranks, of stages, and of replicas."""
    yield range(ranks)
    stage = ranks // PIPELINE
    yield from (range(start, start + TENSOR) for start in range(0, ranks, TENSOR))
    yield from (range(start, ranks, stage) for start in range(stage))
    for first in range(0, ranks, stage):
        yield from (range(first + t, first + stage, TENSOR) for t in range(TENSOR))


def _row(place: int, rank: int) -> str:
    node, gpu = divmod(rank, PER_NODE)
    host = divmod(node, 256)
    return RANK % (place, *host, 20_000 + rank, gpu, gpu, 4712 if rank == BEHIND else 4713)


def measure(what: str, path: Path) -> None:
    """Measure in this process; print seconds, peak memory in GB, and what was found."""
    raw = path.read_bytes()
    started = time.perf_counter()
    found = _loads(raw) if what == "json.loads" else _read(raw)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps({"seconds": seconds, "gb": peak, "found": found}))


def _loads(raw: bytes) -> str:
    return f"{len(json.loads(raw)['communicators'])} communicators"


def _read(raw: bytes) -> str:
    from rankscope.nccl.read import read_answer  # noqa: PLC0415 (not part of json.loads's memory)
    from rankscope.nccl.verdict import judge  # noqa: PLC0415

    answer = read_answer(raw)
    if not answer.reliable:
        raise SystemExit(f"unreliable: {answer.problems}")
    behind = sum(bool(comm.behind) for comm in answer.communicators)
    return f"{len(answer.communicators)} communicators, behind in {behind}: {judge(answer).kind}"


def main() -> None:
    """Compose, measure both, print a table, and fail when a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16_384)
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(chosen.measure[0], Path(chosen.measure[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.json"
        path.write_text(compose(chosen.ranks), encoding="ascii")
        print(f"{chosen.ranks} ranks, {path.stat().st_size / 1e6:.1f} MB of JSON")
        results = {what: _apart(what, path) for what in ("json.loads", "read and judge")}
    ours = results["read and judge"]
    if ours["seconds"] > MOST_SECONDS or ours["gb"] > MOST_GB:
        sys.exit(f"more than {MOST_SECONDS} s or {MOST_GB} GB")


def _apart(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", what, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    print(f"{what:15} {result['seconds']:6.2f} s  {result['gb']:5.2f} GB  {result['found']}")
    return {"seconds": result["seconds"], "gb": result["gb"]}


if __name__ == "__main__":
    main()
