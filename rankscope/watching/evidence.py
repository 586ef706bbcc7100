"""What an event of a slow-down carries for its card: who says so, the numbers, the last steps."""

from rankscope.logs.progress import Happening, Kind
from rankscope.model.event import EventStep, Severity

_SLOW = frozenset({Kind.SLOW, Kind.SLOW_RECOVERED})


def labels_of(happening: Happening) -> dict[str, str]:
    """Return the labels that docs/webhooks.md names for a slow-down; none for other happenings."""
    window = happening.window
    if happening.kind not in _SLOW or window is None:
        return {}
    labels = {
        "rule": happening.rule,
        "tier": happening.tier,
        "iters": f"{window.first}-{window.last}",
        "mean_ms": f"{window.mean_ms:.2f}",
        "baseline_ms": f"{window.baseline_ms:.2f}",
        "ratio": f"{window.ratio:.2f}",
        "during": ",".join(window.marks),
        "unit": "" if happening.unit == "ms" else happening.unit,
    }
    return {name: value for name, value in labels.items() if value}


def steps_of(happening: Happening) -> tuple[EventStep, ...]:
    """Return the last step times, oldest first."""
    return tuple(
        EventStep(step=max(0, one.step), ms=round(one.ms, 2), marks=one.marks)
        for one in happening.steps
    )


def severity_of(happening: Happening, usual: Severity) -> Severity:
    """Return the severity: what is only suspected, or explained by the log, is for information."""
    window = happening.window
    if happening.kind is not Kind.SLOW or window is None:
        return usual
    suspected = happening.rule == "robust" and happening.tier != "severe"
    return "info" if suspected or window.marks else usual
