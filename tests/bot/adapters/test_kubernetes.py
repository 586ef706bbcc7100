"""Kubernetes events, pods, and jobs that have conditions; Volcano's jobs and pod groups."""

from typing import Any

import pytest

from tests.bot.adapters.payloads import (
    condition,
    event,
    events,
    kube_event,
    pod,
    podgroup,
    pytorchjob,
    refusal,
    trainjob,
    volcano_job,
)


@pytest.mark.parametrize(
    ("reason", "type_", "phase"),
    [
        ("FailedScheduling", "job.queued", "queued"),
        ("Scheduled", "job.deploying", "deploying.resource"),
        ("ImagePullBackOff", "job.deploying", "deploying.image"),
        ("FailedMount", "job.deploying", "deploying.storage"),
        ("FailedCreatePodSandBox", "job.deploying", "deploying.init"),
        ("OOMKilling", "job.worker_failed", ""),
        ("Evicted", "job.worker_failed", ""),
        ("Preempted", "job.preempted", "queued"),
        ("Killing", "job.notice", ""),
    ],
)
def test_reasons_of_events(reason: str, type_: str, phase: str) -> None:
    found = event("kubernetes", kube_event(reason))

    assert (found.type, found.labels.get("phase", "")) == (type_, phase)
    assert (found.labels["worker"], found.labels["node"]) == ("worker-3", "n7")


def test_backing_off_is_told_apart_by_its_message() -> None:
    image = kube_event("BackOff", message='Back-off pulling image "a/b:c"')
    crash = kube_event("BackOff", message="Back-off restarting failed container")

    assert event("kubernetes", image).labels["phase"] == "deploying.image"
    assert event("kubernetes", crash).type == "job.worker_failed"


def test_the_newer_form_of_events() -> None:
    old = kube_event("FailedMount")
    about = old.pop("involvedObject")
    for name in ("message", "firstTimestamp", "lastTimestamp", "count", "source"):
        old.pop(name)
    body = {
        **old,
        "apiVersion": "events.k8s.io/v1",
        "regarding": about,
        "note": "mount timed out",
        "eventTime": "2025-03-02T10:00:00.123456Z",
        "series": {"count": 4, "lastObservedTime": "2025-03-02T10:07:00.000001Z"},
        "deprecatedSource": {"host": "n7"},
    }
    found = event("kubernetes", body)

    assert found.time is not None
    assert (found.job.id, found.time.minute, found.labels["count"]) == ("exp-7", 7, "4")
    assert "mount timed out" in found.message


def test_every_repetition_of_an_event_is_one_of_its_own() -> None:
    first, again = kube_event(count=2), kube_event(count=3, lastTimestamp="2025-03-02T10:09:00Z")

    assert event("kubernetes", first).id != event("kubernetes", again).id


def test_an_event_of_a_job_names_it_and_one_of_a_node_does_not() -> None:
    about = {"kind": "PyTorchJob", "name": "exp-8", "namespace": "vision"}
    assert event("kubernetes", kube_event(involvedObject=about)).job.id == "exp-8"

    node = kube_event("NodeNotReady", involvedObject={"kind": "Node", "name": "n7"})
    assert "which job" in refusal("kubernetes", node)
    found = event("kubernetes", node, job="exp-8")
    assert (found.type, found.labels["node"]) == ("node.unhealthy", "n7")


def test_a_killed_container_keeps_code_signal_and_reason() -> None:
    found = event("kubernetes", pod())

    assert (found.type, found.severity, found.state) == ("job.worker_failed", "critical", "")
    assert found.message == (
        "Container trainer of exp-7-worker-3 ended: OOMKilled, exit code 137 (SIGKILL)."
    )
    kept = {name: found.labels[name] for name in ("exit_code", "signal", "exit_reason", "worker")}
    assert kept == {
        "exit_code": "137", "signal": "SIGKILL", "exit_reason": "OOMKilled", "worker": "worker-3",
    }  # fmt: skip


def container(**state: Any) -> dict[str, Any]:
    return {"name": "trainer", **state}


@pytest.mark.parametrize(
    ("status", "type_"),
    [
        ({"phase": "Running"}, "job.notice"),
        ({"phase": "Succeeded"}, "job.notice"),
        ({"phase": "Pending"}, "job.deploying"),
        ({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}, "job.worker_failed"),
        ({"phase": "Failed", "reason": "Preempting"}, "job.preempted"),
        (
            {
                "phase": "Pending",
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
                ],
            },
            "job.queued",
        ),
        (
            {
                "phase": "Pending",
                "containerStatuses": [container(state={"waiting": {"reason": "ErrImagePull"}})],
            },
            "job.deploying",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    container(
                        restartCount=1,
                        state={"running": {}},
                        lastState={"terminated": {"exitCode": 134, "reason": "Error"}},
                    )
                ],
            },
            "job.worker_failed",
        ),
    ],
)
def test_states_of_pods(status: dict[str, Any], type_: str) -> None:
    assert event("kubernetes", pod(status)).type == type_


