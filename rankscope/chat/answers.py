"""What look-ups show: jobs, status, report, stack, NCCL, audit trail; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankscope.analysis.report_text import findings_text
from rankscope.cards.facts import captured_at
from rankscope.chat.places import RankPlace
from rankscope.chat.wording import at_time, lines, listed, plain, plain_text, same, told
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState, Deed, Job, JobState, Silence
from rankscope.model.text import Text
from rankscope.text import say

SHOWN_JOBS = 20
SHOWN_FRAMES = 40
SHOWN_STEPS = 5
SHOWN_ROUTED = 10
_FIRST = (JobState.HANG, JobState.SLOW, JobState.RUNNING, JobState.UNKNOWN, JobState.DEPLOYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """What /jobs shows of one job."""

    job: Job
    nodes: int = 0
    world_size: int | None = None
    latest: CaptureRecord | None = None
    silence: Silence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """What /status shows of the routes file; error says why a later version is not in force.

    on_call are the rotas with whose turn it is, incidents the open ones with their routes.
    """

    file: str
    count: int
    error: str = ""
    on_call: tuple[tuple[str, str], ...] = ()
    incidents: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What /status shows."""

    version: str
    nodes: tuple[str, ...]
    capturing: tuple[str, ...]
    silenced: tuple[str, ...]
    chat_queue: int
    work_queue: int
    unsent: int
    lacks_hang_source: bool = False
    routes: Routing | None = None


def job_list(rows: Sequence[JobRow]) -> Text:
    """Answer /jobs: those in trouble first, then by their last event."""
    if not rows:
        return say("chat-jobs-none")
    shown = sorted(rows, key=_urgency)[:SHOWN_JOBS]
    title = say("chat-jobs-title", count=len(rows))
    return lines([title, *(_job_row(row) for row in shown)])


def _urgency(row: JobRow) -> tuple[int, float, str]:
    state = row.job.state
    place = _FIRST.index(state) if state in _FIRST else len(_FIRST)
    return place, -row.job.event_time, row.job.id


def _job_row(row: JobRow) -> Text:
    facts = [Text("　" + fact.zh, "  " + fact.en) for fact in _job_facts(row)]
    joined = Text("".join(f.zh for f in facts), "".join(f.en for f in facts))
    name = plain(row.job.name, 60)
    job = f"{row.job.id} · {name}" if name and name != row.job.id else row.job.id
    state = say(f"chat-state-{row.job.state.value}")
    return told("chat-jobs-row", job=same(plain(job, 200)), state=state, facts=joined)


def _job_facts(row: JobRow) -> Iterator[Text]:
    if row.nodes:
        yield say("chat-jobs-nodes", count=row.nodes)
    if row.world_size:
        yield say("chat-jobs-ranks", count=row.world_size)
    if row.latest and row.latest.state is CaptureState.REPORTED:
        yield say("chat-jobs-captured", time=at_time(row.latest.requested_at))
    elif row.latest and row.latest.state is not CaptureState.FAILED:
        yield say("chat-jobs-capturing")
    if row.silence:
        yield told("chat-jobs-silenced", until=until(row.silence))


def until(silence: Silence) -> Text:
    """Return for how long a silence lasts."""
    if not silence.until:
        return say("chat-until-end")
    return say("chat-until-time", time=at_time(silence.until))


def health(seen: Health) -> Text:
    """Answer /status."""
    return lines(_health(seen))


def _health(seen: Health) -> Iterator[Text]:
    yield say("chat-status-title", version=seen.version)
    if seen.nodes:
        count = same(len(seen.nodes))
        yield told("chat-status-agents", count=count, nodes=listed(seen.nodes))
    else:
        yield say("chat-status-no-agents")
    if seen.capturing:
        yield told("chat-status-captures", jobs=listed(seen.capturing))
    else:
        yield say("chat-status-no-captures")
    yield say("chat-status-queues", chat=seen.chat_queue, work=seen.work_queue)
    if seen.unsent:
        yield say("chat-status-unsent", count=seen.unsent)
    if seen.silenced:
        yield told("chat-status-silenced", jobs=listed(seen.silenced))
    if seen.lacks_hang_source:
        yield say("chat-status-no-hang-source")
    if seen.routes:
        yield from _routing(seen.routes)


