"""What a card says before it is opened: title, colour and tags."""

from dataclasses import dataclass, replace
from typing import Literal

from rankscope.cards.diagnosis import LAYERS
from rankscope.cards.view import IncidentView
from rankscope.model.capture import Trigger
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.report import Report
from rankscope.model.state import IncidentState, JobState
from rankscope.model.text import Text
from rankscope.text import say

Colour = Literal["blue", "carmine", "green", "grey", "orange", "red", "turquoise", "yellow"]
TagColour = Literal["blue", "green", "neutral", "orange", "red"]

NAMED_IN_TITLE = 3


@dataclass(frozen=True, slots=True)
class Tag:
    """One coloured word beside the title."""

    text: Text
    colour: TagColour


@dataclass(frozen=True, slots=True)
class Headline:
    """A card's header; at most three tags, as Feishu allows."""

    title: Text
    colour: Colour
    tags: tuple[Tag, ...]


def headline(view: IncidentView) -> Headline:
    """Return the header of an incident's card."""
    return _attended(view, _untouched(view))


def _attended(view: IncidentView, head: Headline) -> Headline:
    """Return the header of a card that somebody has silenced or takes care of."""
    state = view.incident.state
    care = "silenced" if view.silence else "acked" if view.incident.acked_by else ""
    if state.is_final or not care:
        return head
    prefix = say(f"card-title-{care}")
    title = Text(prefix.zh + head.title.zh, prefix.en + head.title.en)
    calm: Colour = "grey" if care == "silenced" else "yellow"
    return replace(head, title=title, colour=head.colour if state in _BUSY else calm)


def _untouched(view: IncidentView) -> Headline:
    state = view.incident.state
    if _is_news(view):
        return _news(view)
    if state is IncidentState.REPORTED:
        return _reported(view)
    title = say(f"card-title-{state.value}", what=_degree(view), end=_job_state(view).value)
    return Headline(title, _COLOURS[state], (_kind_tag(view),))


def _is_news(view: IncidentView) -> bool:
    """Whether a state event is what the card is about, and not a capture or an alert."""
    incident = view.incident
    if not incident.event:
        return False
    return incident.state is IncidentState.ENDED or (
        incident.kind is Trigger.FAILED and incident.state is IncidentState.OPEN
    )


def _news(view: IncidentView) -> Headline:
    """Return the header of a state event: what happened, and whose the first error is."""
    found, word = view.incident.diagnosis, view.incident.event.partition(".")[2]
    name = "unhealthy" if view.incident.event == "node.unhealthy" else word
    name = name if name in _NEWS else "other"
    if found is not None and found.hidden:
        head = Headline(say("card-title-hidden"), "carmine", ())
    else:
        head = Headline(say(f"card-title-news-{name.replace('_', '-')}"), _NEWS[name], ())
    return replace(head, tags=_news_tags(view, found))


def _news_tags(view: IncidentView, found: Diagnosis | None) -> tuple[Tag, ...]:
    kind = _kind(view)
    tag = _kind_tag(view) if kind != "manual" else Tag(say("card-kind-state"), "neutral")
    layer = found.first.layer if found and found.first and found.certain else ""
    if layer not in LAYERS:
        return (tag,)
    return tag, Tag(say(f"errors-layer-{layer}"), "orange")


_NEWS: dict[str, Colour] = {
    "failed": "red",
    "worker_failed": "red",
    "timeout": "orange",
    "preempted": "yellow",
    "stalled_restarts": "orange",
    "env_check_failed": "orange",
    "unhealthy": "orange",
    "succeeded": "green",
    "stopped": "grey",
    "cancelled": "grey",
    "other": "grey",
}
_BUSY = frozenset({IncidentState.CAPTURING})
_COLOURS: dict[IncidentState, Colour] = {
    IncidentState.OPEN: "orange",
    IncidentState.CAPTURING: "blue",
    IncidentState.FAILED: "carmine",
    IncidentState.RESUMED: "green",
    IncidentState.ENDED: "grey",
    IncidentState.CLOSED: "grey",
}


def _kind(view: IncidentView) -> str:
    kind = view.incident.kind
    return kind.value if kind in {Trigger.HANG, Trigger.SLOW} else "manual"


def _degree(view: IncidentView) -> str:
    """Return the kind; what only the robust rule found is no more than suspected."""
    kind, slow = _kind(view), view.incident.slow
    return "suspected" if kind == "slow" and slow and slow.tier == "robust" else kind


def _job_state(view: IncidentView) -> JobState:
    return view.job.state if view.job else JobState.UNKNOWN


def _kind_tag(view: IncidentView) -> Tag:
    kind = _kind(view)
    colours: dict[str, TagColour] = {"hang": "red", "slow": "orange"}
    return Tag(say(f"card-kind-{kind}"), colours.get(kind, "blue"))


def _reported(view: IncidentView) -> Headline:
    report, kind = view.report, _kind_tag(view)
    if report is None:
        return Headline(say("card-title-no-report"), "grey", (kind,))
    tags = (kind, *_verdict_tags(report))
    what = _what(view, report)
    if not report.suspects:
        return Headline(say("card-title-nobody", what=what), "grey", tags)
    title = say("card-title-suspects", what=what, ranks=_ranks(report))
    return Headline(title, _alarm(what, report), tags)


def _what(view: IncidentView, report: Report) -> str:
    """Return what happened: a job that was said to hang may move; a slow one always does."""
    kind = _kind(view)
    return "moving" if report.verdict.progress == "moving" and kind != "slow" else kind


def _alarm(what: str, report: Report) -> Colour:
    """Red for what stands still, orange for what is slow or still moves."""
    hung = what == "hang" or (what == "manual" and report.verdict.progress == "frozen")
    return "red" if hung else "orange"


def _ranks(report: Report) -> str:
    named = ", ".join(str(suspect.rank) for suspect in report.suspects[:NAMED_IN_TITLE])
    return f"{named} …" if len(report.suspects) > NAMED_IN_TITLE else named


def _verdict_tags(report: Report) -> tuple[Tag, ...]:
    progress = report.verdict.progress
    colours: dict[str, TagColour] = {"frozen": "red", "moving": "green"}
    moved = Tag(say(f"card-progress-{progress}"), colours.get(progress, "neutral"))
    if not report.suspects:
        return (moved,)
    return (moved, Tag(say(f"card-confidence-{report.verdict.confidence}"), "neutral"))
