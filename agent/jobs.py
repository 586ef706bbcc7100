"""Which job a process belongs to, best evidence first (docs/agent.md, "Which job")."""

import re
from collections.abc import Iterator, Mapping, Sequence

_POD = re.compile(r"pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})")
_CONTAINER = re.compile(r"([0-9a-f]{64})(?:\.scope)?/?$", re.MULTILINE)
_SLURM = re.compile(r"/slurm(?:stepd\.scope)?/(?:uid_\d+/)?job_(\d+)")
_SCHEDULERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "RAY_JOB_ID")
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._:-]+")
_LIMIT = 128


def job_of(env: Mapping[str, str], cgroup: str, variables: Sequence[str]) -> str:
    """Return the job's id, or an empty string; variables are names the operator chose."""
    for candidate in _candidates(env, cgroup, variables):
        cleaned = clean_job_id(candidate)
        if cleaned:
            return cleaned
    return ""


def clean_job_id(text: str) -> str:
    """Return an id as `rankscope.model.event.JobId` allows it: other characters become `-`."""
    return _NOT_ALLOWED.sub("-", text).lstrip("._:-")[:_LIMIT]


def _candidates(env: Mapping[str, str], cgroup: str, variables: Sequence[str]) -> Iterator[str]:
    yield from (env.get(name, "") for name in variables)
    run_id = env.get("TORCHELASTIC_RUN_ID", "")
    yield "" if run_id == "none" else run_id  # torchrun's default rendezvous id
    yield from (env.get(name, "") for name in _SCHEDULERS)
    yield from cgroup_ids(cgroup)
    if env.get("MASTER_ADDR") and env.get("MASTER_PORT"):
        yield f"{env['MASTER_ADDR']}:{env['MASTER_PORT']}"


def cgroup_ids(cgroup: str) -> Iterator[str]:
    """Yield the Slurm job, the pod uid and the container id that a cgroup path names.

    From inside another cgroup namespace paths begin with `/../..`, hence no prefix is assumed. The
    systemd driver writes `_` for `-` in pod uids.
    """
    for pattern in (_SLURM, _POD, _CONTAINER):
        match = pattern.search(cgroup)
        if match:
            yield match[1].replace("_", "-")
