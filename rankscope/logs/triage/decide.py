"""One call for a card: the stage, its words, and what the checks found."""

from collections.abc import Mapping, Sequence

from rankscope.logs.first_error.model import Answer, Evidence
from rankscope.logs.triage.ddp import check_launch
from rankscope.logs.triage.hidden import is_hidden_failure
from rankscope.logs.triage.local_paths import check_output_paths
from rankscope.logs.triage.model import JobFacts, Stage, Triage
from rankscope.logs.triage.nccl_settings import check_debug_settings
from rankscope.logs.triage.resume import check_resume
from rankscope.logs.triage.stage import stage_of
from rankscope.logs.triage.start_command import hidden_failure_risks
from rankscope.model.text import Text
from rankscope.text import say

_BEFORE_START = frozenset({Stage.SUBMIT, Stage.QUEUED, Stage.DEPLOYING, Stage.DEPLOYING_RESOURCE})


def triage(
    facts: JobFacts,
    answer: Answer | None = None,
    processes: Sequence[Mapping[str, str]] = (),
) -> Triage:
    """Return where to look first; processes are the allow-listed environments of the trainers."""
    stage = stage_of(facts, answer)
    return Triage(
        stage=stage,
        title=say(f"{stage.message_id}-title"),
        first_check=say(f"{stage.message_id}-first"),
        steps=lines(f"{stage.message_id}-steps"),
        findings=(*_findings(facts, answer, processes), *_spot(facts, stage)),
    )


def lines(message_id: str) -> tuple[Text, ...]:
    """Return each line of a catalogue entry as a text of its own."""
    text = say(message_id)
    return tuple(
        Text(zh, en) for zh, en in zip(text.zh.splitlines(), text.en.splitlines(), strict=True)
    )


def _findings(
    facts: JobFacts, answer: Answer | None, processes: Sequence[Mapping[str, str]]
) -> tuple[Text, ...]:
    risks = hidden_failure_risks(facts.command)
    seen = answer.evidence if answer else Evidence()
    hidden = answer is not None and is_hidden_failure(answer, facts.state, risks)
    envs = processes or ([facts.env] if facts.env else [])
    return (
        *((say("triage-hidden-failure"),) if hidden else ()),
        *(risk.text for risk in risks),
        *check_resume(seen),
        *check_output_paths(facts.command, facts.output_path, seen.local_paths),
        *check_launch(
            envs,
            command=facts.command,
            workers=facts.workers,
            gpus_per_worker=facts.gpus_per_worker,
        ),
        *check_debug_settings(envs),
    )


def _spot(facts: JobFacts, stage: Stage) -> tuple[Text, ...]:
    """Return what is different for interruptible resources."""
    if facts.event in {"job.preempted", "job.queue_limit"}:
        return lines("triage-spot-preempted")
    return lines("triage-spot-queued") if facts.spot and stage in _BEFORE_START else ()
