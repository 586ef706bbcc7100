"""The functions RQ calls, named as in rankscope.queueing.Task; the work is in their modules."""

from typing import Any

import msgspec
import structlog
from rq import Retry

from rankscope.incidents import handle_event as follow_event
from rankscope.model.chat import ChatMessage, Click, MenuChoice
from rankscope.model.event import Event
from workers import (
    bundling,
    clicks,
    comparing,
    delivery,
    escalating,
    housekeeping,
    menu,
    messages,
    second,
    stages,
)
from workers.context import current_context

Json = dict[str, Any]


def handle_event(event: Json) -> None:
    """Bring a job and its incident up to date."""
    context, told = current_context(), msgspec.convert(event, Event)
    with structlog.contextvars.bound_contextvars(job_id=told.job.id, event_id=told.id):
        follow_event(context.state, told, context.settings)


def handle_message(message: Json) -> None:
    """Answer what a person typed."""
    with structlog.contextvars.bound_contextvars(message_id=message["message_id"]):
        messages.handle_message(current_context(), msgspec.convert(message, ChatMessage))


def handle_menu(choice: Json) -> None:
    """Answer an item of the bot's menu."""
    with structlog.contextvars.bound_contextvars(event_id=choice["event_id"]):
        menu.handle_menu(current_context(), msgspec.convert(choice, MenuChoice))


def handle_click(click: Json) -> None:
    """Do what a pressed button asks for."""
    with structlog.contextvars.bound_contextvars(incident_id=click["incident_id"]):
        clicks.handle_click(current_context(), msgspec.convert(click, Click))


def capture(print_id: str) -> None:
    """Ask all nodes of the job, and store what they answered."""
    with structlog.contextvars.bound_contextvars(print_id=print_id):
        stages.capture(current_context(), print_id)


def analyse(print_id: str) -> None:
    """Turn a stored capture into a report, and show it."""
    with structlog.contextvars.bound_contextvars(print_id=print_id):
        stages.analyse(current_context(), print_id)


def compare(incident_id: str, before: str, after: str, answer_to: str = "") -> None:
    """Compare two captures, and show what changed."""
    with structlog.contextvars.bound_contextvars(incident_id=incident_id):
        comparing.compare(current_context(), incident_id, (before, after), answer_to)


def second_capture(print_id: str) -> None:
    """Capture a job again some minutes after its hang was captured."""
    with structlog.contextvars.bound_contextvars(print_id=print_id):
        second.second_capture(current_context(), print_id)


def bundle(incident_id: str, print_id: str, request: str) -> None:
    """Send all that support asks for as one file."""
    with structlog.contextvars.bound_contextvars(incident_id=incident_id):
        bundling.bundle(current_context(), incident_id, print_id, request)


def deliver(outgoing_id: str) -> Retry | None:
    """Send a message, or bring a card up to date."""
    with structlog.contextvars.bound_contextvars(outgoing_id=outgoing_id):
        return delivery.deliver(current_context(), outgoing_id)


def escalate(incident_id: str) -> None:
    """Buzz the people of an incident's next step, if its time has come."""
    with structlog.contextvars.bound_contextvars(incident_id=incident_id):
        escalating.escalate(current_context(), incident_id)


def reconcile() -> None:
    """Take up what a crash has left lying."""
    housekeeping.reconcile(current_context())


def retention() -> None:
    """Drop captures and leftovers that are older than the settings allow."""
    housekeeping.retention(current_context())