def _routing(routes: Routing) -> Iterator[Text]:
    yield say("chat-status-routes", count=routes.count, file=plain(routes.file))
    if routes.error:
        yield say("chat-status-routes-broken", error=plain(routes.error, 600))
    for name, person in routes.on_call[:SHOWN_ROUTED]:
        yield say("chat-status-on-call", rota=plain(name, 80), person=plain(person, 80))
    for job, route in routes.incidents[:SHOWN_ROUTED]:
        fits = same(plain(route, 200)) if route else say("chat-status-no-route")
        yield told("chat-status-routed", job=same(plain(job, 130)), route=fits)


def report(found: Report, link: str) -> Text:
    """Answer /report."""
    return lines(_report(found, link))


def _report(found: Report, link: str) -> Iterator[Text]:
    summary = found.summary
    yield say(
        "chat-report-title",
        job=plain(summary.job_id),
        time=captured_at(summary.print_id) or plain(summary.analysis_time),
        print_id=plain(summary.print_id),
    )
    zh, en = (findings_text(found, language) for language in ("zh", "en"))
    yield Text(_harmless(zh), _harmless(en))
    if link:
        yield say("chat-report-link", link=link)


def _harmless(text: str) -> str:
    return "\n".join(plain(line) for line in text.strip().splitlines())


def stack(place: RankPlace, job_id: str, print_id: str) -> Text:
    """Answer /stack with the main thread of a rank."""
    return lines(_stack(place, job_id, print_id))


def _stack(place: RankPlace, job_id: str, print_id: str) -> Iterator[Text]:
    yield say(
        "chat-stack-title",
        job=plain(job_id),
        rank=place.rank,
        node=plain(place.node),
        key=place.key,
        print_id=print_id,
    )
    if place.moved is not None:
        yield say("chat-stack-moved" if place.moved else "chat-stack-frozen")
    if place.frames:
        yield say("chat-stack-thread")
        yield from (same(f"  {plain(frame, 200)}") for frame in place.frames[:SHOWN_FRAMES])
        if len(place.frames) > SHOWN_FRAMES:
            yield say("chat-stack-more", count=len(place.frames) - SHOWN_FRAMES)
    else:
        yield say("chat-stack-none", reason=plain(place.process.error or place.process.state))
    if place.helpers:
        yield say("chat-stack-helpers", count=place.helpers)


def nccl(found: Report, link: str) -> Text:
    """Answer /nccl."""
    return lines(_nccl(found, link))


def _nccl(found: Report, link: str) -> Iterator[Text]:
    summary = found.summary
    yield say("chat-nccl-title", job=plain(summary.job_id), time=captured_at(summary.print_id))
    if found.nccl is None:
        yield say("chat-nccl-not-asked")
    else:
        status = found.nccl
        yield plain_text(status.text)
        yield from (plain_text(text) for text in (*status.seen, *status.not_meant)[:SHOWN_STEPS])
        if status.next_steps:
            yield say("chat-nccl-next")
            yield from (plain_text(text) for text in status.next_steps[:SHOWN_STEPS])
    if link:
        yield say("chat-report-link", link=link)


KNOWN_ACTS = frozenset(
    {
        "ack",
        "bundle",
        "capture",
        "compare",
        "escalate",
        "lang",
        "mute",
        "recapture",
        "silence",
        "subscribe",
        "unsilence",
        "unsubscribe",
    }
)
KNOWN_OUTCOMES = frozenset({"started", "done", "joined", "refused", "too-soon", "not-possible"})


def audit(job_id: str, acts: Sequence[Deed]) -> Text:
    """Answer /audit."""
    if not acts:
        return say("chat-audit-none", job=plain(job_id))
    return lines([say("chat-audit-title", job=plain(job_id)), *(_act(act) for act in acts)])


def _act(act: Deed) -> Text:
    what = act.what if act.what in KNOWN_ACTS else "other"
    outcome = act.outcome if act.outcome in KNOWN_OUTCOMES else "other"
    return told(
        "chat-audit-row",
        time=same(at_time(act.at)),
        who=same(plain(act.who, 80)),
        what=say(f"chat-act-{what}"),
        outcome=say(f"chat-outcome-{outcome}"),
    )
