"""The verdict in one sentence."""

from rankscope.analysis.findings import Findings
from rankscope.analysis.inner import inner_of, inner_text
from rankscope.analysis.parallel import group_text
from rankscope.analysis.scene import Scene
from rankscope.analysis.words import doing, ranks_text, somewhere, tell
from rankscope.model.report import Verdict
from rankscope.model.text import Text

_OWN = frozenset(
    {
        *(
            "working",
            "stopped",
            "dead",
            "missing",
            "silent_node",
            "no_dump",
            "gil",
            "mismatch",
            "absent",
        ),
        *("ras_behind", "ras_lost"),
    }
)
_SHARED = {"vanished": "dead", "odd_collective": "mismatch"}


def verdict_of(findings: Findings, scene: Scene) -> Verdict:
    """Return the verdict; its text names the same ranks as the suspects."""
    text = _named(findings, scene) if findings.accused else _nobody(findings)
    return Verdict(findings.pattern, findings.confidence, findings.progress, text)


def _named(findings: Findings, scene: Scene) -> Text:
    first = findings.accused[0]
    cause = _SHARED.get(first.cause, first.cause)
    facts: dict[str, object] = {
        "ranks": group_text(frozenset(a.rank for a in findings.accused), scene),
        "count": len(findings.waiting),
        "seen": len(scene.views),
        "doing": somewhere(first.view.last) if first.view else "",
    }
    inner = inner_of(first.view, scene.reader) if first.cause in {"waited_for", "working"} else None
    if inner:
        return tell("analysis-verdict-inner", inner=inner_text(inner), **facts)
    if cause in _OWN:
        return tell(f"analysis-verdict-{cause}", **facts)
    return tell("analysis-verdict-waited", **facts)


def _nobody(findings: Findings) -> Text:
    pattern = findings.pattern
    if pattern not in {"working", "aside"} or not findings.working:
        return tell(f"analysis-nobody-{'moving' if pattern == 'working' else pattern}")
    ranks = ranks_text(view.rank for view in findings.working)
    return tell(f"analysis-nobody-{pattern}", ranks=ranks, doing=doing(findings.working[0].last))
