"""One body of every source, made up, in the shape their systems send; and how tests read them."""

import json
from datetime import timedelta, timezone
from typing import Any

from bot.adapters.adapter import Told
from bot.adapters.reading import Reading, read_events
from bot.adapters.table import adapter_named
from rankscope.model.event import Event

Json = dict[str, Any]
ZONE = timezone(timedelta(hours=8))
SLOW_LINE = (
    "2025-03-02 10:00:05 Smoothed mean (iters 13-17: 5000.00 ms, baseline: 2000.00 ms),"
    " threshold ratio:1.50. Warning"
)


def reading(source: str, body: object, **told: Any) -> Reading:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    defaults: dict[str, Any] = {"zone": ZONE, "language": "en"}
    return read_events(adapter_named(source), raw, Told(**(defaults | told)))


def events(source: str, body: object, **told: Any) -> tuple[Event, ...]:
    return reading(source, body, **told).events


def event(source: str, body: object, **told: Any) -> Event:
    found = reading(source, body, **told)
    assert not found.refused, found.refused
    [one] = found.events
    return one


def refusal(source: str, body: object, **told: Any) -> str:
    found = reading(source, body, **told)
    assert not found.events
    return str(found.refused[0])


def alert(name: str = "JobHang", job: str = "exp-7", **changes: Any) -> Json:
    return {
        "status": "firing",
        "labels": {"alertname": name, "job_id": job, "severity": "critical", "node": "n7"},
        "annotations": {"summary": "loss stopped", "description": "last step 91"},
        "startsAt": "2025-03-02T10:00:00.5Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": "00aa11bb22cc33dd",
        **changes,
    }


def alertmanager(*alerts: Json, **changes: Any) -> Json:
    return {
        "version": "4",
        "groupKey": '{}:{alertname="JobHang"}',
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "rankscope",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "alerts": list(alerts) or [alert()],
        **changes,
    }


def grafana(*alerts: Json) -> Json:
    shown = alerts or (alert("StepTimeSlow", values={"A": 3.5}, panelURL="https://g.example/p"),)
    return {**alertmanager(*shown), "version": "1", "orgId": 1, "title": "t", "state": "alerting"}


def kube_event(reason: str = "FailedMount", **changes: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "exp-7-worker-3.9a", "namespace": "vision", "uid": "ev-1"},
        "involvedObject": {"kind": "Pod", "namespace": "vision", "name": "exp-7-worker-3"},
        "reason": reason,
        "message": "mount of volume data timed out",
        "source": {"component": "kubelet", "host": "n7"},
        "firstTimestamp": "2025-03-02T09:59:00Z",
        "lastTimestamp": "2025-03-02T10:00:00Z",
        "count": 2,
        "type": "Warning",
        **changes,
    }


def pod(status: Json | None = None, **metadata: Any) -> Json:
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2025-03-02T10:00:00Z"}
    killed = {"name": "trainer", "restartCount": 0, "state": {"terminated": ended}}
    labels = {"training.kubeflow.org/job-name": "exp-7"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "exp-7-worker-3", "namespace": "vision", "labels": labels, **metadata},
        "spec": {"nodeName": "n7"},
        "status": {"phase": "Failed", "containerStatuses": [killed]} if status is None else status,
    }


def condition(kind: str, time: str, status: str = "True") -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": f"Job{kind}",
        "message": f"the job is {kind}",
        "lastTransitionTime": time,
    }


def pytorchjob(*conditions: Json, **status: Any) -> Json:
    told = conditions or (
        condition("Created", "2025-03-02T09:00:00Z"),
        condition("Running", "2025-03-02T09:10:00Z", "False"),
        condition("Restarting", "2025-03-02T10:00:00Z"),
    )
    replicas = {"Worker": {"active": 3, "failed": 1}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "exp-7", "namespace": "vision", "uid": "job-1"},
        "status": {"conditions": list(told), "replicaStatuses": replicas, **status},
    }


def trainjob(*conditions: Json, **status: Any) -> Json:
    told = conditions or (
        condition("Created", "2025-03-02T09:00:00Z"),
        condition("Failed", "2025-03-02T10:00:00Z"),
    )
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "exp-7", "creationTimestamp": "2025-03-02T08:59:00Z"},
        "status": {"conditions": list(told), **status},
    }


def volcano_job(phase: str = "Restarting", **status: Any) -> Json:
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "exp-7", "namespace": "vision"},
        "status": {
            "state": {"phase": phase, "lastTransitionTime": "2025-03-02T10:00:00Z"},
            "running": 3,
            "failed": 1,
            "retryCount": 2,
            "taskStatusCount": {"worker": {"phase": {"Running": 3, "Failed": 1}}},
            **status,
        },
    }


