"""The capture behind `small_report`, as the lines an agent would have sent."""

import json

from tests.cards.builders import ALL_REDUCE, JOB_ID, PRINT_ID, READ_SHARD

NATIVE = {
    "name": "sem_wait",
    "filename": "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "module": "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "short_filename": "libc.so.6",
    "line": 0,
}
LOADER = (
    "get (/opt/conda/lib/python3.11/multiprocessing/queues.py:103)",
    "_worker_loop (/mnt/project/llama/loader.py:88)",
    "run (/opt/conda/lib/python3.11/multiprocessing/process.py:108)",
)
LOGGER = (
    "wait (/opt/conda/lib/python3.11/threading.py:331)",
    "run (/mnt/project/llama/metrics.py:40)",
)
STEP_ALONG = ("send_all (/mnt/project/llama/ring.py:61)", *ALL_REDUCE[1:])


def frame(text: str) -> dict[str, object]:
    """Read `name (file:line)` back into py-spy's form."""
    name, _, place = text.removesuffix(")").rpartition(" (")
    filename, _, line = place.rpartition(":")
    return {
        "name": name,
        "filename": filename,
        "module": None,
        "short_filename": filename.rpartition("/")[2],
        "line": int(line),
        "locals": None,
        "is_entry": False,
    }


def thread(pid: int, name: str, frames: tuple[str, ...], *, active: bool) -> dict[str, object]:
    """One of py-spy's threads."""
    return {
        "pid": pid,
        "thread_id": 140200437851456 + pid,
        "thread_name": name,
        "os_thread_id": pid,
        "active": active,
        "owns_gil": False,
        "frames": [frame(text) for text in frames],
        "process_info": None,
    }


def process(rank: int, role: str, threads: list[dict[str, object]]) -> dict[str, object]:
    """One process of a rank."""
    pid = 4200 + 10 * rank + (role != "trainer")
    return {
        "pid": pid,
        "ppid": 4100,
        "rank": rank,
        "local_rank": rank % 4,
        "role": role,
        "state": "S",
        "wchan": "pipe_read" if rank == 5 and role == "trainer" else "sk_wait_data",
        "cmdline": ["python", "train.py"],
        "env": {"RANK": str(rank), "LOCAL_RANK": str(rank % 4)},
        "python": "3.11.9",
        "mode": "nonblocking",
        "error": None,
        "pause_ms": 0.0,
        "tasks": [],
        "threads": threads,
    }


def rank_processes(rank: int, sample: int) -> list[dict[str, object]]:
    """The trainer of a rank with its logging thread, and one data loader."""
    pid = 4200 + 10 * rank
    waiting = STEP_ALONG if rank == 3 and sample else ALL_REDUCE
    main = thread(pid, "MainThread", READ_SHARD if rank == 5 else waiting, active=rank == 5)
    main["frames"] = [NATIVE, *main["frames"]] if rank == 6 else main["frames"]  # type: ignore[misc]
    log = thread(pid, "MetricsThread", LOGGER, active=False)
    loader = thread(pid + 1, "MainThread", LOADER, active=False)
    return [process(rank, "trainer", [main, log]), process(rank, "dataloader", [loader])]


def capture_lines(ranks: int = 8, *, silent: str = "") -> list[bytes]:
    """A capture of two samples and four ranks a node; the silent node did not answer."""
    nodes = [f"node-{number}" for number in range((ranks + 3) // 4)]
    header = {
        "schema": "rankscope.capture/1",
        "job_id": JOB_ID,
        "print_id": PRINT_ID,
        "started_at": "2026-06-08T03:49:05.107774Z",
        "trigger": "hang",
        "world_size": ranks,
        "samples": 2,
        "requested_nodes": nodes,
    }
    lines: list[dict[str, object]] = [header]
    for sample in (0, 1):
        for number, node in enumerate(nodes):
            answer: dict[str, object] = {
                "node": node,
                "sample": sample,
                "taken_at": f"2026-06-08T03:49:{5 + 5 * sample:02}.6Z",
                "agent": "0.1.0",
                "error": None,
                "processes": [
                    one
                    for rank in range(4 * number, min(ranks, 4 * number + 4))
                    for one in rank_processes(rank, sample)
                ],
            }
            if node == silent:
                answer |= {"error": "the agent did not answer within 10 s", "processes": []}
            lines.append(answer)
    nccl = {
        "node": "node-0",
        "sample": 0,
        "asked_at": "2026-06-08T03:49:05.7Z",
        "outcome": "refused",
        "nccl_version": "2.21.5",
        "format": None,
        "raw": "Connecting to 127.0.0.1:28028: Connection refused\n<script>alert(1)</script>\n",
        "detail": "nothing listens on the RAS port",
    }
    lines.append({"nccl": nccl})
    return [json.dumps(line).encode() for line in lines]
