"""Makes a support bundle and sends it as a file below the incident's card."""

from dataclasses import replace

import structlog

from rankscope.capture_file import parse_capture
from rankscope.chat.bundle import Evidence, bundle_name, make_bundle
from rankscope.chat.wording import plain
from rankscope.errors import FeishuError, NotFound, StoreError, UnusableInput
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.language import language_of
from rankscope.incidents.launch import environments_of
from rankscope.incidents.news import diagnosis_now
from rankscope.incidents.outbox import reply_in_thread, send_once, uuid_of
from rankscope.incidents.people import name_of
from rankscope.model.capture import Capture
from rankscope.model.state import Incident, Job, Outgoing
from rankscope.text import say
from workers.context import Context, is_last_try
from workers.showing import link_to

_log = structlog.get_logger()


def bundle(context: Context, incident_id: str, print_id: str, request: str) -> None:
    """Send the bundle of one capture; request tells repeated wishes apart."""
    incident = context.state.load(Incident, incident_id)
    what = f"bundle-{print_id}-{request}"
    if context.state.find(Outgoing, f"{incident.id}:{what}"):
        return
    try:
        evidence = _evidence(context, incident, print_id)
        key = context.feishu.upload_file(bundle_name(evidence), make_bundle(evidence))
    except (FeishuError, NotFound, StoreError) as error:
        if isinstance(error, NotFound) or is_last_try():
            _say_failed(context, incident, what, error)
            return
        raise
    entry_id = f"{incident.id}:{what}"
    send_once(
        context.state,
        Outgoing(
            id=entry_id,
            uuid=uuid_of(entry_id),
            chat_id=incident.chat_id,
            reply_to=f"outgoing:{incident.id}",
            msg_type="file",
            content={"file_key": key},
        ),
    )


def _say_failed(context: Context, incident: Incident, what: str, error: Exception) -> None:
    text = say("chat-bundle-failed", job=plain(incident.job_id), reason=plain(str(error)))
    reply_in_thread(context.state, incident, f"{what}-failed", text, context.settings.language)
    _log.warning("no bundle", incident_id=incident.id, reason=str(error))


def _evidence(context: Context, incident: Incident, print_id: str) -> Evidence:
    state = context.state
    deeds = deeds_of(state, incident.job_id)
    language = language_of(state, incident, context.settings.language)
    job = state.find(Job, incident.job_id) or Job(id=incident.job_id)
    capture = _capture(context, print_id)
    return Evidence(
        job=job,
        report=context.captures.read_report(print_id),
        capture=capture,
        diagnosis=diagnosis_now(state, job, environments_of(capture) if capture else []),
        deeds=[replace(deed, who=name_of(state, deed.who)) for deed in deeds],
        link=link_to(context, print_id, language),
        language=language,
    )


def _capture(context: Context, print_id: str) -> Capture | None:
    try:
        return parse_capture(context.captures.read_capture(print_id))
    except (NotFound, UnusableInput):
        return None
