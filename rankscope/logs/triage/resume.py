"""Whether a job that was started again has really gone on from a checkpoint."""

from rankscope.logs.first_error.model import Evidence
from rankscope.model.text import Text
from rankscope.text import say


def check_resume(evidence: Evidence) -> tuple[Text, ...]:
    """Return what the log of the last attempt says about the checkpoint; empty for a first start.

    The platform calls the start command again; it cannot restore what was in memory.
    """
    if evidence.attempts < 2 and evidence.step_before_restart is None:
        return ()
    if evidence.loaded_checkpoint:
        return (_loaded(evidence), *_lost(evidence))
    if evidence.started_fresh:
        return (say("triage-resume-fresh"),)
    if evidence.stepped:
        return (say("triage-resume-none"), *_lost(evidence))
    return (say("triage-resume-unknown"),)


def _loaded(evidence: Evidence) -> Text:
    if evidence.loaded_step is None:
        return say("triage-resume-loaded", path=evidence.loaded_checkpoint)
    return say(
        "triage-resume-loaded-step", path=evidence.loaded_checkpoint, step=evidence.loaded_step
    )


def _lost(evidence: Evidence) -> tuple[Text, ...]:
    before, after = evidence.step_before_restart, evidence.first_step_after_restart
    if before is None or after is None or after > before:
        return ()
    return (say("triage-resume-lost", before=before, after=after, lost=before - after + 1),)
