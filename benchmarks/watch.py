"""Follows large logs with the real `rankscope watch` process, beside `wc -l` and `grep -c`.

`mixed`, 1 GB, is like what a node writes: step lines of Megatron-LM (a quarter of the bytes),
progress bars, NCCL INFO, warnings and prose. The other logs are smaller and of one kind of line
only, which no real log of that size is. The watcher starts when the log is there; that it has read
to the end is seen from its file descriptor. Then the mixed log grows at a steady rate. The bot is a
server in this process that accepts everything.

Run: python benchmarks/watch.py [--megabytes 1000] [--kinds mixed,...] [--write docs/page.md]
Fails when the mixed log takes longer than 60 s or any log more than 100 MB.
"""

import argparse
import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_S, MOST_MB = 60.0, 100.0
BEGIN, END = "<!-- benchmark begins -->", "<!-- benchmark ends -->"
LAST = 99_999_999
GROWTH_S, GROWTH_MB_S = 20, 2.0
Lines = Iterator[str]


def megatron() -> Lines:
    """Yield step lines of Megatron-LM, one a second."""
    for step in range(1, LAST):
        stamp = (
            f"2026-06-{1 + step // 86_400 % 28:02d} {step // 3600 % 24:02d}:{step // 60 % 60:02d}"
        )
        yield (
            f" [{stamp}:{step % 60:02d}] iteration {step:8d}/ {LAST:8d} | consumed samples:"
            f" {64 * step:12d} | elapsed time per iteration (ms): {1000 + step % 7}.{step % 10} |"
            " learning rate: 1.500000E-04 | global batch size:    64 |"
            f" lm loss: 2.{step % 997:06d}E+00 | loss scale: 1.0 | grad norm: 0.5 |"
            " number of skipped iterations:   0 |"
            " number of nan iterations:   0 |\n"
        )


def bars() -> Lines:
    """Yield the states of a progress bar, ten a second, as tqdm draws them."""
    for step in range(1, LAST):
        now = step // 10
        done = f"{now // 3600}:{now // 60 % 60:02d}:{now % 60:02d}"
        yield f"\r {step * 100 // LAST:3d}%|▌         | {step}/{LAST} [{done}<99:57:12, 10.0it/s]"


def dicts() -> Lines:
    """Yield what the Hugging Face Trainer prints."""
    for step in range(1, LAST):
        yield (
            f"{{'loss': 1.{step % 997:04d}, 'grad_norm': 0.{step % 89:04d}, 'learning_rate':"
            f" 4.{step % 9973:04d}e-05, 'epoch': {step / 1000:.2f}}}\n"
        )


def records() -> Lines:
    """Yield the records of LLaMA-Factory's trainer_log.jsonl."""
    for step in range(1, LAST):
        record = {"current_steps": step, "total_steps": LAST, "loss": 1.2214, "lr": 2.37e-05}
        done = f"{step // 3600}:{step // 60 % 60:02d}:{step % 60:02d}"
        yield json.dumps({**record, "elapsed_time": done, "remaining_time": "9:46:54"}) + "\n"


def nccl() -> Lines:
    """Yield what NCCL prints with NCCL_DEBUG=INFO."""
    for n in range(LAST):
        place = f"gpu31:{n % 8}34:1763 [{n % 8}]"
        yield f"{place} NCCL INFO Channel {n % 32:02d}/0 : {n % 8} -> {n % 7} via P2P\n"


def warnings() -> Lines:
    """Yield warnings of libraries."""
    for n in range(LAST):
        place = f"/opt/lib/x.py:{n % 900}"
        yield f"{place}: FutureWarning: `torch.load` with errors='ignore' is deprecated\n"


def prose() -> Lines:
    """Yield lines of random words, none like another."""
    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(20_000)]
    while True:
        yield " ".join(chance.choices(words, k=20)) + "\n"


def mixed() -> Lines:
    """Yield, for each step line, two bars, three lines of NCCL, three warnings, two of prose."""
    step, bar, info, warning, words = megatron(), bars(), nccl(), warnings(), prose()
    order = (step, info, warning, words, bar, info, warning, words, bar, info, warning)
    for turn in range(LAST):
        for part in order:
            yield next(part)
        if turn % 200 == 0:
            yield "\nsaving checkpoint at iteration 200 to /out in torch_dist format\n"


KINDS: dict[str, Callable[[], Lines]] = {
    "mixed": mixed,
    "megatron": megatron,
    "bars": bars,
    "dicts": dicts,
    "records": records,
    "nccl": nccl,
    "prose": prose,
}


