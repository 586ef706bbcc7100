"""State events that people should see although nothing is captured: a card with the first error.

One card for a job's run and state. Where the job has an incident already, the event joins it; the
end of the job ends it. A log that comes after its event is read all the same, on the same card.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from rankscope.chat.wording import plain
from rankscope.incidents.announce import announce
from rankscope.incidents.job_events import ENDED, Applied
from rankscope.incidents.launch import launch_notes
from rankscope.incidents.logs import logs_of
from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.incidents.records import change_incident, close_incident, open_incident
from rankscope.incidents.requests import Ask, join_incident, new_incident, weight
from rankscope.incidents.routes import is_muted, routed
from rankscope.incidents.silence import note_muted, silence_of
from rankscope.incidents.subscriptions import tell_over
from rankscope.logs.diagnosis import Piece, diagnose
from rankscope.logs.triage import JobFacts
from rankscope.model.capture import Trigger
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.event import Event
from rankscope.model.state import Incident, IncidentState, Job, JobNews, JobState
from rankscope.model.text import Text
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import say

CARDS = {
    "job.failed": "failed",
    "job.succeeded": "succeeded",
    "job.stopped": "stopped",
    "job.cancelled": "stopped",
    "job.timeout": "timeout",
    "job.worker_failed": "worker_failed",
    "job.preempted": "preempted",
    "job.stalled_restarts": "stalled_restarts",
    "job.env_check_failed": "env_check_failed",
    "node.unhealthy": "node_unhealthy",
}
"""Types of events, and what RANKSCOPE_STATE_CARDS calls them."""
_log = structlog.get_logger()

QUIET = frozenset({"succeeded", "stopped"})
"""Ends that mean nothing by themselves; a stage would only be noise on the card that they end."""


@dataclass(frozen=True, slots=True)
class News:
    """A state event, as far as its card needs it; key tells repeats from new ones."""

    type: str
    message: str = ""
    detail: str = ""
    key: str = ""

    @property
    def name(self) -> str:
        """What the settings and the catalogue call it."""
        return CARDS[self.type]


def news_of(event: Event, applied: Applied, key: str) -> News | None:
    """Return the news in an event, or None; `job.state` may tell of an end as well."""
    kind = event.type
    if kind not in CARDS and applied.job.state in ENDED and applied.ended:
        kind = f"job.{applied.job.state.value}"
    if kind not in CARDS:
        return None
    detail = event.labels.get("reason", "") or event.labels.get("phase", "")
    return News(kind, event.message, detail, key)


def tell_end(state: State, job: Job, news: News, settings: Settings) -> None:
    """End the job's incident with what its logs say, or show the end on a card of its own.

    The caller holds the job's lock. May be repeated, as when a log has come.
    """
    diagnosis, told = diagnosis_of(state, job, news), _remember(state, job, news)
    current, known = open_incident(state, job.id), _shown(state, told, news)
    text = say(f"incident-ended-{job.state.value}")
    if current is not None:
        joins = bool(weight(current.kind))
        if joins:  # Noted first, so that a repetition finds it when it is closed already.
            _note_shown(state, told, news, current.id)
        _end(state, current, _ending(news, diagnosis, joins=joins), text, settings)
        if joins:
            return
    if known is not None:
        _renew(state, known, diagnosis)
    elif _is_wanted(news, diagnosis, settings):
        ask = _ask(job, news, diagnosis, f"news-{job.id}-{job.run}-{news.type}", settings)
        ask = routed(state, ask, settings)
        if is_muted(state, ask):
            return
        incident = new_incident(ask, state.new_print_id(ask.request_id), IncidentState.ENDED)
        state.create(incident)
        _note_shown(state, told, news, incident.id)
        show_card(state, incident)
        if news.name not in QUIET or diagnosis.hidden:
            announce(state, incident, ask, settings)


def tell_trouble(state: State, job: Job, news: News, settings: Settings) -> None:
    """Show news of a job that goes on, on its open incident's card or a new one.

    The caller holds the job's lock. News of a silenced job are noted on its open card only.
    """
    diagnosis, told = diagnosis_of(state, job, news), _remember(state, job, news)
    current, silence = open_incident(state, job.id), silence_of(state, job.id)
    if silence is not None:
        note_muted(state, silence)
        if current is not None:
            _renew(state, current, diagnosis)
        return
    if news.name not in settings.state_cards:
        return
    again = f"-{news.key}" if current is None and _shown(state, told, news) else ""
    request = f"news-{job.id}-{job.run}-{news.type}{again}"
    ask = routed(state, _ask(job, news, diagnosis, request, settings), settings)
    if is_muted(state, ask):
        return
    incident = join_incident(state, ask, state.new_print_id(request), IncidentState.OPEN)
    _note_shown(state, told, news, incident.id)
    if current is not None and current.id == incident.id and current.event != news.type:
        said = _with_error(say(f"incident-news-{news.name.replace('_', '-')}"), diagnosis)
        reply_in_thread(state, incident, f"news-{news.name}", said, settings.language)
    announce(state, incident, ask, settings)


def read_again(state: State, job: Job, settings: Settings) -> None:
    """Bring the card of the job's newest state up to date after a log has come."""
    told = state.find(JobNews, job.id)
    if told is None or told.run != job.run or told.last not in CARDS:
        return
    news = News(told.last, told.message, told.detail)
    if job.state in ENDED:
        tell_end(state, job, news, settings)
        return
    known = _shown(state, told, news)
    if known is not None and not known.state.is_final:
        _renew(state, known, diagnosis_of(state, job, news))