def test_the_first_container_that_ended_is_told() -> None:
    def ended(name: str, code: int, minute: int) -> dict[str, Any]:
        end = {"exitCode": code, "finishedAt": f"2025-03-02T10:{minute:02}:00Z"}
        return {"name": name, "state": {"terminated": end}}

    statuses = [ended("sidecar", 143, 9), ended("trainer", 1, 3), ended("done", 0, 1)]
    found = event("kubernetes", pod({"phase": "Failed", "containerStatuses": statuses}))

    assert found.labels["exit_code"] == "1"


def test_a_pod_without_labels_is_its_owners() -> None:
    owner = [{"kind": "PyTorchJob", "name": "exp-owner"}]

    assert event("kubernetes", pod(labels={}, ownerReferences=owner)).job.id == "exp-owner"
    assert event("kubernetes", pod(labels={})).job.id == "exp-7"


@pytest.mark.parametrize(
    ("kind", "type_", "state"),
    [
        ("Created", "job.queued", "queued"),
        ("Running", "job.running", "running"),
        ("Restarting", "job.restarting", "deploying"),
        ("Succeeded", "job.succeeded", "succeeded"),
        ("Failed", "job.failed", "failed"),
        ("Suspended", "job.queued", "queued"),
        ("Novel", "job.notice", ""),
    ],
)
def test_conditions_of_kubeflow_jobs(kind: str, type_: str, state: str) -> None:
    found = event("pytorchjob", pytorchjob(condition(kind, "2025-03-02T10:00:00Z")))

    assert (found.type, found.state, found.source) == (type_, state, "pytorchjob")
    assert found.job.framework == "PyTorchJob"


def test_the_latest_true_condition_counts() -> None:
    body = pytorchjob(
        condition("Running", "2025-03-02T10:00:00Z"),
        condition("Restarting", "2025-03-02T09:00:00Z"),
        condition("Failed", "2025-03-02T11:00:00Z", "False"),
    )

    assert event("pytorchjob", body).type == "job.running"


def test_an_update_that_changes_no_condition_is_no_new_event() -> None:
    one = event("pytorchjob", pytorchjob(replicaStatuses={"Worker": {"active": 3}}))

    assert one.id == event("pytorchjob", pytorchjob()).id
    assert event("pytorchjob", pytorchjob()).labels["replicas"] == "Worker: active 3, failed 1"


def test_a_train_job_runs_when_its_pods_do() -> None:
    created = condition("Created", "2025-03-02T09:00:00Z")
    runs = trainjob(created, jobsStatus=[{"name": "node", "ready": 2, "active": 2}])
    waits = trainjob(created, jobsStatus=[{"name": "node", "ready": 0, "active": 0}])
    complete = trainjob(created, condition("Complete", "2025-03-02T11:00:00Z"))

    assert event("trainjob", runs).type == "job.running"
    assert event("trainjob", waits).type == "job.queued"
    assert event("trainjob", complete).type == "job.succeeded"


def test_a_job_without_status_says_what_is_missing() -> None:
    body = pytorchjob()
    body.pop("status")

    assert "status.conditions" in refusal("pytorchjob", body)


@pytest.mark.parametrize(
    ("phase", "type_"),
    [
        ("Pending", "job.queued"),
        ("Running", "job.running"),
        ("Restarting", "job.restarting"),
        ("Completed", "job.succeeded"),
        ("Aborted", "job.cancelled"),
        ("Terminated", "job.stopped"),
        ("Failed", "job.failed"),
    ],
)
def test_phases_of_volcano_jobs(phase: str, type_: str) -> None:
    found = event("volcano", volcano_job(phase))

    assert (found.type, found.attempt) == (type_, 2)
    assert "Running 3, Failed 1" in found.message


def test_a_group_that_cannot_be_scheduled_waits() -> None:
    found = event("volcano", podgroup())
    assert (found.type, found.severity) == ("job.queued", "warning")
    assert found.labels["reason"] == "NotEnoughResources"

    named = "exp-7-7c9e6679-7425-40de-944b-e07fc1f90ae7"
    assert event("volcano", podgroup(name=named)).job.id == "exp-7"
    assert event("volcano", podgroup("Running")).type == "job.notice"


def test_what_watchers_put_around_objects_is_taken_off() -> None:
    for body in (
        {"type": "MODIFIED", "object": pod()},
        {"kind": "AdmissionReview", "request": {"uid": "1", "object": pod()}},
        {"specversion": "1.0", "type": "dev.knative.apiserver.resource.update", "data": pod()},
        {"apiVersion": "v1", "kind": "PodList", "items": [pod()]},
    ):
        assert event("kubernetes", body).type == "job.worker_failed"

    assert len(events("volcano", [pod(), pytorchjob(), kube_event()])) == 3
