"""Prints a composed job as NCCL's JSON."""

import json

from tests.nccl.answers import KINDS, Comm, Job, Member, numbers


def as_json(job: Job) -> str:
    """Print a job as JSON, without the comma that 2.28.7 and 2.28.9 forget."""
    comms = sorted(job.comms, key=lambda comm: comm.hash)
    shown = {
        "nccl_version": job.version,
        "cuda_runtime_version": 12090,
        "cuda_driver_version": 12080,
        "timestamp": job.at,
        "communicators_count": len(comms),
        "communicators": [_json_comm(comm) for comm in comms],
        "ras": {"collection_time_sec": 0.001, "timeouts_count": job.timeouts},
    }
    text = json.dumps(shown, indent=2) + "\n"
    if numbers(job.version) < (2, 29):
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if '"nvml_dev"' in line and '"unresponsive"' in lines[number + 2]:
                lines[number] = line.rstrip(",")
        text = "\n".join(lines)
    return text


def _json_comm(comm: Comm) -> dict[str, object]:
    absent = [m for m in comm.members if m.absent]
    return {
        "hash": f"0x{comm.hash:x}",
        "secondary_hash": f"0x{comm.hash * 3:x}:0x{comm.hash * 5:x}",
        "size": len(comm.members),
        "ranks_count": len(comm.answered),
        "missing_ranks_count": len(absent),
        "ranks": [
            {
                **_json_place(m),
                "status": {
                    "init_state": m.init,
                    "async_error": m.asynchronous,
                    "finalize_called": m.finalize,
                    "destroy_flag": False,
                    "abort_flag": m.abort,
                },
                "collective_counts": {kind: m.count(kind) for kind in KINDS},
            }
            for m in comm.answered
        ],
        "missing_ranks": [
            {
                **_json_place(m),
                "status": {
                    "unresponsive": m.absent != "outside",
                    "considered_dead": m.absent == "dead",
                },
            }
            for m in absent
        ],
    }


def _json_place(m: Member) -> dict[str, object]:
    return {
        "rank": m.rank,
        "host": m.host,
        "pid": m.pid,
        "cuda_dev": m.gpu,
        "nvml_dev": m.gpu,
    }