def write(path: Path, lines: Lines, size: int) -> None:
    """Write lines until the file has a size, then a step that names its end."""
    with path.open("w", encoding="utf-8", newline="") as log:
        done = 0
        for line in lines:
            done += log.write(line)
            if done >= size:
                break
        log.write("\n")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one reading took: wall and CPU seconds, the peak of memory in MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def catch_up(log: Path, folder: Path, url: str) -> tuple[Measured, subprocess.Popen[bytes]]:
    """Start a watcher and wait until it has read all of the log."""
    command = [sys.executable, "-m", "rankscope", "watch", str(log), "--job", "jo-1", "--url", url]
    command += [
        "--state-dir",
        str(folder / "state"),
        "--poll",
        "0.2",
        "--floor",
        "3600",
        "--no-gpu",
    ]
    env = {**os.environ, "RANKSCOPE_WEBHOOK_SECRET": "key", "RANKSCOPE_LANGUAGE": "en"}
    started = time.monotonic()
    with (folder / "out").open("wb") as output:
        process = subprocess.Popen(command, env=env, stdout=output, stderr=output)
    size = log.stat().st_size
    while process.poll() is None and offset_of(process.pid, log.name) < size:
        time.sleep(0.05)
    if process.poll() is not None:
        sys.exit((folder / "out").read_text())
    cpu = cpu_s(process.pid)
    while cpu_s(process.pid) > cpu:  # It still works on the last block.
        cpu = cpu_s(process.pid)
        time.sleep(0.15)
    return Measured(time.monotonic() - started, cpu, peak_mb(process.pid)), process


def offset_of(pid: int, name: str) -> int:
    """Return how far a process has read a file, 0 before it has opened it."""
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if link.readlink().name == name:
                info = Path(f"/proc/{pid}/fdinfo/{link.name}").read_text(encoding="ascii")
                return int(info.split()[1])
        except OSError:
            continue
    return 0


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    """Return the largest resident memory a process has had."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def grow(log: Path, lines: Lines, pid: int) -> Measured:
    """Let the log grow at a steady rate; wall is how far behind the watcher was at the end."""
    cpu, begun = cpu_s(pid), time.monotonic()
    with log.open("a", encoding="utf-8", newline="") as stream:
        written = 0
        while (passed := time.monotonic() - begun) < GROWTH_S:
            while written < GROWTH_MB_S * 1e6 * passed:
                written += stream.write(next(lines))
            stream.flush()
            time.sleep(0.1)
    ended = time.monotonic()
    size = log.stat().st_size
    while offset_of(pid, log.name) < size:
        time.sleep(0.02)
    return Measured(time.monotonic() - ended, cpu_s(pid) - cpu, peak_mb(pid))


def peer(command: list[str]) -> float:
    """Return the wall seconds of a program that reads the log."""
    started = time.monotonic()
    # Not to /dev/null, where grep would stop at the first match.
    subprocess.run(command, capture_output=True, check=False)
    return time.monotonic() - started


class Bot(http.server.BaseHTTPRequestHandler):
    """Accepts everything."""

    def do_POST(self) -> None:
        """Answer 202."""
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = b'{"status":"accepted"}'
        self.send_response(202)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""
        del format, args


def measure(kind: str, size: int, url: str, own: Path | None = None) -> tuple[list[str], bool]:
    """Return the rows of one kind of log, and whether the limits are kept."""
    rows, good = [], True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "train.log"
        if own:
            os.link(own, log)
        else:
            write(log, KINDS[kind](), size)
        real = log.stat().st_size / 1e6
        lines = peer(["wc", "-l", str(log)])
        found = peer(["grep", "-c", "iteration", str(log)])
        took, process = catch_up(log, folder, url)
        try:
            rows.append(
                f"| {kind} | {real:.0f} | {took.wall_s:.1f} | {took.cpu_s:.1f} |"
                f" {real / took.cpu_s:.0f} | {took.peak_mb:.0f} | {lines:.1f} | {found:.1f} |"
            )
            print(rows[-1], flush=True)
            good = took.peak_mb <= MOST_MB and (kind != "mixed" or took.wall_s <= MOST_S)
            if kind == "mixed" and not own:
                grown = grow(log, mixed(), process.pid)
                rows.append(
                    f"\nGrowing by {GROWTH_MB_S:.0f} MB/s for {GROWTH_S} s: {grown.cpu_s:.1f} s of"
                    f" CPU, {1000 * grown.wall_s:.0f} ms behind at the end, {grown.peak_mb:.0f} MB."
                )
                print(rows[-1], flush=True)
                good = good and grown.peak_mb <= MOST_MB
        finally:
            process.terminate()
            process.wait()
    return rows, good


def main() -> None:
    """Measure all kinds, print a table, fail when a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--single", type=int, default=200, help="Megabytes of the other logs.")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--log", type=Path, help="A log to follow instead of a written one.")
    parser.add_argument("--write", type=Path, help="Markdown page with the two marks.")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    rows = [
        "| log | MB | wall s | CPU s | MB per CPU s | peak MB | `wc -l` s | `grep -c` s |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("\n".join(rows))
    notes, all_good = [], True
    for kind in options.kinds.split(","):
        (row, *more), good = measure(
            kind,
            1_000_000 * (options.megabytes if kind == "mixed" else options.single),
            url,
            options.log,
        )
        rows.append(row)
        notes += more
        all_good = all_good and good
    server.shutdown()
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        text = "\n".join((*rows, *notes))
        options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    sys.exit(0 if all_good else 1)


if __name__ == "__main__":
    main()
