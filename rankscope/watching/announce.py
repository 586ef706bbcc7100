"""What the bot and the person at the terminal are told about a happening."""

from collections.abc import Mapping
from datetime import datetime

from rankscope.logs.progress import Happening, Kind
from rankscope.logs.slow import Window, format_warning
from rankscope.model.event import Event, EventJob, EventLog, Severity
from rankscope.model.text import Text
from rankscope.text import say
from rankscope.watching.evidence import labels_of, severity_of, steps_of

SOURCE = "rankscope-watch"
LOG_LINE = "watch"

_SEVERITY: Mapping[Kind, Severity] = {Kind.HANG: "critical", Kind.SLOW: "warning"}


def describe(happening: Happening) -> Text:
    """Return one sentence for people."""
    window = happening.window
    numbers = _window_numbers(window) if window else {}
    suspected = happening.rule == "robust" and happening.kind is Kind.SLOW
    return say(
        "watch-slow-suspected" if suspected else f"watch-{happening.kind.replace('_', '-')}",
        step=happening.step,
        silent=f"{happening.silent_s:.0f}",
        limit=f"{happening.limit_s:.0f}",
        **numbers,
    )


def _window_numbers(window: Window) -> dict[str, object]:
    return {
        "first": window.first,
        "last": window.last,
        "mean": f"{window.mean_ms:.0f}",
        "baseline": f"{window.baseline_ms:.0f}",
        "percent": f"{100 * window.ratio:.0f}",
        "times": f"{1 + window.ratio:.2f}",
    }


def event_of(happening: Happening, job: EventJob, time: datetime, message: str) -> Event:
    """Return the event the bot is told; its id is the same whenever the same log is read."""
    running = happening.kind is Kind.RUNNING
    return Event(
        id=happening.id_of(job.id),
        type="job.state" if running else f"job.{happening.kind}",
        state="running" if running else "",
        job=job,
        source=SOURCE,
        severity=severity_of(happening, _SEVERITY.get(happening.kind, "info")),
        time=time,
        message=message,
        labels={"step": str(happening.step), **labels_of(happening)},
        steps=steps_of(happening),
        logs=_logs(happening, time),
    )


def _logs(happening: Happening, time: datetime) -> tuple[EventLog, ...]:
    by_rule = happening.kind is Kind.SLOW and happening.rule != "robust"
    if not by_rule or happening.window is None:
        return ()
    return (EventLog(worker=LOG_LINE, text=format_warning(time, happening.window)),)
