"""Slurm, DLRover, NVRx, log lines, CloudEvents and platforms' own JSON."""

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.adapters.look import moment
from tests.bot.adapters.payloads import (
    NESTED,
    SLOW_LINE,
    ZONE,
    cloudevent,
    dlrover,
    event,
    events,
    nvrx,
    reading,
    refusal,
    slurm,
)


@pytest.mark.parametrize(
    ("state", "type_"),
    [
        ("COMPLETED", "job.succeeded"),
        ("FAILED", "job.failed"),
        ("NODE_FAIL", "job.failed"),
        ("OUT_OF_MEMORY", "job.failed"),
        ("TIMEOUT", "job.timeout"),
        ("PREEMPTED", "job.preempted"),
        ("REQUEUED", "job.restarting"),
        ("CANCELLED by 1000", "job.cancelled"),
        ("CANCELLED+", "job.cancelled"),
        ("RUNNING", "job.running"),
        ("SOMETHING", "job.notice"),
        ("", "job.failed"),
    ],
)
def test_states_of_slurm(state: str, type_: str) -> None:
    found = event("slurm", slurm(state))

    assert (found.type, found.job.id, found.job.owner) == (type_, "90210", "lin")
    assert (found.labels["exit_code"], found.labels["signal"]) == ("139", "SIGSEGV")
    assert (found.labels["nodes"], found.labels["cluster"]) == ("n[7-9]", "east")


@pytest.mark.parametrize(
    ("env", "type_", "code"),
    [
        ({"SLURM_JOB_EXIT_CODE2": "0:0"}, "job.succeeded", "0"),
        ({"SLURM_JOB_EXIT_CODE2": "0:9"}, "job.failed", "0"),
        ({"SLURM_JOB_EXIT_CODE2": "", "SLURM_JOB_EXIT_CODE": "256"}, "job.failed", "1"),
        ({"SLURM_JOB_EXIT_CODE2": "", "SLURM_JOB_EXIT_CODE": "0"}, "job.succeeded", "0"),
    ],
)
def test_without_a_state_the_exit_code_tells(env: dict[str, str], type_: str, code: str) -> None:
    found = event("slurm", slurm("", **env))

    assert (found.type, found.labels["exit_code"]) == (type_, code)


def test_the_environment_may_come_bare_and_from_the_prolog() -> None:
    bare = {"SLURM_JOB_ID": "90210", "SLURM_JOB_EXIT_CODE2": "1:0"}
    assert event("slurm", bare).type == "job.failed"

    prolog = {"hook": "PrologSlurmctld", "env": {"SLURM_JOB_ID": "90210"}}
    assert event("slurm", prolog).type == "job.running"


def test_slurms_own_json() -> None:
    job = {
        "job_id": 90210,
        "job_state": ["OUT_OF_MEMORY"],
        "name": "pretrain",
        "user_name": "lin",
        "exit_code": {"return_code": {"number": 0}, "signal": {"id": {"number": 9}}},
        "end_time": 1740909600,
    }
    found = event("slurm", {"jobs": [job]})

    assert (found.type, found.job.name) == ("job.failed", "pretrain")
    assert (found.labels["signal"], found.time) == ("SIGKILL", datetime(2025, 3, 2, 10, tzinfo=UTC))


def test_slurm_without_a_job_or_an_end_says_what_is_missing() -> None:
    assert "SLURM_JOB_ID" in refusal("slurm", {"env": {"SLURM_JOB_EXIT_CODE2": "1:0"}})
    assert "SLURM_JOB_EXIT_CODE2" in refusal("slurm", {"env": {"SLURM_JOB_ID": "90210"}})


def test_a_restarted_slurm_job_ends_anew() -> None:
    again = slurm(SLURM_RESTART_COUNT="1")

    assert event("slurm", again).id != event("slurm", slurm()).id
    assert event("slurm", again).attempt == 1