def podgroup(phase: str = "Pending", name: str = "podgroup-exp-7") -> Json:
    waits = {
        **condition("Unschedulable", "2025-03-02T10:00:00Z"),
        "reason": "NotEnoughResources",
        "message": "8/8 tasks in gang unschedulable",
    }
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "vision"},
        "status": {"phase": phase, "conditions": [waits]},
    }


def slurm(state: str = "FAILED", **env: str) -> Json:
    return {
        "hook": "EpilogSlurmctld",
        "env": {
            "SLURM_JOB_ID": "90210",
            "SLURM_JOB_NAME": "pretrain",
            "SLURM_JOB_USER": "lin",
            "SLURM_JOB_PARTITION": "h800",
            "SLURM_JOB_NODELIST": "n[7-9]",
            "SLURM_JOB_EXIT_CODE": "35584",
            "SLURM_JOB_EXIT_CODE2": "139:0",
            "SLURM_CLUSTER_NAME": "east",
            **env,
        },
        "sacct": {"State": state} if state else {},
        "time": "2025-03-02T10:00:00Z",
    }


def dlrover(name: str = "#fault_detect", kind: str = "INSTANT", **content: Any) -> str:
    told = json.dumps(content or {"reason": "Training is hang", "pod_name": "exp-7-worker-3"})
    return f"[2025-03-02T18:00:00.250000] [e1] [dlrover-master] [{name}] [{kind}] {told}"


def nvrx(detector: str = "cycle_stalled", **changes: Any) -> Json:
    return {
        "key": f"nvrx-{detector.replace('_', '-')}-90210-4000",
        "detector": detector,
        "severity": "critical",
        "summary": "The cycle has not moved for 20 min.",
        "detail": "Look at the slowest node.",
        "action": None,
        **changes,
    }


def cloudevent(type_: str = "org.example.job.hang", **changes: Any) -> Json:
    return {
        "specversion": "1.0",
        "id": "ce-1",
        "source": "/clusters/east",
        "type": type_,
        "subject": "exp-7",
        "time": "2025-03-02T10:00:00Z",
        "data": {"job_name": "pretrain", "worker": "worker-3", "message": "no step for 20 min"},
        **changes,
    }


NESTED = {
    "schema": "other.event/v3",
    "id": "exp-7:hang:1",
    "time": "2025-03-02T10:00:00Z",
    "job": {"id": "exp-7", "name": "pretrain", "workers": 4, "gpus_per_worker": 8, "attempt": 2},
    "event": {"type": "job.hang", "phase": "running", "severity": "critical", "status": "firing"},
    "target": {"worker": "worker-3"},
    "metrics": {"last_step": 91},
}

BODIES: dict[str, tuple[str, object, str, str]] = {
    "alertmanager": ("alertmanager", alertmanager(), "job.hang", "exp-7"),
    "grafana": ("grafana", grafana(), "job.slow", "exp-7"),
    "kubernetes event": ("kubernetes", kube_event(), "job.deploying", "exp-7"),
    "pod": ("kubernetes", pod(), "job.worker_failed", "exp-7"),
    "pytorchjob": ("pytorchjob", pytorchjob(), "job.restarting", "exp-7"),
    "trainjob": ("trainjob", trainjob(), "job.failed", "exp-7"),
    "volcano job": ("volcano", volcano_job(), "job.restarting", "exp-7"),
    "podgroup": ("volcano", podgroup(), "job.queued", "exp-7"),
    "slurm": ("slurm", slurm(), "job.failed", "90210"),
    "dlrover": ("dlrover", dlrover().encode(), "job.hang", "exp-7"),
    "nvrx": ("nvrx", nvrx(), "job.hang", "90210"),
    "cloudevent": ("cloudevents", cloudevent(), "job.hang", "exp-7"),
    "log line": ("aistudio", {"job_id": "exp-7", "log": SLOW_LINE}, "job.slow", "exp-7"),
    "nested": ("rankscope", NESTED, "job.hang", "exp-7"),
    "a run's end": (
        "generic",
        {
            "event": "run.completed",
            "timestamp": 1740909600,
            "data": {"id": "r-9", "status": "failed"},
        },
        "job.failed",
        "r-9",
    ),
    "a pipeline's task": (
        "generic",
        {
            "ID": "77",
            "PipelineName": "pt",
            "TaskID": "t9",
            "Status": "Succeeded",
            "CustomContent": "exp-7",
        },
        "job.succeeded",
        "exp-7",
    ),
}
"""name → source, body, type of the event, job."""
