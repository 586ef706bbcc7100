"""Measures the way from agents' answer lines to a finished report, at growing numbers of ranks.

Beside it stands the stack trie of `sysom-hang-analyzer` (PyPI), fed the same stacks in its own
input form, when the folder of its `cluster` package is given; it makes folded lines, no report.
Each measurement runs in a process of its own, so that its peak memory is its own.

Run from the project's root: python -m benchmarks.scale [--sysom FOLDER] [--write]
Fails when a limit of docs/scale.md is exceeded.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rankscope.analysis import analyse
from rankscope.analysis.columns import with_rows
from rankscope.analysis.rules import default_rules
from rankscope.capture_file import parse_capture
from rankscope.text import load_catalogue
from tests.suite.lines import Dress, Form, Job, lines
from tests.suite.places import BOOT, FIFO, Beside, asleep, call
from tests.suite.programs import Program
from tests.suite.topology import Topology
from tests.suite.words import words
from tests.suite.world import World

DOCUMENT = Path(__file__).parent.parent / "docs" / "scale.md"
MARK = "<!-- written by benchmarks/scale.py from here on -->"
LIMITS = {1_024: 0.5, 4_096: 1.5, 16_384: 6.0, 131_072: 15.0}
"""Seconds; docs/scale.md says where they come from."""
MOST_GB = 2.0
FORMS: tuple[Form, ...] = ("plain", "interned", "columns")
"""Of a capture file; workers ask agents for the last one (docs/agent-api.md)."""
RUNS = 1
"""More of them on a shared machine."""
VARIETY = 300
"""About so many distinct stacks, whatever the number of ranks."""
THREADS = """\
Condition.wait %/threading.py:331; Queue.get %/queue.py:180; _AsyncWriterThread._run \
$/tensorboard/summary/writer/event_file_writer.py:273
select %/selectors.py:468; BaseEventLoop._run_once %/asyncio/base_events.py:1898; \
BaseEventLoop.run_forever %/asyncio/base_events.py:604; run $/wandb/sdk/lib/service.py:77
Condition.wait %/threading.py:327; Queue._feed %/multiprocessing/queues.py:231
Condition.wait %/threading.py:331; Event.wait %/threading.py:629; Timer.run %/threading.py:1376
Connection._recv %/multiprocessing/connection.py:395; Connection.recv_bytes \
%/multiprocessing/connection.py:216; SubprocPool._read_thread \
$/torch/_inductor/compile_worker/subproc_pool.py:190
""".splitlines()
"""Threads of libraries beside the main one, as in most training processes."""


@dataclass(frozen=True)
class Figure:
    """What one measurement found."""

    seconds: float
    gb: float
    found: str


def compose(ranks: int, path: Path, form: Form, samples: int) -> None:
    """Write the lines of a job (tp 8, pp 8) in which one rank opens a file that never comes."""
    random = Random(7)
    program = Program("megatron", words(random))
    world = World(random, program, Topology(tp=8, dp=ranks // 64, pp=8))
    culprit = ranks // 3
    where = world.behind((culprit,), "data") | {culprit: asleep(program.read(), FIFO)}
    usual = tuple(Beside(f"service-{n}", (*call(text), *BOOT)) for n, text in enumerate(THREADS))
    varied = [
        Beside("pool", (*program.own(f"Pool.serve ~/pool.py:{n}"), *BOOT), wchan="ep_poll")
        for n in range(VARIETY)
    ]
    sample = {
        rank: where[rank].with_threads(*usual, varied[rank % VARIETY]) for rank in sorted(where)
    }
    dress = Dress(form=form, shuffled=False)
    path.write_bytes(b"\n".join(lines(Job((sample,) * samples), dress, random)))


def measure(path: Path) -> Figure:
    """Measure in this process, from the lines to the report."""
    # A worker process has read its texts and rules before the first capture (workers/slot.py).
    load_catalogue()
    default_rules()
    started = time.process_time()
    with path.open("rb", buffering=1 << 20) as answers:
        capture = parse_capture(answers)
    report = analyse(capture)
    seconds = time.process_time() - started
    named = [suspect.rank for suspect in report.suspects]
    return Figure(seconds, _peak(), f"{len(report.groups)} groups, named {named}")


def measure_sysom(path: Path, folder: Path) -> Figure:
    """Measure the trie of `sysom-hang-analyzer` on the stacks of the same lines."""
    spec = importlib.util.spec_from_file_location("stack_processor", folder / "stack_processor.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no stack_processor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with tempfile.TemporaryDirectory() as scratch:
        files = list(_stack_files(path, Path(scratch)))
        started = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            module.process_combined_stacks(files, scratch)
        seconds = time.process_time() - started
        found = len((Path(scratch) / "combined_stack").read_text(encoding="utf-8").splitlines())
    return Figure(seconds, _peak(), f"{found} folded lines")


def _stack_files(path: Path, folder: Path) -> Iterator[Path]:
    """Write what its node agents would: one JSON file per rank and sample with the stacks."""
    header, *nodes = map(json.loads, path.read_bytes().splitlines())
    for node in nodes:
        for process in (with_rows(process, node) for process in node["processes"]):
            for thread in process["threads"]:
                if "stack" in thread:
                    thread["frames"] = node["stacks"][thread["stack"]]
            content = {
                "rank": process["rank"], "world_size": header["world_size"],
                "process_state": process["state"], "stack_data": process["threads"],
            }  # fmt: skip
            file = folder / f"rank-{process['rank']}-{node['sample']}.stackdata"
            file.write_text(json.dumps(content), encoding="utf-8")
            yield file


def _peak() -> float:
    """Return the peak of this process; getrusage() would give that of its parent's fork."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e6


