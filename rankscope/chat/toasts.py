"""The short answers people get when they press a button, in both languages."""

import math

from rankscope.chat.durations import OFF
from rankscope.chat.wording import plain, told
from rankscope.model.state import IncidentState
from rankscope.model.text import Text
from rankscope.text import say

NAME_LETTERS = 60


def capturing() -> Text:
    """Say that this click started a capture."""
    return say("chat-toast-capturing")


def comparing() -> Text:
    """Say that this click started a comparison."""
    return say("chat-toast-comparing")


def already_requested(who: str = "") -> Text:
    """Somebody pressed the same button of the same card before; who it was, where known."""
    if not who:
        return say("chat-toast-already-requested")
    return say("chat-toast-already-requested-by", who=plain(who, NAME_LETTERS))


def running(done: int = 0, asked: int = 0, who: str = "") -> Text:
    """Say that a capture runs: done of asked nodes, asked being 0 before it starts.

    who has asked for it, empty when an alert did.
    """
    stage = "running" if asked else "running-starting"
    if not who:
        return say(f"chat-toast-{stage}", done=done, asked=asked)
    return say(f"chat-toast-{stage}-by", done=done, asked=asked, who=plain(who, NAME_LETTERS))


def acknowledged() -> Text:
    """Say that this click took the incident on."""
    return say("chat-toast-acknowledged")


def already_acked(who: str) -> Text:
    """Say who takes care of the incident already."""
    return say("chat-toast-already-acked", who=plain(who, NAME_LETTERS))


def silenced(choice: str) -> Text:
    """Say that this click muted the job's alerts; choice is one of durations.CHOICES, or off."""
    if choice == OFF:
        return say("chat-toast-unsilenced")
    return told("chat-toast-silenced", until=say(f"chat-duration-{choice}"))


def not_silenced() -> Text:
    """Say that there is no silence to end."""
    return say("chat-toast-not-silenced")


def bundling() -> Text:
    """Say that this click ordered a support bundle."""
    return say("chat-toast-bundling")


def no_report() -> Text:
    """Say that there is nothing to put into a bundle yet."""
    return say("chat-toast-no-report")


def too_soon(wait_s: float) -> Text:
    """Say in how many seconds the job may be captured again."""
    return say("chat-toast-too-soon", seconds=math.ceil(wait_s))


def same_captures() -> Text:
    """Say that a capture cannot be compared with itself."""
    return say("chat-toast-same-captures")


def refused(act: str) -> Text:
    """Refuse a click of somebody who is neither an operator nor the job's owner."""
    return told("chat-toast-refused", what=say(f"chat-act-{act}"))


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
