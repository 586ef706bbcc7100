"""Which stage a job is at: the first rule that holds, from the platform's word to the log's."""

import re

from rankscope.logs.first_error.model import Answer, Error, Evidence, Layer
from rankscope.logs.triage.model import JobFacts, Stage

SOON_S = 60.0
_DEPLOYING = (
    (
        Stage.DEPLOYING_IMAGE,
        re.compile(r"(?i)image|镜像|pulling|ErrImagePull|ImagePullBackOff|manifest unknown"),
    ),
    (
        Stage.DEPLOYING_STORAGE,
        re.compile(r"(?i)FailedMount|mount|存储|挂载|volume"),
    ),
    (
        Stage.DEPLOYING_RESOURCE,
        re.compile(
            r"(?i)allocat|资源分配|FailedScheduling|Insufficient|NotEnoughResources|resource"
        ),
    ),
    (
        Stage.DEPLOYING_INIT,
        re.compile(r"(?i)\binit|初始化|ContainerCreating|starting"),
    ),
)
_ENV_CHECK = re.compile(r"(?i)env.?check|boot ?check|环境检测|troubleshoot")
_REFUSED = frozenset({"rejected", "submit_failed", "unsubmitted"})
_QUEUED = frozenset({"queued", "pending", "queueing", "unschedulable"})
_DATA = re.compile(
    r"(?i)dataset|collat|dataloader|tokeniz|processor|forward|loss|preprocess|/data(?:sets?)?[/.]"
)
# Whatever the job's state is at this moment.
_BY_EVENT = {
    "job.stalled_restarts": Stage.RESTARTED,
    "job.env_check_failed": Stage.ENV_CHECK,
    "job.rejected": Stage.SUBMIT,
    "job.submit_failed": Stage.SUBMIT,
    "job.queued": Stage.QUEUED,
}
_PHASES = {
    "queued": Stage.QUEUED,
    "deploying_image": Stage.DEPLOYING_IMAGE,
    "deploying_storage": Stage.DEPLOYING_STORAGE,
    "deploying_init": Stage.DEPLOYING_INIT,
    "env_check": Stage.ENV_CHECK,
}


def stage_of(facts: JobFacts, answer: Answer | None) -> Stage:
    """Return the stage; UNKNOWN when neither the platform nor the log tells."""
    rules = (
        _before_running,
        _restarted,
        _succeeded,
        _stuck,
        _failed,
        _from_log,
    )
    for rule in rules:
        stage = rule(facts, answer)
        if stage is not None:
            return stage
    return Stage.UNKNOWN


def _before_running(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """Stages 1 to 4: what the platform says, else what it printed."""
    state, event = facts.state.lower(), facts.event
    if event in _BY_EVENT:
        return _BY_EVENT[event]
    if state in _REFUSED:
        return Stage.SUBMIT
    if state in _QUEUED:
        return Stage.QUEUED
    if state == "deploying" or event == "job.deploying":
        return _deploying(f"{facts.detail} {facts.message}")
    if event.startswith("job.env_check") or _ENV_CHECK.search(facts.detail):
        return Stage.ENV_CHECK
    first = answer.first_error if answer else None
    return _PHASES.get(first.phase) if first else None


def _deploying(text: str) -> Stage:
    found = (stage for stage, pattern in _DEPLOYING if pattern.search(text))
    return next(found, Stage.DEPLOYING)


def _restarted(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """Stage 10: begun again, and nothing newer has gone wrong."""
    if facts.event in {"job.restarting", "job.restarted", "job.stalled_restarts"}:
        return Stage.RESTARTED
    seen = answer.evidence if answer else Evidence()
    again = facts.attempt > 0 or seen.attempts > 1
    failed = answer is not None and answer.first_error is not None
    lost = seen.stepped and not seen.loaded_checkpoint and not failed
    return Stage.RESTARTED if again and lost else None


def _succeeded(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """Stage 9: the start command ended well, which does not mean that there is a result."""
    del answer
    return Stage.NO_OUTPUT if facts.state.lower() in {"succeeded", "completed"} else None


def _stuck(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """Stage 8: the platform or the watcher says that nothing moves, or too slowly."""
    del answer
    stuck = facts.event in {"job.hang", "job.slow"} or facts.state.lower() in {"hang", "slow"}
    return Stage.NO_PROGRESS if stuck else None


def _failed(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """Stages 5 to 7: an error after the environment check, by how far the job had come."""
    del facts
    first = answer.first_error if answer else None
    if answer is None or first is None:
        return None
    seen = answer.evidence
    if first.rule == "watchdog-timeout":
        return Stage.NO_PROGRESS
    if seen.stepped:
        return Stage.AFTER_CHECK
    if seen.banner or first.phase == "batch" or _is_data(first):
        return Stage.FIRST_BATCH
    if first.phase == "start" or first.layer in {Layer.COMMAND, Layer.IMAGE}:
        return Stage.START
    soon = seen.seconds_to_error is not None and seen.seconds_to_error < SOON_S
    return Stage.START if soon and not seen.checked else Stage.AFTER_CHECK


def _is_data(first: Error) -> bool:
    return first.layer is Layer.CODE and _DATA.search(first.where) is not None


def _from_log(facts: JobFacts, answer: Answer | None) -> Stage | None:
    """No error: how far the log has come."""
    if answer is None:
        return None
    seen = answer.evidence
    if seen.ended:
        return Stage.NO_OUTPUT
    if seen.stepped:
        failed = facts.state.lower() == "failed"
        return Stage.AFTER_CHECK if failed else Stage.NO_PROGRESS
    if seen.banner:
        return Stage.FIRST_BATCH
    if seen.checked or seen.command_ran:
        return Stage.START
    return Stage.ENV_CHECK if seen.check_begun else None
