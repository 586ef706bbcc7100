import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.jobs import cgroup_ids, clean_job_id, job_of
from rankscope.model.event import JobId

UID = "0b9f6c1e-1111-2222-3333-444455556666"
BOX = "ab" * 32
SYSTEMD = (
    f"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}"
    f".slice/cri-containerd-{BOX}.scope"
)


@pytest.mark.parametrize(
    ("env", "cgroup", "job"),
    [
        ({"MY_JOB": "jo-1", "TORCHELASTIC_RUN_ID": "run-2"}, "", "jo-1"),
        ({"TORCHELASTIC_RUN_ID": "run-2", "SLURM_JOB_ID": "3"}, "", "run-2"),
        ({"TORCHELASTIC_RUN_ID": "none", "SLURM_JOB_ID": "3"}, "", "3"),
        ({"MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "29500"}, SYSTEMD, UID),
        ({}, f"0::/../../docker/{BOX}", BOX),
        ({}, "0::/slurm/uid_1000/job_77/step_0", "77"),
        ({"MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "29500"}, "0::/", "10.0.0.1:29500"),
        ({"PBS_JOBID": "123[4].pbs"}, "", "123-4-.pbs"),
        ({}, "0::/user.slice", ""),
    ],
)
def test_best_evidence_first(env: dict[str, str], cgroup: str, job: str) -> None:
    assert job_of(env, cgroup, ("MY_JOB",)) == job


def test_all_ids_of_a_cgroup() -> None:
    assert list(cgroup_ids(SYSTEMD)) == [UID, BOX]


@given(st.text())
def test_a_cleaned_id_is_one_that_requests_may_bear(text: str) -> None:
    cleaned = clean_job_id(text)
    assert not cleaned or msgspec.convert(cleaned, JobId) == cleaned
