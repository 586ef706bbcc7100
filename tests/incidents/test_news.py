"""State events lead to a card with the first error, and to no capture."""

from dataclasses import replace

import pytest

from rankscope.incidents import Ask, handle_event, request_capture, silence_job
from rankscope.incidents.launch import launch_notes, note_launch
from rankscope.incidents.logs import PIECE_LETTERS, logs_of
from rankscope.model.capture import Trigger
from rankscope.model.event import Event, EventJob, EventLog
from rankscope.model.state import CaptureRecord, Incident, IncidentState, Job, Outgoing
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.cards.news import OOM, STEPS
from tests.conftest import MakeSettings
from tests.incidents.conftest import CHAT, event, replies, the_incident

LOG = (EventLog(worker="worker-1", text=OOM, first_line=101),)
CALM = (EventLog(worker="worker-1", text=STEPS, first_line=1),)


def incidents(state: State) -> list[Incident]:
    return sorted(state.all(Incident), key=lambda one: one.id)


def failed(minute: float = 0, **fields: object) -> Event:
    return event("job.failed", minute, message="exit code 1", **fields)  # type: ignore[arg-type]


def test_a_failure_gets_a_card_with_its_first_error_and_no_capture(
    running: State, settings: Settings
) -> None:
    handle_event(running, failed(logs=LOG), settings)

    incident = the_incident(running)
    assert (incident.state, incident.kind) == (IncidentState.ENDED, Trigger.FAILED)
    assert (incident.event, incident.message) == ("job.failed", "exit code 1")
    assert incident.diagnosis
    assert incident.diagnosis.first
    first = incident.diagnosis.first
    assert (first.file, first.line, first.rank, first.layer) == ("worker-1", 113, 5, "code")
    assert "CUDA out of memory" in first.text
    assert incident.diagnosis.stage == "after_check"
    assert running.find(Outgoing, incident.id)
    assert not list(running.all(CaptureRecord))
    assert not running.open_incident("jo-1")


def test_without_a_log_no_error_is_made_up(running: State, settings: Settings) -> None:
    handle_event(running, failed(), settings)

    diagnosis = the_incident(running).diagnosis
    assert diagnosis
    assert (diagnosis.first, diagnosis.logs, diagnosis.stage) == (None, (), "unknown")


def test_a_log_that_comes_later_is_read_on_the_same_card(
    running: State, settings: Settings
) -> None:
    handle_event(running, failed(), settings)
    before = running.load(Outgoing, the_incident(running).id).wanted

    handle_event(running, failed(-1, id="late", source="rankscope-watch", logs=LOG), settings)

    incident = the_incident(running)
    assert incident.diagnosis
    assert incident.diagnosis.first
    assert running.load(Outgoing, incident.id).wanted == before + 1


def test_one_card_for_a_run_and_state_however_many_tell(running: State, settings: Settings) -> None:
    for number in range(4):
        handle_event(running, failed(number, id=f"f{number}", source=f"s{number}"), settings)

    the_incident(running)


def test_a_job_that_runs_again_and_fails_again_gets_another_card(
    running: State, settings: Settings
) -> None:
    handle_event(running, failed(), settings)
    handle_event(running, event("job.running", 1), settings)
    handle_event(running, failed(2, id="again", logs=CALM), settings)

    first, second = incidents(running)
    assert first.diagnosis
    assert not first.diagnosis.logs
    assert second.diagnosis
    assert second.diagnosis.logs == ("worker-1",)


def test_another_attempt_that_fails_gets_another_card(running: State, settings: Settings) -> None:
    handle_event(running, failed(attempt=1), settings)
    handle_event(running, failed(1, attempt=2), settings)

    assert len(incidents(running)) == 2


