"""The JSON that `rankscope ras --json` prints (docs/nccl.md)."""

from rankscope.model.text import Text
from rankscope.nccl.model import Communicator, CountGroup, JobSummary, RasAnswer, RasProcess
from rankscope.nccl.naming import spans
from rankscope.nccl.places import Places, join
from rankscope.nccl.verdict import RasVerdict


def as_json(
    answer: RasAnswer, verdict: RasVerdict, earlier: RasAnswer | None = None
) -> dict[str, object]:
    """Return an answer and its verdict as plain values; two answers have `progress`."""
    places = join(answer)
    shown: dict[str, object] = {
        "outcome": answer.outcome.value,
        "reason": answer.reason.value,
        "nccl_version": answer.nccl_version,
        "format": answer.format,
        "reliable": answer.reliable,
        "problems": [_text(problem) for problem in answer.problems],
        "job": _job(answer.job) if answer.job else {},
        "communicators": [_communicator(comm, places) for comm in answer.communicators],
        "missing_processes": answer.missing_processes,
        "dead_processes": answer.dead_processes,
        "verdict": _verdict(verdict),
        "text": _text(verdict.text),
        "unknown_lines": list(answer.unknown_lines),
    }
    if earlier is not None:
        shown["progress"] = verdict.progress
        shown["compared"] = _compared(verdict)
        shown["earlier"] = {
            "outcome": earlier.outcome.value,
            "nccl_version": earlier.nccl_version,
            "reliable": earlier.reliable,
            "problems": [_text(problem) for problem in earlier.problems],
        }
    return shown


def _text(text: Text) -> dict[str, str]:
    return {"zh": text.zh, "en": text.en}


def _job(job: JobSummary) -> dict[str, object]:
    return {
        "nodes": job.nodes,
        "processes": job.processes,
        "gpus": job.gpus,
        "processes_per_node": job.processes_per_node,
        "gpus_per_process": job.gpus_per_process,
        "derived": job.derived,
        "cuda_compiled": job.cuda_compiled,
        "cuda_runtime": job.cuda_runtime,
        "cuda_driver": job.cuda_driver,
        "collection_seconds": job.collection_seconds,
        "timeouts": job.timeouts,
    }


def _communicator(comm: Communicator, places: Places) -> dict[str, object]:
    return {
        "hash": comm.hash or None,
        "alike": comm.alike,
        "size": comm.size,
        "status": comm.status,
        "errors": list(comm.errors),
        "ranks_answered": comm.ranks_answered,
        "missing": [
            {"rank": lost.rank, "dead": lost.dead, **_process(lost.process)}
            for lost in comm.missing
        ],
        "missing_count": comm.missing_count,
        "not_members": spans(comm.not_members),
        "not_member_count": comm.not_member_count,
        "states": [
            {"state": s.state, "number": s.number, "ranks": _spans(s.ranks)} for s in comm.states
        ],
        "failures": [
            {"stage": f.stage, "error": f.error, "number": f.number, "ranks": list(f.ranks)}
            for f in comm.failures
        ],
        "behind": list(comm.behind),
        "behind_count": comm.behind_count,
        "behind_processes": [
            {"rank": rank, "global_rank": place.rank, **_process(place.process)}
            for rank in comm.behind
            if (place := places.of(comm, rank)).process
        ],
        "ahead": list(comm.ahead),
        "diverged": comm.diverged,
        "counts": {
            tally.kind: {
                "min": tally.minimum,
                "max": tally.maximum,
                "groups": [_count(group) for group in tally.groups],
            }
            for tally in comm.tallies
        },
    }


def _count(group: CountGroup) -> dict[str, object]:
    return {"count": group.value, "number": group.number, "ranks": _spans(group.ranks)}


def _spans(ranks: tuple[int, ...] | None) -> str | None:
    return None if ranks is None else spans(ranks)


def _process(process: RasProcess | None) -> dict[str, object]:
    if process is None:
        return {}
    return {"host": process.host, "pid": process.pid, "gpu": process.gpu}


def _verdict(verdict: RasVerdict) -> dict[str, object]:
    return {
        "kind": verdict.kind.value,
        "line": _text(verdict.line),
        "seen": [_text(text) for text in verdict.seen],
        "not_meant": [_text(text) for text in verdict.not_meant],
        "next_steps": [_text(text) for text in verdict.next_steps],
        "culprits": [
            {
                "process": _process(culprit.process) or None,
                "ranks": [{"hash": comm.hash, "rank": rank} for comm, rank in culprit.ranks],
            }
            for culprit in verdict.culprits.found
        ],
        "waiting_in_a_circle": verdict.culprits.circle,
    }


def _compared(verdict: RasVerdict) -> dict[str, object]:
    comparison = verdict.comparison
    if comparison is None:
        return {"comparable": False, "seconds": None, "communicators": []}
    return {
        "comparable": comparison.comparable,
        "seconds": comparison.seconds,
        "communicators": [
            {
                "hash": one.now.hash,
                "progress": one.progress,
                "still": list(one.still),
                "still_initialising": list(one.still_initialising),
            }
            for one in comparison.comms
        ],
    }
