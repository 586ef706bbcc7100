"""At which stage a job is stuck or has failed, and what to look at first; pure."""

from rankscope.logs.triage.ddp import check_launch
from rankscope.logs.triage.decide import triage
from rankscope.logs.triage.hidden import is_hidden_failure
from rankscope.logs.triage.local_paths import check_output_paths
from rankscope.logs.triage.model import JobFacts, Stage, Triage, facts_of
from rankscope.logs.triage.nccl_settings import check_debug_settings
from rankscope.logs.triage.no_progress import NoProgress, judge_progress
from rankscope.logs.triage.resume import check_resume
from rankscope.logs.triage.start_command import Risk, hidden_failure_risks

__all__ = [
    "JobFacts",
    "NoProgress",
    "Risk",
    "Stage",
    "Triage",
    "check_debug_settings",
    "check_launch",
    "check_output_paths",
    "check_resume",
    "facts_of",
    "hidden_failure_risks",
    "is_hidden_failure",
    "judge_progress",
    "triage",
]
