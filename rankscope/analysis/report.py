"""A capture becomes a report."""

from datetime import UTC, datetime

from rankscope.analysis.advice import cautions, next_steps
from rankscope.analysis.collecting import no_cycles
from rankscope.analysis.diagnose import diagnose
from rankscope.analysis.findings import Accusation, Findings
from rankscope.analysis.functions import function_statistics
from rankscope.analysis.inner import guilty_thread
from rankscope.analysis.missing import missing_ranks
from rankscope.analysis.nccl_status import read_nccl
from rankscope.analysis.ras_evidence import weigh_ras
from rankscope.analysis.reasons import gil_thread, reasons_for
from rankscope.analysis.rules import RuleBook, default_rules
from rankscope.analysis.scene import Scene, scene_of
from rankscope.analysis.side_by_side import side_by_side
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.tree import groups_of
from rankscope.analysis.verdicts import verdict_of
from rankscope.analysis.words import site_of
from rankscope.model.capture import Capture
from rankscope.model.report import Report, Summary, Suspect


@no_cycles()
def analyse(capture: Capture, at: datetime | None = None, rules: RuleBook | None = None) -> Report:
    """Return the report of a capture; at is the time of the analysis, now by default."""
    reader = StackReader(rules or default_rules())
    scene = scene_of(capture, reader)
    nccl = read_nccl(capture)
    findings = weigh_ras(diagnose(scene), scene, nccl.blamed)
    missing = missing_ranks(scene)
    return Report(
        summary=_summary(scene, at or datetime.now(UTC)),
        verdict=verdict_of(findings, scene),
        suspects=tuple(_suspect(a, findings, scene, reader) for a in findings.accused),
        groups=groups_of(scene.views),
        functions=function_statistics(scene),
        missing=missing,
        cautions=cautions(findings, scene, missing),
        next_steps=next_steps(findings, scene),
        nccl=nccl.status,
        side_by_side=side_by_side(findings, scene),
    )


def _summary(scene: Scene, at: datetime) -> Summary:
    header = scene.capture.header
    return Summary(
        job_id=header.job_id,
        analysis_time=at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S (UTC)"),
        print_id=header.print_id,
        ranks_expected=header.world_size,
        ranks_seen=len(scene.views) + len(scene.helper_only),
    )


def _suspect(
    accusation: Accusation, findings: Findings, scene: Scene, reader: StackReader
) -> Suspect:
    view = accusation.view
    thread = gil_thread(accusation) or (guilty_thread(view) if view else None)
    return Suspect(
        rank=accusation.rank,
        node=accusation.node,
        score=accusation.score,
        reasons=reasons_for(accusation, findings, scene, reader),
        where=site_of(view.stack) if view else "",
        thread=thread.name if thread else "",
    )
