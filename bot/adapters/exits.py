"""How a process ended: exit codes and signals in words.

A shell answers 128 + n for a process that signal n ended (POSIX, Shell Command Language, 2.8.2).
"""

import signal

from bot.adapters.adapter import Json
from bot.adapters.look import whole, word
from rankscope.model.text import Text
from rankscope.text import say

_FROM_SIGNAL = range(129, 160)


def signal_of(code: int | None) -> int:
    """Return the signal an exit code stands for, or 0."""
    return code - 128 if code in _FROM_SIGNAL and code is not None else 0


def signal_name(number: int) -> str:
    """Return the name of a signal, as `SIGKILL`, or its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def exit_labels(end: Json) -> dict[str, str]:
    """Return the labels of events that say how a container ended."""
    code = whole(end, "exitCode")
    number = whole(end, "signal") or signal_of(code)
    return {
        "exit_code": "" if code is None else str(code),
        "signal": signal_name(number) if number else "",
        "exit_reason": word(end, "reason"),
    }


def say_exit(end: Json) -> Text:
    """Return how a container ended, as `OOMKilled, exit code 137 (SIGKILL)`."""
    labels = exit_labels(end)
    by_signal = f" ({labels['signal']})" if labels["signal"] else ""
    reason = labels["exit_reason"] or "Error"
    return say("adapters-exit", reason=reason, code=labels["exit_code"], signal=by_signal)