@pytest.mark.parametrize(
    ("name", "kind", "content", "type_"),
    [
        ("#fault_detect", "INSTANT", {"reason": "Training is hang"}, "job.hang"),
        ("#fault_detect", "BEGIN", {"reason": "training slow on node 3"}, "job.slow"),
        ("#fault_detect", "END", {"reason": "Training is hang"}, "job.notice"),
        ("#fault_detect", "INSTANT", {"reason": "node failed"}, "job.worker_failed"),
        ("#process_restart", "INSTANT", {"restart_round": 1}, "job.restarting"),
        ("#pod_relaunch", "INSTANT", {"relaunch_pod_name": "x"}, "job.restarting"),
        ("#pod_change", "INSTANT", {"to_state": "Failed"}, "job.worker_failed"),
        ("#pod_change", "INSTANT", {"to_state": "Running"}, "job.notice"),
        ("#rendezvous", "END", {"rendezvous_type": "elastic-training"}, "job.running"),
        ("#rendezvous", "BEGIN", {"rendezvous_type": "elastic-training"}, "job.notice"),
        ("#network_check", "BEGIN", {}, "job.env_check"),
    ],
)
def test_events_of_dlrover(name: str, kind: str, content: dict[str, Any], type_: str) -> None:
    line = dlrover(name, kind, **content, job_name="exp-7").encode()
    found = event("dlrover", line)

    assert (found.type, found.job.id) == (type_, "exp-7")
    assert found.time == datetime(2025, 3, 2, 10, 0, 0, 250_000, tzinfo=UTC)


def test_lines_of_dlrover_among_others() -> None:
    noise = "[2025-03-02 18:00:00,1] [INFO] [master.py:7] hello"
    text = "\n".join([noise, dlrover(), "", f"prefix {dlrover('#exit', reason='done')}"])

    assert {one.type for one in events("dlrover", text.encode(), job="exp-7")} == {
        "job.hang", "job.notice",
    }  # fmt: skip
    assert "#fault_detect" in refusal("dlrover", noise.encode(), job="exp-7")


def test_dlrovers_json() -> None:
    body = {
        "event_id": "e1",
        "event_time": "2025-03-02T18:00:00",
        "target": "dlrover-agent",
        "name": "#fault_detect",
        "event_type": "INSTANT",
        "content": {"reason": "hang", "pod_name": "exp-7-edljob-worker-2"},
    }

    assert event("dlrover", body).type == "job.hang"


@pytest.mark.parametrize(
    ("detector", "type_"),
    [
        ("stalled_progress", "job.stalled_restarts"),
        ("restart_storm", "job.stalled_restarts"),
        ("cycle_stalled", "job.hang"),
        ("suspect_node", "node.unhealthy"),
        ("slow_rank", "job.slow"),
    ],
)
def test_findings_of_nvrx(detector: str, type_: str) -> None:
    found = event("nvrx", nvrx(detector))

    assert (found.type, found.job.id, found.severity) == (type_, "90210", "critical")
    assert found.message == "The cycle has not moved for 20 min. Look at the slowest node."
    assert event("nvrx", nvrx(detector), job="exp-7").job.id == "exp-7"


def test_a_slow_down_line_keeps_its_numbers_and_gets_its_zone() -> None:
    found = event("aistudio", f"worker-3 | {SLOW_LINE}\n".encode(), job="exp-7")

    assert found.time == datetime(2025, 3, 2, 2, 0, 5, tzinfo=UTC)
    assert found.logs[0].text == SLOW_LINE
    assert found.labels["iters"] == "13-17"
    assert "150 %" in found.message
    assert "2.50" in found.message


