"""Slurm's prolog and epilog, which have the job in their environment, and `scontrol --json`.

Slurm calls no webhook: docs/webhooks.md has the script for `EpilogSlurmctld`. The exit code is
`<status>:<signal>` in SLURM_JOB_EXIT_CODE2, and 256 times the status plus the signal in
SLURM_JOB_EXIT_CODE (slurm.conf, Prolog and Epilog Guide).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.adapters.adapter import Adapter, Item, Json, NothingTold
from bot.adapters.build import Fact, event_of, job
from bot.adapters.exits import signal_name, signal_of
from bot.adapters.jobs import find_job
from bot.adapters.look import at, first, items, mapping, moment, text, whole
from bot.adapters.meanings import NOTICE, known, meaning_of
from rankscope.model.event import Event
from rankscope.model.text import Text
from rankscope.text import say

_ID = ("SLURM_JOB_ID", "SLURM_JOBID", "JobId", "JobID", "job_id")
_STATES = ("SLURM_JOB_STATE", "JobState", "State", "job_state", "state")
_TIMES = ("time", "timestamp", "EndTime", "end_time", "SLURM_JOB_END_TIME")


@dataclass(frozen=True, slots=True)
class _Exit:
    """How the job's batch script ended."""

    code: int | None = None
    signal: int = 0

    @property
    def is_bad(self) -> bool:
        return bool(self.code) or bool(self.signal)


def _recognises(item: Item) -> bool:
    value = mapping(item.value)
    slurm = any(name.startswith("SLURM_") for name in (*_environment(value), *value))
    return slurm or ("job_state" in value and "job_id" in value)


def _environment(value: Json) -> dict[str, object]:
    """Return the environment, whether it came under `env` or bare, and what stands beside it."""
    beside = {**mapping(value, "sacct"), **mapping(value, "scontrol")}
    return {**value, **beside, **mapping(value, "env")}


def _read(item: Item) -> list[Event]:
    env = _environment(mapping(item.value))
    job_id = find_job(
        item.told, [text(env, name) for name in _ID], hint="Send SLURM_JOB_ID of the environment."
    )
    end, hook = _exit_of(env), text(item.value, "hook")
    state = _state_of(env, end, hook)
    restarts = whole(env, "SLURM_RESTART_COUNT") or whole(env, "restart_cnt") or 0
    cluster = first((text(env, "SLURM_CLUSTER_NAME"), text(env, "cluster")))
    times = (moment(at(mapping(item.value), name), item.told.zone) for name in _TIMES)
    fact = Fact(
        source="slurm",
        identity=(cluster, state, str(restarts)),
        meaning=meaning_of("slurm", state) or known(NOTICE),
        job=job(
            job_id,
            name=first((text(env, "SLURM_JOB_NAME"), text(env, "name"), text(env, "JobName"))),
            owner=first((text(env, "SLURM_JOB_USER"), text(env, "user_name"))),
        ),
        time=next((one for one in times if one), None),
        message=_say(state, end).of(item.told.language),
        attempt=restarts,
    )
    return [event_of(fact, _labels(env, state, end, cluster))]


def _state_of(env: Json, end: _Exit, hook: str) -> str:
    """Return Slurm's own state, else what exit code and hook tell."""
    for name in _STATES:
        told = env.get(name)
        words = [text(one) for one in told] if isinstance(told, list) else [text(told)]
        # Slurm writes `CANCELLED by 1000`, `CANCELLED+`, and `FAILED` with flags behind.
        state = first(words)[:200].upper().partition(" ")[0].rstrip("+")
        if state:
            return state
    if "prolog" in hook.lower():
        return "RUNNING"
    if end.code is None:
        raise NothingTold(
            "Neither the job's state nor its exit code is there.",
            "Send SLURM_JOB_EXIT_CODE2, or sacct.State, as docs/webhooks.md shows.",
        )
    return "FAILED" if end.is_bad else "COMPLETED"


def _exit_of(env: Json) -> _Exit:
    status, _, number = first((text(env, "SLURM_JOB_EXIT_CODE2"), text(env, "ExitCode"))).partition(
        ":"
    )
    if status.isdecimal():
        return _Exit(int(status[:6]), int(number[:3]) if number.isdecimal() else 0)
    told = at(env, "exit_code")
    if isinstance(told, Mapping):
        code, ended_by = at(told, "return_code", "number"), at(told, "signal", "id", "number")
        return _Exit(whole(code), whole(ended_by) or 0)
    raw = whole(env, "SLURM_JOB_EXIT_CODE")
    if raw is None or raw < 0:
        return _Exit()
    return _Exit(raw >> 8, raw & 0x7F)


def _labels(env: Json, state: str, end: _Exit, cluster: str) -> dict[str, str]:
    number = end.signal or signal_of(end.code)
    nodes = text(env, "SLURM_JOB_NODELIST") or text(env, "nodes")
    return {
        "reason": state,
        "cluster": cluster,
        "partition": text(env, "SLURM_JOB_PARTITION") or text(env, "partition"),
        "nodes": nodes or ",".join(text(one) for one in items(env, "nodes")),
        "exit_code": "" if end.code is None else str(end.code),
        "signal": signal_name(number) if number else "",
        "derived_exit_code": text(env, "SLURM_JOB_DERIVED_EC"),
        "array_job_id": text(env, "SLURM_ARRAY_JOB_ID"),
    }


def _say(state: str, end: _Exit) -> Text:
    if not end.is_bad:
        return say("adapters-slurm-state", state=state)
    number = end.signal or signal_of(end.code)
    by_signal = f" ({signal_name(number)})" if number else ""
    return say("adapters-slurm-ended", state=state, code=end.code or 0, signal=by_signal)


ADAPTER = Adapter(name="slurm", read=_read, recognises=_recognises)
