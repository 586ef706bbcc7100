"""What the bot and the person at the terminal are told about a happening."""

from collections.abc import Mapping
from datetime import datetime

from rankscope.logs.progress import Happening, Kind
from rankscope.logs.slow import Window, format_warning
from rankscope.model.event import Event, EventJob, EventLog, Severity
from rankscope.model.text import Text
from rankscope.redaction import redact
from rankscope.text import say
from rankscope.watching.evidence import labels_of, severity_of, steps_of

MESSAGE_LIMIT = 4000
SOURCE = "rankscope-watch"
LOG_LINE = "watch"

_SEVERITY: Mapping[Kind, Severity] = {
    Kind.HANG: "critical",
    Kind.SLOW: "warning",
    Kind.LOG_SILENT: "warning",
    Kind.FAILED: "critical",
}
# What only tells the state has no type of its own; these are the states.
_STATES: Mapping[Kind, str] = {
    Kind.RUNNING: "running",
    Kind.LOG_SILENT: "running",
    Kind.ENDED: "succeeded",
    Kind.STOPPED: "stopped",
}

_MESSAGES: Mapping[Kind, str] = {Kind.STOPPED: "watch-stopped-job"}


def describe(happening: Happening) -> Text:
    """Return one sentence for people."""
    window = happening.window
    numbers = _window_numbers(window) if window else {}
    suspected = happening.rule == "robust" and happening.kind is Kind.SLOW
    return say(
        "watch-slow-suspected" if suspected else _message_of(happening.kind),
        step=happening.step,
        silent=f"{happening.silent_s:.0f}",
        limit=f"{happening.limit_s:.0f}",
        **numbers,
    )


def _message_of(kind: Kind) -> str:
    return _MESSAGES.get(kind, f"watch-{kind.replace('_', '-')}")


def _window_numbers(window: Window) -> dict[str, object]:
    return {
        "first": window.first,
        "last": window.last,
        "mean": f"{window.mean_ms:.0f}",
        "baseline": f"{window.baseline_ms:.0f}",
        "percent": f"{100 * window.ratio:.0f}",
        "times": f"{1 + window.ratio:.2f}",
    }


def event_of(
    happening: Happening,
    job: EventJob,
    time: datetime,
    message: str,
    labels: Mapping[str, str] | None = None,
    logs: tuple[EventLog, ...] = (),
) -> Event:
    """Return the event the bot is told; its id is the same whenever the same log is read."""
    state = _STATES.get(happening.kind, "")
    return Event(
        id=happening.id_of(job.id),
        type="job.state" if state else f"job.{happening.kind}",
        state=state,
        job=job,
        source=SOURCE,
        severity=severity_of(happening, _SEVERITY.get(happening.kind, "info")),
        time=time,
        message=redact(message)[:MESSAGE_LIMIT],
        labels={"step": str(happening.step), **labels_of(happening), **(labels or {})},
        steps=steps_of(happening),
        logs=(*_line_of_window(happening, time), *logs),
    )


def _line_of_window(happening: Happening, time: datetime) -> tuple[EventLog, ...]:
    by_rule = happening.kind is Kind.SLOW and happening.rule != "robust"
    if not by_rule or happening.window is None:
        return ()
    return (EventLog(worker=LOG_LINE, text=format_warning(time, happening.window)),)