@pytest.mark.parametrize(
    ("said", "type_"),
    [
        ("Command running...", "job.running"),
        ("Bootcheck Finished", "job.notice"),
        ("Check Finished", "job.notice"),
        ("Hang detected: no new log for 600 s", "job.hang"),
        ("Hang 检测:任务判定为挂起", "job.hang"),
    ],
)
def test_other_lines_of_the_platform(said: str, type_: str) -> None:
    body = f"2025-03-02 10:00:00 {said}\n2025-03-02 10:00:01 loss 1.2".encode()

    assert event("aistudio", body, job="exp-7").type == type_


@pytest.mark.parametrize(
    "before",
    [
        "2025-03-02 10:00:05.120 ",
        "2025-03-02T10:00:05+08:00 ",
        "[2025-03-02 10:00:05] ",
        "",
        "2025-03-02 10:00:05.120 exp-7-worker-0 worker-0 | ",
        "worker-0 | ",
    ],
)
@pytest.mark.parametrize(
    ("said", "type_"),
    [
        (SLOW_LINE[20:], "job.slow"),
        ("Command running...", "job.running"),
        ("Bootcheck Finished", "job.notice"),
        ("Bootcheck item rdma failed: port is down", "job.env_check_failed"),
        ("Hang detected: no new log for 600 s", "job.hang"),
    ],
)
def test_the_platforms_lines_are_read_behind_any_prefix(before: str, said: str, type_: str) -> None:
    found = event("aistudio", (before + said).encode(), job="exp-7")

    assert found.type == type_
    assert found.time == (datetime(2025, 3, 2, 2, 0, 5, tzinfo=UTC) if "2025" in before else None)


def test_a_word_in_a_line_without_a_time_is_no_hang() -> None:
    assert refusal("aistudio", b"loading, please Hang on", job="exp-7")


def test_a_check_that_counts_no_failures_has_not_failed() -> None:
    assert refusal("aistudio", b"2025-03-02 10:00:00 Bootcheck item gpu ok, failed: 0", job="exp-7")


def test_lines_may_lie_in_json_and_several_tell_several() -> None:
    later = SLOW_LINE.replace("10:00:05", "10:01:30").replace("13-17", "18-22")
    for body in (
        {"job_id": "exp-7", "text": f"{SLOW_LINE}\r\n{later}"},
        {"job": {"id": "exp-7"}, "lines": [SLOW_LINE, "noise", later]},
    ):
        assert [one.labels["iters"] for one in events("aistudio", body)] == ["13-17", "18-22"]


def test_of_a_very_long_log_the_last_events_are_taken() -> None:
    lines = [f"2025-03-02 00:{n // 60:02}:{n % 60:02} Hang" for n in range(1200)]
    found = reading("aistudio", "\n".join(lines).encode(), job="exp-7")

    assert len(found.events) == 1000
    assert found.events[-1].id.endswith("00:19:59")
    assert "last 1000" in found.refused[0].what


def test_two_jobs_with_the_same_line_have_two_events() -> None:
    ids = {event("aistudio", SLOW_LINE.encode(), job=job).id for job in ("exp-7", "exp-8")}

    assert len(ids) == 2


def test_text_that_tells_nothing_says_so() -> None:
    assert "Smoothed mean" in refusal("aistudio", b"loss: 1.2", job="exp-7")


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("com.example.train.job.hang", "job.hang"),
        ("job.slow_recovered", "job.slow_recovered"),
        ("com.example.training.completed", "job.succeeded"),
        ("com.example.training.failed.v1.failed", "job.failed"),
        ("com.example.job.hang_recovered", "job.resumed"),
    ],
)
def test_types_of_cloudevents(type_: str, expected: str) -> None:
    found = event("cloudevents", cloudevent(type_))

    assert (found.type, found.job.id, found.job.name) == (expected, "exp-7", "pretrain")


def test_a_cloudevent_may_carry_our_own_event() -> None:
    data = {"schema": "rankscope.event/1", "id": "e", "type": "job.hang", "job": {"id": "exp-3"}}

    assert event("rankscope", cloudevent(data=data)).job.id == "exp-3"


