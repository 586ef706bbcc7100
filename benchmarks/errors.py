"""Searches a large log for its first error, beside `for line in file` and `grep -c Error`.

Two logs: a usual one (step lines, NCCL INFO, warnings; millions of lines with few forms) and the
worst kind (every line is new prose). Each reading runs in a process of its own, so that its peak
memory is its own.

Run: python benchmarks/errors.py [--megabytes 200]
Fails when the usual log is searched slower than 30 MB/s of CPU time, or needs more than 150 MB.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rankscope.logs.first_error import default_rules, first_error, scan_blocks

LEAST_MB_S, MOST_MB = 30.0, 150.0
BLOCK = 1 << 18
STEP = (
    "2026-03-01 10:00:{0:02d}.000 jo-1-worker-1 worker-1 |  [2026-03-01 10:00:{0:02d}] iteration"
    " {1:8d}/  999999 | consumed samples: {2:12d} | elapsed time per iteration (ms): {3:.1f} |"
    " learning rate: 1.000000E-05 | global batch size:    16 | lm loss: {4:.6E} | loss scale: 1.0 |"
    " grad norm: 0.5 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)
NCCL = (
    "gpu31:534:1763 [{0}] NCCL INFO Channel {1:02d}/0 : {0}[{0}] -> {2}[{2}] via P2P/CUMEM/read\n"
)
WARNING = "/opt/lib/x.py:{0}: FutureWarning: `torch.load` with errors='ignore' is deprecated\n"
ERROR = "2026-03-01 10:00:00.000 jo-1-worker-1 worker-1 | [rank3]: KeyError: 'image'\n"


def write_usual(path: Path, size: int) -> None:
    """Write step lines with what usually stands between them, and one error at the end."""
    chance = random.Random(1)
    number = 0
    with path.open("w", encoding="utf-8") as log:
        while log.tell() < size:
            for _ in range(200):
                number += 1
                loss = chance.random()
                log.write(STEP.format(number % 60, number, number * 16, 3000 + loss, loss))
                if number % 3 == 0:
                    log.write(NCCL.format(number % 8, number % 32, (number + 1) % 8))
                if number % 5 == 0:
                    log.write(WARNING.format(number % 900))
        log.write(ERROR)


def write_prose(path: Path, size: int) -> None:
    """Write lines of random words, none like another, and one error at the end."""
    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(20_000)]
    with path.open("w", encoding="utf-8") as log:
        while log.tell() < size:
            for _ in range(200):
                log.write(" ".join(chance.choices(words, k=20)) + "\n")
        log.write(ERROR)


def read_with(how: str, path: Path) -> int:
    """Read a log in one way; returns the number of the line that was found."""
    if how == "for line":
        with path.open("rb") as log:
            return sum(1 for _ in log)
    if how == "grep":
        counted = subprocess.run(["grep", "-c", "Error", path], capture_output=True, check=True)
        return int(counted.stdout)
    with path.open("rb") as log:
        scan = scan_blocks(str(path), iter(lambda: log.read(BLOCK), b""), default_rules())
    found = first_error([scan]).first_error
    return found.line if found else 0


def measure(how: str, path: Path) -> dict[str, float]:
    """Read in this process; returns CPU seconds and peak memory in MB."""
    started = time.process_time()
    line = read_with(how, path)
    own, child = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    seconds = time.process_time() - started if how != "grep" else child.ru_utime + child.ru_stime
    return {"line": line, "seconds": seconds, "mb": own.ru_maxrss / 1024}


def measured(how: str, path: Path) -> dict[str, float]:
    """Read in a fresh process."""
    command = [sys.executable, __file__, "--how", how, "--log", str(path)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure both logs in all ways and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--how", help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.how:
        print(json.dumps(measure(options.how, options.log)))
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(compare(Path(folder), options.megabytes * 1_000_000))


def compare(folder: Path, size: int) -> int:
    """Print the table; returns 1 when a limit is not kept."""
    good = True
    print("| log | reader | MB/s (CPU) | peak MB |\n|---|---|---|---|")
    for name, write in (("usual", write_usual), ("prose", write_prose)):
        path = folder / f"{name}.log"
        write(path, size if name == "usual" else size // 4)
        for how in ("rankscope", "for line", "grep"):
            found = measured(how, path)
            speed = path.stat().st_size / 1e6 / max(found["seconds"], 1e-6)
            print(f"| {name} | {how} | {speed:.0f} | {found['mb']:.0f} |")
            if name == "usual" and how == "rankscope":
                good = speed >= LEAST_MB_S and found["mb"] <= MOST_MB and found["line"] > 0
    return 0 if good else 1


if __name__ == "__main__":
    main()
