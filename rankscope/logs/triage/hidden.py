"""Whether a job that looks well has failed."""

from collections.abc import Sequence

from rankscope.logs.first_error.model import CAUSES, Answer, Role
from rankscope.logs.triage.start_command import Risk

_SUCCEEDED = frozenset({"succeeded", "completed", "success"})
_TELLING = CAUSES | {Role.SYMPTOM}


def is_hidden_failure(answer: Answer, state: str = "", risks: Sequence[Risk] = ()) -> bool:
    """Whether the log holds an error that the job's state does not show.

    A succeeded job has a hidden failure when its log has an error that the training did not
    survive. Without a state, a start command that hides failures, or a log that goes on to a good
    end, makes it likely. Clues and teardown lines alone never do: old launchers print those at a
    normal end too.
    """
    first = answer.first_error
    if first is None or first.role not in _TELLING:
        return False
    if state:
        return state.lower() in _SUCCEEDED
    return bool(risks) or answer.evidence.ended_after_error
