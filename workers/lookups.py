"""Commands that only look; everybody may."""

from dataclasses import replace
from datetime import UTC, datetime

from rankscope import __version__
from rankscope.capture_file import parse_capture
from rankscope.chat import answers, commands, errors, replies
from rankscope.chat.places import find_place, parse_place, ranks_of
from rankscope.chat.wording import listed, plain, same, told
from rankscope.errors import NotFound
from rankscope.incidents import silence_of, world_size_of
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.captures import latest_capture, reported_captures
from rankscope.incidents.launch import environments_of
from rankscope.incidents.news import diagnosis_now
from rankscope.incidents.people import name_of
from rankscope.incidents.records import FINISHED
from rankscope.incidents.sources import lacks_hang_source
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, Incident, Job, Outgoing, Silence
from rankscope.model.text import Text
from rankscope.queueing import Queue, rq_queue
from rankscope.routing.current import current_routes
from rankscope.routing.model import ON_CALL
from rankscope.routing.people import people_of
from rankscope.text import say
from workers.acts import NO_JOB, find_job
from workers.context import Context
from workers.showing import link_to

DEEDS = 10


def look_up(context: Context, command: commands.Look) -> Text:
    """Return what a command asks to see."""
    match command:
        case commands.ShowReport(target):
            return _report(context, target)
        case commands.ShowNccl(word):
            return _of_report(context, word, "nccl")
        case commands.ShowStack(word, place):
            return _stack(context, word, place)
        case commands.ShowErrors(word):
            return _errors(context, word)
        case commands.ShowAudit(word):
            return _audit(context, word)
        case _:
            return _overview(context, command)


def _overview(
    context: Context, command: commands.ListJobs | commands.ShowStatus | commands.Help
) -> Text:
    match command:
        case commands.ListJobs():
            return answers.job_list(_rows(context))
        case commands.ShowStatus():
            return answers.health(_health(context))
        case commands.Help():
            return replies.help_text()


def _rows(context: Context) -> list[answers.JobRow]:
    state = context.state
    known = (state.find(Job, job_id) or Job(id=job_id) for job_id in state.job_ids())
    return [
        answers.JobRow(
            job=job,
            nodes=len(state.nodes_of(job.id)) or len(job.nodes),
            world_size=world_size_of(state, job),
            latest=latest_capture(state, job.id),
            silence=silence_of(state, job.id),
        )
        for job in known
    ]


def _health(context: Context) -> answers.Health:
    state, waiting = context.state, {q: rq_queue(context.redis, q).count for q in Queue}
    records = state.all(CaptureRecord)
    capturing = {record.job_id for record in records if record.state not in FINISHED}
    silenced = {one.id for one in state.all(Silence) if silence_of(state, one.id)}
    return answers.Health(
        version=__version__,
        nodes=tuple(beat.node for beat in state.agents()),
        capturing=tuple(sorted(capturing)),
        silenced=tuple(sorted(silenced)),
        chat_queue=waiting[Queue.CHAT],
        work_queue=waiting[Queue.WORK],
        lacks_hang_source=lacks_hang_source(state, context.settings),
        routes=_routing(context),
        unsent=sum(bool(one.error) and one.sent < one.wanted for one in state.all(Outgoing)),
    )


def _routing(context: Context) -> answers.Routing | None:
    if context.settings.routes_file is None:
        return None
    state, now = context.state, datetime.now(UTC)
    current = current_routes(state, context.settings.routes_file)
    book = current.book
    people = ((name, people_of(book, [f"{ON_CALL}{name}"], "", now)) for name in book.oncall)
    opened = [one for one in state.all(Incident) if not one.state.is_final]
    return answers.Routing(
        file=current.path,
        count=len(book.routes),
        error=current.error,
        on_call=tuple((name, name_of(state, found[0])) for name, found in people if found),
        incidents=tuple(sorted((one.job_id, one.route) for one in opened)),
    )


def _report(context: Context, target: str) -> Text:
    """Show the report of a capture, or of a job's last one."""
    record = context.state.find(CaptureRecord, target) if target.isdecimal() else None
    found = context.captures.find_report(record.id) if record else None
    if found is None:
        return _of_report(context, target, "report")
    return answers.report(found, link_to(context, found.summary.print_id))


def _of_report(context: Context, word: str, view: str) -> Text:
    job_id = find_job(context, word)
    if isinstance(job_id, Text):
        return job_id
    found = _latest_report(context, job_id)
    if found is None:
        return say("chat-no-report", job=plain(job_id))
    link = link_to(context, found.summary.print_id)
    if view == "nccl":
        return answers.nccl(found, f"{link}&view=nccl" if link else "")
    return answers.report(found, link)


def _latest_report(context: Context, job_id: str) -> Report | None:
    finished = reported_captures(context.state, job_id)
    return context.captures.find_report(finished[-1].id) if finished else None


def _stack(context: Context, word: str, place: str) -> Text:
    job_id, wanted = find_job(context, word), parse_place(place)
    if isinstance(job_id, Text):
        return job_id
    if wanted is None:
        return say("chat-stack-not-understood", word=plain(place, 80))
    finished = reported_captures(context.state, job_id)
    try:
        capture = parse_capture(context.captures.read_capture(finished[-1].id))
    except (NotFound, IndexError):
        return say("chat-no-report", job=plain(job_id))
    found = find_place(capture, wanted)
    if found is None:
        ranks = listed([str(rank) for rank in ranks_of(capture)])
        shown = same(plain(place, 80))
        return told("chat-stack-not-found", job=same(plain(job_id)), word=shown, ranks=ranks)
    return answers.stack(found, job_id, finished[-1].id)


def _errors(context: Context, word: str) -> Text:
    """Read what is kept of a job's logs; the newest state event says at which stage it is."""
    job_id = find_job(context, word)
    if isinstance(job_id, Text):
        return job_id
    job = context.state.find(Job, job_id) or Job(id=job_id)
    return errors.answer(job, diagnosis_now(context.state, job, _environments(context, job_id)))


def _environments(context: Context, job_id: str) -> list[dict[str, str]]:
    """Return the allow-listed variables of the trainers in the last capture, if there is one."""
    finished = reported_captures(context.state, job_id)
    try:
        capture = parse_capture(context.captures.read_capture(finished[-1].id))
    except (NotFound, IndexError):
        return []
    return environments_of(capture)


def _audit(context: Context, word: str) -> Text:
    job_id = NO_JOB if word == NO_JOB else find_job(context, word)
    if isinstance(job_id, Text):
        return job_id
    deeds = deeds_of(context.state, job_id, DEEDS)
    named = [replace(deed, who=name_of(context.state, deed.who)) for deed in deeds]
    return answers.audit(job_id, named)
