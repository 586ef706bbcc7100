"""The support bundle: one zip with all that support asks for, redacted; what is missing is said.

bundle.md      facts of job and capture, report, stacks of suspect and control, NCCL, actions
report.json    the report as data
nccl.txt       what NCCL RAS answered, where it did
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from rankscope.analysis.report_text import report_text
from rankscope.cards.facts import captured_at
from rankscope.cards.ranks import control_of
from rankscope.chat.places import Wanted, find_place
from rankscope.chat.redaction import redact
from rankscope.chat.wording import at_time
from rankscope.model.capture import Capture
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.report import Report
from rankscope.model.state import Deed, Job
from rankscope.model.text import Language
from rankscope.text import say

SHOWN_SUSPECTS = 3
_DATE = (1980, 1, 1, 0, 0, 0)
"""Equal contents make equal files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a bundle is made of; capture is None when it cannot be read any more.

    diagnosis is what the job's logs tell, as far as events brought any.
    """

    job: Job
    report: Report
    capture: Capture | None
    diagnosis: Diagnosis
    deeds: Sequence[Deed]
    link: str
    language: Language


def bundle_name(evidence: Evidence) -> str:
    """Return the file's name."""
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in evidence.job.id)
    return f"rankscope-{kept[:60]}-{evidence.report.summary.print_id}.zip"


def make_bundle(evidence: Evidence) -> bytes:
    """Return the zip."""
    files = {
        "bundle.md": "\n".join(_markdown(evidence)) + "\n",
        "report.json": msgspec.json.format(msgspec.json.encode(evidence.report), indent=1).decode(),
        "nccl.txt": "\n".join(_nccl_answers(evidence)) + "\n",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), redact(text), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _markdown(evidence: Evidence) -> Iterator[str]:
    job_id = evidence.job.id
    yield f"# {_says(evidence, 'title', job=job_id)}"
    yield from _section(evidence, "job", _job_facts(evidence))
    yield from _section(evidence, "capture", _capture_facts(evidence))
    yield from _section(
        evidence, "report", _fenced(report_text(evidence.report, evidence.language))
    )
    yield from _section(evidence, "stacks", _stacks(evidence))
    yield from _section(evidence, "nccl", _nccl(evidence))
    yield from _section(evidence, "period", _missing_here(evidence))
    yield from _section(evidence, "deeds", _deeds(evidence))


def _says(evidence: Evidence, what: str, **parameters: object) -> str:
    return say(f"chat-bundle-{what}", **parameters).of(evidence.language)


def _section(evidence: Evidence, name: str, lines: Iterator[str]) -> Iterator[str]:
    yield from ("", f"## {_says(evidence, name)}", "")
    yield from lines


def _job_facts(evidence: Evidence) -> Iterator[str]:
    job = evidence.job
    size = job.world_size or evidence.report.summary.ranks_expected
    nodes = len(job.nodes) or (
        len(evidence.capture.header.requested_nodes) if evidence.capture else 0
    )
    facts = {
        "job-id": job.id,
        "state": job.state.value,
        "first-error": _first_error(evidence),
        "message": job.message,
        "tolerance-log": "",
        "spec": _says(evidence, "spec-text", ranks=size or "?", nodes=nodes or "?"),
        "image": job.image,
        "command": job.command,
        "output": job.output_path,
        "page": job.url,
    }
    for name, value in facts.items():
        shown = " ".join(value.split()) or _says(evidence, "missing")
        yield f"- {_says(evidence, f'fact-{name}')}: {shown}"


def _first_error(evidence: Evidence) -> str:
    """Return the first error of the job's logs with its place, or that none was found."""
    found = evidence.diagnosis
    if found.first is None:
        logs = ", ".join(found.logs)
        return _says(evidence, "no-error", logs=logs) if logs else _says(evidence, "no-log")
    error = found.first
    place = f"{error.file}:{error.line}" if error.file else _says(evidence, "in-event")
    rank = "" if error.rank is None else f", rank {error.rank}"
    how = "error" if found.certain else "unsure-error"
    return _says(evidence, how, text=error.text, place=f"{place}{rank}")


def _capture_facts(evidence: Evidence) -> Iterator[str]:
    summary = evidence.report.summary
    yield f"- Print ID: {summary.print_id}"
    yield f"- {_says(evidence, 'fact-captured')}: {captured_at(summary.print_id)}"
    yield f"- {_says(evidence, 'fact-ranks')}: {summary.ranks_seen}/{summary.ranks_expected or '?'}"
    yield f"- {_says(evidence, 'fact-report')}: {evidence.link or _says(evidence, 'missing')}"


def _fenced(text: str) -> Iterator[str]:
    """Return lines as a block of code that no line of theirs can end."""
    yield from ("~~~~~~text", text.rstrip().replace("~~~~~~", "~ ~ ~ "), "~~~~~~")


def _stacks(evidence: Evidence) -> Iterator[str]:
    suspects = [suspect.rank for suspect in evidence.report.suspects[:SHOWN_SUSPECTS]]
    control = control_of(evidence.report)
    wanted = [("suspect", rank) for rank in suspects]
    wanted += [("control", control.rank)] if control else []
    if evidence.capture is None or not wanted:
        yield _says(evidence, "missing")
        return
    for role, rank in wanted:
        yield from ("", f"### {_says(evidence, role, rank=rank)}", "")
        place = find_place(evidence.capture, Wanted(rank=rank))
        frames = place.frames if place else ()
        if place:
            yield f"{place.node} · {place.key}"
        yield from _fenced("\n".join(frames)) if frames else (_says(evidence, "missing"),)


def _nccl(evidence: Evidence) -> Iterator[str]:
    status = evidence.report.nccl
    if status is None:
        yield say("chat-nccl-not-asked").of(evidence.language)
        return
    yield f"- {status.outcome} · NCCL {status.nccl_version or '?'}"
    texts = (status.text, *status.seen, *status.not_meant, *status.next_steps)
    yield from (f"- {text.of(evidence.language)}" for text in texts)


def _nccl_answers(evidence: Evidence) -> Iterator[str]:
    answers = evidence.capture.nccl if evidence.capture else ()
    for answer in answers:
        yield f"== {answer.node} sample {answer.sample} {answer.asked_at or ''} {answer.outcome}"
        yield answer.raw or answer.detail
    if not answers:
        yield _says(evidence, "missing")


def _missing_here(evidence: Evidence) -> Iterator[str]:
    """Name what support asks for too and nobody here can read."""
    time = captured_at(evidence.report.summary.print_id)
    for name in ("logs", "tolerance", "metrics"):
        yield f"- {_says(evidence, f'add-{name}', time=time)}"


def _deeds(evidence: Evidence) -> Iterator[str]:
    for deed in evidence.deeds:
        yield f"- {at_time(deed.at)} {deed.who} {deed.what}: {deed.outcome}"
    if not evidence.deeds:
        yield _says(evidence, "missing")