def _apart(*arguments: str) -> Figure:
    command = [sys.executable, "-m", "benchmarks.scale", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Figure(**json.loads(done.stdout))


def _best(*arguments: str) -> Figure:
    """Return the best of the runs, since other programs share the machine."""
    return min((_apart(*arguments) for _ in range(RUNS)), key=lambda figure: figure.seconds)


def rows(sizes: list[int], sysom: Path | None, samples: int) -> Iterator[tuple[str, bool]]:
    """Yield a table row per size and form, and whether its limit was kept."""
    for ranks in sizes:
        for form in FORMS if ranks < 100_000 else FORMS[-1:]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "capture.jsonl"
                compose(ranks, path, form, samples)
                ours = _best("--measure", str(path))
                trie = sysom and ranks <= 16_384 and _best("--trie", str(path), str(sysom))
                size = path.stat().st_size / 1e6
            beside = (
                f"{trie.seconds:.2f} s | {trie.seconds / ours.seconds:.1f} ×" if trie else "– | –"
            )
            kept = ours.seconds <= LIMITS.get(ranks, 1e9) and ours.gb <= MOST_GB
            yield (
                (
                    f"| {ranks:,} | {form} | {size:.0f} MB | {ours.seconds:.2f} s | "
                    f"{1e6 * ours.seconds / ranks:.0f} µs | {ours.gb:.2f} GB | {beside} |"
                ),
                kept,
            )


HEAD = """\
| ranks | form | lines | to the report | per rank | peak memory | SysOM's trie | ratio |
|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Measure, print, and write the document when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=list(LIMITS))
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--sysom", type=Path, help="the folder of its cluster package")
    parser.add_argument("--write", action="store_true", help="put the table into docs/scale.md")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--trie", type=Path, nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure or chosen.trie:
        figure = measure(chosen.measure) if chosen.measure else measure_sysom(*chosen.trie)
        print(json.dumps(vars(figure)))
        return
    print(HEAD)
    table, failed = [HEAD], []
    for row, kept in rows(chosen.ranks, chosen.sysom, chosen.samples):
        print(row, flush=True)
        table.append(row)
        failed += [] if kept else [row]
    if chosen.write:
        head = DOCUMENT.read_text(encoding="utf-8").partition(MARK)[0]
        DOCUMENT.write_text(f"{head}{MARK}\n\n" + "\n".join(table) + "\n", encoding="utf-8")
    if failed:
        sys.exit("a limit was exceeded")


if __name__ == "__main__":
    main()
