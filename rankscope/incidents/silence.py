"""A silenced job: its alerts are recorded and shown on its open card, but not heard.

They neither open an incident, nor capture, nor reply. People may still capture. When the silence
ends while the job is in trouble, and alerts were muted, the alert is raised then.
"""

import time
from dataclasses import replace

from rankscope.incidents.outbox import show_card
from rankscope.incidents.records import job_lock, open_incident
from rankscope.model.state import Incident, Silence
from rankscope.store.state import State, record_key

UNTIL_END = 0.0


def silence_of(state: State, job_id: str) -> Silence | None:
    """Return the silence a job is under now, or None."""
    silence = state.find(Silence, job_id)
    return silence if silence and not is_over(silence) else None


def is_over(silence: Silence) -> bool:
    """Whether its time has passed."""
    return silence.until != UNTIL_END and silence.until <= time.time()


def silence_job(state: State, job_id: str, by: str, seconds: float) -> Silence:
    """Mute a job's alerts for so many seconds, 0 until the job ends; replaces an older silence."""
    with job_lock(state, job_id):
        now, before = time.time(), state.find(Silence, job_id)
        until = now + seconds if seconds else UNTIL_END
        muted = before.muted if before else 0
        silence = Silence(id=job_id, until=until, by=by, at=now, muted=muted)
        state.save(silence)
        _show(state, job_id, by, "silence")
        return silence


def unsilence_job(state: State, job_id: str, by: str) -> bool:
    """End a silence at once, so that muted alerts are raised; False when there was none."""
    with job_lock(state, job_id):
        silence = silence_of(state, job_id)
        if silence is None:
            return False
        state.save(replace(silence, until=time.time()))
        _show(state, job_id, by, "unsilence")
        return True


def drop_silence(state: State, job_id: str) -> None:
    """Forget a job's silence, as when the job has ended."""
    state.redis.delete(record_key(Silence, job_id))


def note_muted(state: State, silence: Silence) -> None:
    """Count an alert that stays unheard."""
    state.change(Silence, silence.id, lambda known: replace(known, muted=known.muted + 1))


def _show(state: State, job_id: str, by: str, action: str) -> None:
    """Show on the open card who has silenced the job."""
    current = open_incident(state, job_id)
    if current is not None:
        show_card(state, state.change(Incident, current.id, lambda i: acted(i, by, action)))


def acted(incident: Incident, by: str, action: str) -> Incident:
    """Return the incident with who did what last."""
    return replace(incident, last_actor=by, last_action=action, last_at=time.time())