def test_the_open_incident_ends_with_the_first_error(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang", message="no step"), settings)
    handle_event(running, failed(1, logs=LOG), settings)
    handle_event(running, failed(2, id="twice", source="k8s"), settings)

    incident = the_incident(running)
    assert (incident.state, incident.event) == (IncidentState.ENDED, "job.failed")
    assert incident.kind is Trigger.HANG
    assert incident.diagnosis
    assert incident.diagnosis.first
    said = replies(running)["ended"]
    assert "CUDA out of memory" in said


def test_a_failure_does_not_hide_on_the_card_of_a_capture_asked_for(
    running: State, settings: Settings
) -> None:
    ask = Ask(job_id="jo-1", trigger=Trigger.MANUAL, request_id="r", chat_id=CHAT, by="ou_a")
    request_capture(running, ask)
    handle_event(running, failed(), settings)

    by_event = {one.event: one for one in incidents(running)}
    assert by_event.keys() == {"", "job.failed"}
    assert by_event[""].state is IncidentState.ENDED


def test_a_plain_success_only_ends_an_incident(running: State, settings: Settings) -> None:
    handle_event(running, event("job.succeeded"), settings)
    assert not incidents(running)

    handle_event(running, event("job.running", 1), settings)
    handle_event(running, event("job.hang", 2), settings)
    handle_event(running, event("job.succeeded", 3, logs=CALM), settings)

    incident = the_incident(running)
    assert incident.state is IncidentState.ENDED
    assert not incident.event


def test_a_success_with_an_error_in_its_log_is_shown_even_when_the_log_comes_late(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.succeeded", 1), settings)
    handle_event(running, event("job.notice", 0, logs=LOG), settings)

    incident = the_incident(running)
    assert incident.event == "job.succeeded"
    assert incident.diagnosis
    assert incident.diagnosis.hidden


def test_the_settings_choose_which_states_get_a_card(
    running: State, make_settings: MakeSettings
) -> None:
    chosen = make_settings(feishu_chat_id=CHAT, state_cards=("succeeded",))
    handle_event(running, failed(logs=LOG), chosen)
    assert not incidents(running)

    handle_event(running, event("job.running", 1), chosen)
    handle_event(running, event("job.succeeded", 2), chosen)
    assert the_incident(running).event == "job.succeeded"


@pytest.mark.parametrize(
    ("kind", "stage"),
    [
        ("job.worker_failed", "unknown"),
        ("job.preempted", "queued"),
        ("job.stalled_restarts", "restarted"),
        ("job.env_check_failed", "env_check"),
        ("node.unhealthy", "unknown"),
    ],
)
def test_trouble_of_a_job_that_goes_on_opens_a_card(
    running: State, settings: Settings, kind: str, stage: str
) -> None:
    handle_event(running, event(kind, message="why"), settings)

    incident = the_incident(running)
    assert (incident.state, incident.event) == (IncidentState.OPEN, kind)
    assert incident.diagnosis
    assert incident.diagnosis.stage == stage
    assert running.open_incident("jo-1") == incident.id
    assert not list(running.all(CaptureRecord))


def test_a_time_out_ends_the_job_also_when_no_state_is_told(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.timeout"), settings)

    assert the_incident(running).state is IncidentState.ENDED


def test_more_trouble_joins_and_is_said_once_below_the_card(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang"), settings)
    for minute in (1, 2):
        trouble = event("job.worker_failed", minute, message=f"worker-{minute}: OOMKilled")
        handle_event(running, trouble, settings)

    incident = the_incident(running)
    assert incident.kind is Trigger.HANG
    assert incident.message == "worker-2: OOMKilled"
    assert "Worker" in replies(running)["news-worker_failed"]


def test_a_hang_after_trouble_captures_on_the_same_card(running: State, settings: Settings) -> None:
    handle_event(running, event("node.unhealthy"), settings)
    handle_event(running, event("job.hang", 1), settings)

    incident = the_incident(running)
    assert incident.kind is Trigger.HANG
    assert len(incident.captures) == 1


def test_a_job_that_runs_again_ends_its_trouble(running: State, settings: Settings) -> None:
    handle_event(running, event("job.preempted"), settings)
    handle_event(running, event("job.running", 1), settings)

    assert the_incident(running).state is IncidentState.RESUMED


def test_restarts_that_lead_nowhere_end_only_when_steps_go_on(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.stalled_restarts"), settings)
    handle_event(running, event("job.restarting", 1), settings)
    handle_event(running, event("job.running", 2), settings)
    assert the_incident(running).state is IncidentState.OPEN

    handle_event(running, event("job.resumed", 3), settings)
    assert the_incident(running).state is IncidentState.RESUMED


def test_trouble_after_it_was_over_gets_a_new_card(running: State, settings: Settings) -> None:
    handle_event(running, event("job.worker_failed"), settings)
    handle_event(running, event("job.resumed", 1), settings)
    handle_event(running, event("job.worker_failed", 2), settings)

    assert [one.state for one in incidents(running)] == [
        IncidentState.RESUMED,
        IncidentState.OPEN,
    ]


def test_trouble_of_a_silenced_job_opens_nothing(running: State, settings: Settings) -> None:
    silence_job(running, "jo-1", "ou_a", 0)
    handle_event(running, event("job.worker_failed"), settings)

    assert not incidents(running)


def test_spot_is_remembered_for_what_is_said_of_it(running: State, settings: Settings) -> None:
    handle_event(running, event("job.running", labels={"spot": "true"}), settings)
    handle_event(running, event("job.preempted", 1), settings)

    diagnosis = the_incident(running).diagnosis
    assert diagnosis
    assert any("Spot" in one.en for one in diagnosis.findings)


def test_the_start_command_of_an_earlier_event_is_looked_at(
    running: State, settings: Settings
) -> None:
    named = EventJob(id="jo-1", command="python train.py | tee log")
    handle_event(running, event("job.running", job=named), settings)
    handle_event(running, failed(1), settings)

    diagnosis = the_incident(running).diagnosis
    assert diagnosis
    assert any("tee" in one.en for one in diagnosis.findings)


def test_logs_are_kept_bounded_without_secrets_and_by_run(
    running: State, settings: Settings
) -> None:
    long = "x" * 90 + "\n"
    text = long * (PIECE_LETTERS // 45) + "HF_TOKEN=hf_abcdefghijklmnopqrst\n"
    log = EventLog(worker="w", text=text, first_line=1)
    handle_event(running, event("job.notice", logs=(log,)), settings)

    [piece] = logs_of(running, "jo-1")
    assert len(piece.text) <= PIECE_LETTERS
    assert "hf_abcdef" not in piece.text
    left_out = text.count("\n") - piece.text.count("\n")
    assert piece.first_line == 1 + left_out

    handle_event(running, event("job.running", 1, attempt=1), settings)
    handle_event(running, event("job.running", 2, attempt=2), settings)
    assert logs_of(running, "jo-1", run=1) == []


def test_a_warning_alone_is_no_log(running: State, settings: Settings) -> None:
    line = (
        "2026-06-08 03:00:00 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms),"
        " threshold ratio:2.05. Warning"
    )
    handle_event(running, event("job.slow", logs=(EventLog(worker="watch", text=line),)), settings)

    assert logs_of(running, "jo-1") == []
    slow = the_incident(running).slow
    assert slow
    assert (slow.first, slow.last, slow.tier) == (83, 87, "platform")


def test_a_log_of_an_older_attempt_is_not_kept(running: State, settings: Settings) -> None:
    handle_event(running, event("job.running", attempt=2), settings)
    handle_event(running, failed(1, attempt=1, logs=LOG), settings)

    assert logs_of(running, "jo-1") == []
    assert not incidents(running)


def test_a_piece_that_is_the_end_of_another_is_left_out(running: State, settings: Settings) -> None:
    end = EventLog(worker="train", text=OOM[-500:])
    handle_event(running, failed(logs=LOG), settings)
    handle_event(running, failed(1, id="w", source="watch", logs=(end,)), settings)

    assert [one.name for one in logs_of(running, "jo-1")] == ["worker-1"]


def test_what_the_last_capture_showed_of_the_start_is_on_the_card(
    running: State, settings: Settings
) -> None:
    job = Job(id="jo-1")
    note_launch(running, job, [{"RANK": "0"}, {"RANK": "0"}])
    handle_event(running, failed(), settings)

    diagnosis = the_incident(running).diagnosis
    assert diagnosis
    assert "RANK is used twice: 0" in diagnosis.findings[0].en
    assert launch_notes(running, replace(job, run=job.run + 1)) == ()