def diagnosis_of(state: State, job: Job, news: News) -> Diagnosis:
    """Return what the event means, by the logs that are kept of the job's run.

    What its last capture showed of its start comes first: it contradicts itself.
    """
    found = _diagnosed(facts_for(job, news), logs_of(state, job.id, job.run))
    known = launch_notes(state, job)
    return replace(found, findings=(*known, *(one for one in found.findings if one not in known)))


def diagnosis_now(state: State, job: Job, processes: Sequence[Mapping[str, str]] = ()) -> Diagnosis:
    """Return what the kept logs of a job say, also those of its run before; for /errors.

    processes are the environments of its trainers, as far as a capture has them.
    """
    told = state.find(JobNews, job.id)
    current = told if told and told.run == job.run else None
    facts = facts_for(job)
    if current is not None:
        facts = replace(facts, event=current.last, message=current.message, detail=current.detail)
    return _diagnosed(facts, logs_of(state, job.id), processes)


def _diagnosed(
    facts: JobFacts, pieces: Sequence[Piece], processes: Sequence[Mapping[str, str]] = ()
) -> Diagnosis:
    """Return the diagnosis, or what is known without the logs where they cannot be read.

    An alert must not be lost because of what somebody's program wrote.
    """
    try:
        return diagnose(facts, pieces, processes)
    except Exception:  # noqa: BLE001 - whatever goes wrong, the alert goes on
        _log.exception("logs not understood")
        return diagnose(replace(facts, message="", detail=""), ())


def facts_for(job: Job, news: News | None = None) -> JobFacts:
    """Return what is known of a job beside its logs."""
    return JobFacts(
        state="" if job.state is JobState.UNKNOWN else job.state.value,
        event=news.type if news else "",
        message=news.message if news else job.message,
        detail=news.detail if news else "",
        command=job.command,
        output_path=job.output_path,
        attempt=job.attempt,
        spot=job.spot,
    )


def _is_wanted(news: News, diagnosis: Diagnosis, settings: Settings) -> bool:
    hidden = diagnosis.hidden and "failed" in settings.state_cards
    return hidden or news.name in settings.state_cards


def _ending(news: News, diagnosis: Diagnosis, *, joins: bool) -> tuple[News, Diagnosis | None]:
    """Return what the card of an ended incident shows of the end."""
    says = joins and (news.name not in QUIET or diagnosis.hidden or diagnosis.first is not None)
    return news, diagnosis if says else None


def _end(
    state: State,
    incident: Incident,
    ending: tuple[News, Diagnosis | None],
    text: Text,
    settings: Settings,
) -> None:
    news, diagnosis = ending

    def edit(found: Incident) -> Incident:
        if diagnosis is None:
            return found
        message = news.message or found.message
        return replace(found, event=news.type, diagnosis=diagnosis, message=message)

    said = _with_error(text, diagnosis)
    close_incident(state, incident, IncidentState.ENDED, said, settings.language, edit=edit)
    tell_over(state, incident, text, settings)


def _with_error(text: Text, diagnosis: Diagnosis | None) -> Text:
    """Return the text with the first error below it: a card's update in place is silent."""
    if diagnosis is None or diagnosis.first is None:
        return text
    line = say("incident-first-error", text=plain(" ".join(diagnosis.first.text.split()), 300))
    return Text(f"{text.zh}\n{line.zh}", f"{text.en}\n{line.en}")


def _renew(state: State, incident: Incident, diagnosis: Diagnosis) -> None:
    """Show a diagnosis that has become better on a card that is there."""
    if incident.diagnosis != diagnosis and (diagnosis.logs or incident.diagnosis is None):
        change_incident(state, incident.id, lambda i: replace(i, diagnosis=diagnosis))


def _ask(job: Job, news: News, diagnosis: Diagnosis, request: str, settings: Settings) -> Ask:
    return Ask(
        job_id=job.id,
        trigger=Trigger.FAILED,
        request_id=request,
        chat_id=settings.feishu_chat_id,
        message=news.message,
        event=news.type,
        diagnosis=diagnosis,
    )


# Which cards there are.


def _remember(state: State, job: Job, news: News) -> JobNews:
    known = state.find(JobNews, job.id)
    kept = known if known and known.run == job.run else JobNews(id=job.id, run=job.run)
    told = replace(
        kept,
        last=news.type,
        message=news.message or (kept.message if kept.last == news.type else ""),
        detail=news.detail or (kept.detail if kept.last == news.type else ""),
    )
    state.save(told)
    return told


def _note_shown(state: State, told: JobNews, news: News, incident_id: str) -> None:
    state.save(replace(told, shown={**told.shown, news.type: incident_id}))


def _shown(state: State, told: JobNews, news: News) -> Incident | None:
    incident_id = told.shown.get(news.type)
    return state.find(Incident, incident_id) if incident_id else None
