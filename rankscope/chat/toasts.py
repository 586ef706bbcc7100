"""The short answers people get when they press a button, in both languages."""

from rankscope.model.state import IncidentState
from rankscope.model.text import Text
from rankscope.text import say


def capturing() -> Text:
    """Say that this click started a capture."""
    return say("chat-toast-capturing")


def comparing() -> Text:
    """Say that this click started a comparison."""
    return say("chat-toast-comparing")


def already_requested() -> Text:
    """Somebody pressed the same button of the same card before."""
    return say("chat-toast-already-requested")


def running(done: int = 0, asked: int = 0) -> Text:
    """Say that a capture runs: done of asked nodes, asked being 0 before it starts."""
    if not asked:
        return say("chat-toast-running-starting")
    return say("chat-toast-running", done=done, asked=asked)


def stale() -> Text:
    """Say that the card showed an older state than the incident has now."""
    return say("chat-toast-stale")


def expired(days: int) -> Text:
    """Say that the incident is forgotten; records are kept that many days."""
    return say("chat-toast-expired", days=days)


def final(state: IncidentState) -> Text:
    """Say that the incident is over; state is one of the final ones."""
    return say(f"chat-toast-{state.value}")


def one_capture() -> Text:
    """Say that there are not yet two captures to compare."""
    return say("chat-toast-one-capture")


def unknown_button() -> Text:
    """Say that the button means nothing to this version."""
    return say("chat-toast-unknown-button")


def unavailable() -> Text:
    """Say that Redis did not answer; Feishu repeats no clicks, so the person has to."""
    return say("chat-toast-unavailable")
