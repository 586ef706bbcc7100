"""What alerts mean, by their names and words."""

import pytest

from bot.adapters.meanings import meaning_of_alert
from tests.bot.adapters.payloads import alert, alertmanager, event, events, grafana

BY_NAME = {
    "job.hang": [
        "TrainingJobHang", "JobStuck", "training_no_progress", "NoStepFor10m", "LossNotUpdated",
        "TrainStalled", "CheckpointNotUpdated", "GPUUtilLow", "GpuUtilizationDropped", "LowGPUUtil",
        "训练任务Hang", "任务挂起", "任务卡住", "GPU 利用率下降", "step 无进展", "gpu_idle",
    ],
    "job.slow": ["TrainingSlow", "SlowDown", "StragglerFound", "ThroughputLow", "StepTimeHigh",
        "训练变慢"],
    "job.resumed": ["JobRecovered", "训练恢复"],
    "job.slow_recovered": ["SlowdownRecovered"],
    "job.worker_failed": ["PodOOMKilled", "WorkerCrashed"],
    "job.failed": ["TrainingJobFailed", "任务运行失败"],
    "job.preempted": ["SpotPreempted"],
    "job.queued": ["JobPendingTooLong"],
    "node.unhealthy": ["GPUXidError", "NodeNotReady", "NvlinkErrors", "GPU 掉卡", "IBLinkDown"],
    "job.notice": ["ChangeDetected", "DiskFull", "Watchdog", "DatasourceNoData", "JobStarted"],
}  # fmt: skip

BY_TEXT = {
    "job.hang": [
        "no step for 12m", "12 分钟无 step", "Hang 检测判定为挂起", "loss 长时间没有变化",
        "only rank 3 is stuck", "3 of 8 ranks without progress", "GPU utilisation dropped to 2 %",
        "waits in barrier", "stopped near allreduce", "all_reduce", "NCCL watchdog",
        "疑似停在 checkpoint 保存, 卡住", "log not advancing",
    ],
    "job.slow": ["step time 2.1x baseline", "slower than before", "threshold ratio:1.5",
        "训练变慢"],
    "node.unhealthy": ["Xid 79 on node"],
    "job.notice": ["disk is 91 % full", ""],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "type_"), [(name, type_) for type_, names in BY_NAME.items() for name in names]
)
def test_names_tell_what_an_alert_means(name: str, type_: str) -> None:
    assert meaning_of_alert(name, ["something"]).type == type_


@pytest.mark.parametrize(
    ("said", "type_"), [(said, type_) for type_, texts in BY_TEXT.items() for said in texts]
)
def test_texts_tell_it_where_the_name_does_not(said: str, type_: str) -> None:
    assert meaning_of_alert("TrainingAlert", [said]).type == type_


def test_the_name_wins_over_the_texts() -> None:
    assert meaning_of_alert("TrainingSlow", ["allreduce takes long, hang?"]).type == "job.slow"


def test_a_label_of_the_rule_wins_over_all_words() -> None:
    labels = {"alertname": "JobHang", "job_id": "exp-7", "rankscope_event": "job.slow"}

    assert event("alertmanager", alertmanager(alert(labels=labels))).type == "job.slow"


@pytest.mark.parametrize(
    ("name", "type_"),
    [("JobHang", "job.resumed"), ("JobSlow", "job.slow_recovered"), ("DiskFull", "job.notice")],
)
def test_the_end_of_an_alert_ends_the_trouble(name: str, type_: str) -> None:
    over = alert(name, status="resolved", endsAt="2025-03-02T10:30:00Z")
    found = event("alertmanager", alertmanager(over))

    assert (found.type, found.severity) == (type_, "info")
    assert found.time is not None
    assert found.time.minute == 30
    assert found.id != event("alertmanager", alertmanager(alert(name))).id


def test_a_job_of_which_another_alert_fires_has_not_resumed() -> None:
    over = alert(status="resolved", endsAt="2025-03-02T10:30:00Z", fingerprint="other")
    types = {e.type for e in events("alertmanager", alertmanager(over, alert()))}
    assert types == {"job.notice", "job.hang"}

    elsewhere = {e.type for e in events("alertmanager", alertmanager(over, alert(job="exp-8")))}
    assert elsewhere == {"job.resumed", "job.hang"}


def test_repeating_an_alert_repeats_no_event() -> None:
    again = alertmanager(alert(), groupKey="other", receiver="other")

    assert event("alertmanager", again).id == event("alertmanager", alertmanager()).id


@pytest.mark.parametrize(
    ("labels", "job"),
    [
        ({"label_training_kubeflow_org_job_name": "a"}, "a"),
        ({"slurm_job_id": "77", "job_name": "b"}, "77"),
        ({"jobId": "c"}, "c"),
        ({"job": "prometheus", "pod": "exp-9-worker-0"}, "exp-9"),
        ({"pod": "exp-9-node-0-1-x7k2p"}, "exp-9"),
        ({"pod": "llama-2-master-0"}, "llama-2"),
        ({"exported_pod": "gpt-3"}, "gpt"),
        ({"job_id": "has space", "job_name": "good"}, "good"),
    ],
)
def test_the_job_is_found_in_labels(labels: dict[str, str], job: str) -> None:
    found = event("alertmanager", alertmanager(alert(labels={"alertname": "JobHang", **labels})))

    assert found.job.id == job


def test_the_job_may_be_in_an_annotation_or_in_the_group() -> None:
    noted = alert(labels={"alertname": "JobHang"}, annotations={"job_id": "exp-5"})
    assert event("alertmanager", alertmanager(noted)).job.id == "exp-5"

    bare = alert(labels={"alertname": "JobHang"})
    assert (
        event("alertmanager", alertmanager(bare, groupLabels={"job_id": "exp-6"})).job.id == "exp-6"
    )


def test_labels_of_the_settings_come_first() -> None:
    labels = {"alertname": "JobHang", "job_id": "exp-7", "our_id": "exp-1"}
    body = alertmanager(alert(labels=labels))

    assert event("alertmanager", body, job_labels=("our_id",)).job.id == "exp-1"


def test_what_an_alert_knows_is_kept() -> None:
    found = event("grafana", grafana())

    assert found.source == "grafana"
    assert found.severity == "critical"
    assert found.message == "loss stopped; last step 91"
    assert found.labels["node"] == "n7"
    assert found.labels["value_A"] == "3.5"
    assert found.labels["alert_url"] == "https://g.example/p"


def test_alerts_left_out_are_told_of() -> None:
    assert event("alertmanager", alertmanager(truncatedAlerts=3)).labels["truncated_alerts"] == "3"


def test_the_name_may_be_what_the_group_has_in_common() -> None:
    bare = alert()
    del bare["labels"]["alertname"]
    body = alertmanager(bare, commonLabels={"alertname": "TrainingStuck"})

    assert event("alertmanager", body).type == "job.hang"