def test_cloudevents_with_the_same_id_are_told_apart_by_source() -> None:
    ids = {event("cloudevents", cloudevent(source=source)).id for source in ("/a", "/b")}

    assert len(ids) == 2


def test_a_nested_event_keeps_what_it_knows() -> None:
    found = event("rankscope", NESTED)

    assert (found.job.world_size, found.attempt, found.severity) == (32, 2, "critical")
    assert (found.labels["worker"], found.labels["step"]) == ("worker-3", "91")
    assert found.id.endswith("exp-7:hang:1")


def test_a_nested_event_that_is_over() -> None:
    over = {**NESTED, "event": {"type": "job.hang", "status": "resolved"}}

    assert event("generic", over).type == "job.resumed"


@pytest.mark.parametrize(
    ("body", "type_"),
    [
        ({"jobId": "exp-7", "status": "FAILED"}, "job.failed"),
        ({"job-id": "exp-7", "state": "Running"}, "job.running"),
        ({"job": "exp-7", "type": "hang"}, "job.hang"),
        ({"data": {"job_id": "exp-7", "phase": "queued"}}, "job.queued"),
        ({"JobID": "exp-7", "event": "run.finished", "result": "error"}, "job.failed"),
        ({"job_id": "exp-7", "status": "运行失败"}, "job.failed"),
        ({"job_id": "exp-7", "message": "12 分钟无 step"}, "job.hang"),
        ({"job_id": "exp-7", "title": "GPU utilisation low", "message": "3 %"}, "job.hang"),
        ({"job_id": 4711, "type": "job.slow"}, "job.slow"),
    ],
)
def test_platforms_own_json(body: dict[str, Any], type_: str) -> None:
    found = event("generic", body)

    assert found.type == type_
    assert found.job.id in {"exp-7", "4711"}


def test_json_that_says_too_little_hears_what_is_missing() -> None:
    assert "job_id" in refusal("generic", {"status": "failed"})
    assert "`type`" in refusal("generic", {"job_id": "exp-7"})
    assert "cannot be a job id" in refusal("generic", {"job_id": "../etc", "status": "failed"})


def test_links_to_other_than_pages_are_left_out() -> None:
    body = {"job_id": "exp-7", "status": "failed", "job_url": "javascript:alert(1)"}
    assert event("generic", body).job.url == ""

    assert (
        event("generic", {**body, "job_url": "https://p.example/j"}).job.url
        == "https://p.example/j"
    )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2025-03-02T10:00:00Z", datetime(2025, 3, 2, 10, tzinfo=UTC)),
        ("2025-03-02T10:00:00.123456789Z", datetime(2025, 3, 2, 10, 0, 0, 123_456, tzinfo=UTC)),
        ("2025-03-02 18:00:00", datetime(2025, 3, 2, 10, tzinfo=UTC)),
        (1740909600, datetime(2025, 3, 2, 10, tzinfo=UTC)),
        ("1740909600000", datetime(2025, 3, 2, 10, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59Z", None),
        ("yesterday", None),
        ("nan", None),
        ("-inf", None),
        (None, None),
    ],
)
def test_times(written: object, read: datetime | None) -> None:
    assert moment(written, ZONE) == read


def test_the_data_of_a_cloudevent_may_be_in_base64() -> None:
    plain = b'{"job_id": "exp-9", "message": "no step"}'
    body = cloudevent(subject="", data_base64=base64.b64encode(plain).decode())
    del body["data"]

    assert (event("cloudevents", body).job.id, event("cloudevents", body).type) == (
        "exp-9", "job.hang",
    )  # fmt: skip
    assert "data_base64" in refusal("cloudevents", {**body, "data_base64": "no base64!"})


def test_an_event_whose_sender_knows_no_type_for_it_is_a_notice() -> None:
    body = {"schema": "x/v1", "id": "1", "job": {"id": "exp-7"}, "event": {"type": "unknown"}}

    assert event("generic", body).type == "job.notice"
