"""What happens to a message that Feishu does not take: nothing is dropped without anybody hearing.

An incident's card whose chat is gone moves to the chat of the settings. An incident that the app
cannot show goes to the custom bot of the settings, once for each phase: alert, report, end.
Operators hear once a day and chat: admins, the chat of the settings, the custom bot, and the log.
"""

from dataclasses import replace
from datetime import timedelta

import structlog

from rankscope.cards import escape_markdown, fallback_text, note_card
from rankscope.chat.wording import plain
from rankscope.errors import ConfigurationError, FeishuError
from rankscope.feishu.errors import CardRejected, FeishuRejected, MessageGone
from rankscope.feishu.webhook import GroupWebhook, group_webhook
from rankscope.incidents.language import language_of
from rankscope.incidents.outbox import cards_of, send_once, uuid_of
from rankscope.model.state import Incident, IncidentState, Outgoing
from rankscope.store.state import PREFIX
from rankscope.text import say
from workers.context import Context
from workers.showing import view_of

CHAT_GONE = frozenset({230002, 232009})
"""The bot is not in the chat any more; the chat was dissolved."""
ALARM = "alarm:"
HEARD = timedelta(days=1)

_log = structlog.get_logger()


def refused(context: Context, entry: Outgoing, error: FeishuRejected) -> None:
    """Do what is left to do for a message that Feishu refused for good."""
    _log.error("message refused", error=str(error), code=error.code)
    if entry.id.startswith(ALARM):
        return
    moved = error.code in CHAT_GONE and _move(context, entry)
    if not moved:
        show_elsewhere(context, entry)
    if not isinstance(error, MessageGone):
        _alarm(context, entry, error)


def _move(context: Context, entry: Outgoing) -> bool:
    """Let an incident's card begin anew in the chat of the settings, if that has none of it."""
    home = context.settings.feishu_chat_id
    incident = context.state.find(Incident, entry.incident_id) if entry.incident_id else None
    if incident is None or not home or entry.chat_id == home or home in cards_of(incident).values():
        return False
    fresh = Outgoing(
        id=entry.id,
        uuid=uuid_of(f"{entry.id}-moved-{home}"),
        chat_id=home,
        incident_id=incident.id,
        msg_type="interactive",
    )

    def edit(known: Outgoing) -> Outgoing:
        return replace(fresh, wanted=known.wanted, sent=known.sent)

    context.state.change(Outgoing, entry.id, edit)
    _log.warning("card moved", outgoing_id=entry.id, chat_id=home)
    return True


# The custom bot.


def show_elsewhere(context: Context, entry: Outgoing) -> None:
    """Tell the custom bot of an incident that the app cannot show, once for each phase."""
    incident = context.state.find(Incident, entry.incident_id) if entry.incident_id else None
    webhook = _webhook(context)
    if incident is None or webhook is None:
        return
    key = f"{PREFIX}:elsewhere:{incident.id}:{_phase(incident)}"
    if not context.redis.set(key, 1, nx=True, ex=context.state.ttl):
        return
    try:
        _post_incident(context, webhook, incident)
    except FeishuError as error:
        context.redis.delete(key)
        _log.error("custom bot failed", error=str(error))


def _webhook(context: Context) -> GroupWebhook | None:
    try:
        return group_webhook(context.settings)
    except ConfigurationError as error:
        _log.error("no custom bot", error=str(error))
        return None


def _phase(incident: Incident) -> str:
    if incident.state.is_final:
        return "end"
    return "report" if incident.state is IncidentState.REPORTED else "alert"


def _post_incident(context: Context, webhook: GroupWebhook, incident: Incident) -> None:
    language = language_of(context.state, incident, context.settings.language)
    said = fallback_text(view_of(context, incident), language)
    title, *told = said.splitlines()
    why = say("incident-elsewhere").of(language)
    body = "\n".join(escape_markdown(line, 2000) for line in (*told, why))
    try:
        webhook.send("interactive", note_card(title, body, "orange", language))
    except CardRejected as error:
        _log.error("card refused, sending text", error=str(error))
        webhook.send("text", {"text": f"{said}\n{why}"})


# Operators.


def _alarm(context: Context, entry: Outgoing, error: FeishuRejected) -> None:
    """Tell operators that a chat cannot be reached, or a message not be sent there."""
    settings, chat_id = context.settings, entry.chat_id or entry.reply_to
    key = f"{PREFIX}:alarmed:{chat_id}:{error.code}"
    if not context.redis.set(key, 1, nx=True, ex=HEARD):
        return
    reason = plain(str(error), 400)
    text = say("incident-alarm", chat=plain(chat_id or "?", 80), reason=reason)
    said = {"text": text.of(settings.language)}
    admins = [name.strip() for name in settings.admins.split(",")]
    for receiver in dict.fromkeys(filter(None, (*admins, settings.feishu_chat_id))):
        if receiver != chat_id:
            entry_id = f"{ALARM}{receiver}:{chat_id}:{error.code}:{entry.attempts}:{entry.id}"
            alarm = Outgoing(
                id=entry_id, uuid=uuid_of(entry_id), chat_id=receiver, content=dict(said)
            )
            send_once(context.state, alarm)
    webhook = _webhook(context)
    if webhook is not None:
        try:
            webhook.send("text", dict(said))
        except FeishuError as failure:
            _log.error("custom bot failed", error=str(failure))
