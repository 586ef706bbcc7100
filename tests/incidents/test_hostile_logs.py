"""What somebody's program wrote costs no alert, calls nobody and carries no secret."""

import pytest

from rankscope.incidents import handle_event
from rankscope.incidents.logs import LINE_LETTERS, logs_of
from rankscope.logs.diagnosis import diagnose
from rankscope.model.event import EventLog
from rankscope.model.state import Incident, Job, Outgoing
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import event, replies, the_incident

PROSE = "an error was not found and the token failed while loading "
HOSTILE = {
    "a record nested too deep": '{"message": "RuntimeError: error", "a":' + "[" * 4000,
    "a rank of too many digits": f"[rank{'7' * 5000}]: RuntimeError: boom",
    "a rank that no job has": (
        "[Rank 900000000] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, "
        "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600100 milliseconds before timing out."
    ),
    "a world that no job has": "world_size: " + "9" * 12 + "\nRuntimeError: boom",
    "a sample printed on one line": f"[INFO] inputs: {PROSE * 400}\nRuntimeError: boom",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", ["job.failed", "job.hang"])
def test_no_log_costs_the_alert(running: State, settings: Settings, kind: str, text: str) -> None:
    logs = (EventLog(worker="worker-0", text=text, first_line=1),)
    handle_event(running, event("job.env_check_failed", 1, logs=logs), settings)
    handle_event(running, event(kind, 2, message="it stands", logs=logs), settings)

    shown = [one for one in running.all(Incident) if "it stands" in one.message]
    assert shown
    assert running.find(Outgoing, shown[0].id)


def test_an_unexpected_fault_of_the_reader_costs_no_alert(
    running: State, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_on_logs(facts: object, pieces: object, *more: object) -> object:
        if pieces:
            raise MemoryError
        return diagnose(facts, pieces, *more)  # type: ignore[arg-type]

    monkeypatch.setattr("rankscope.incidents.news.diagnose", break_on_logs)
    logs = (EventLog(worker="worker-0", text="RuntimeError: boom\n" * 3, first_line=1),)
    handle_event(running, event("job.failed", 1, message="exit 1", logs=logs), settings)

    assert the_incident(running).message == "exit 1"


def test_long_lines_are_kept_in_short(running: State, settings: Settings) -> None:
    logs = (EventLog(worker="worker-0", text=f"{PROSE * 400}end\nRuntimeError: boom"),)
    handle_event(running, event("job.failed", 1, logs=logs), settings)

    [piece] = logs_of(running, "jo-1")
    first, _, rest = piece.text.partition("\n")
    assert len(first) < LINE_LETTERS + 10
    assert first.endswith("end")
    assert rest == "RuntimeError: boom"


def test_a_first_error_calls_nobody(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang", 1), settings)
    text = 'torch.OutOfMemoryError: CUDA out of memory <at user_id="all">Everyone</at>'
    logs = (EventLog(worker="worker-0", text=text, first_line=1),)
    handle_event(running, event("job.failed", 2, logs=logs), settings)

    said = list(replies(running).values())
    assert any("CUDA out of memory" in one for one in said)
    assert not any("<at" in one for one in said)


def test_an_event_s_own_words_carry_no_secret(running: State, settings: Settings) -> None:
    secret = "hf_" + "abcdefghijklmnopqrstuvwx"
    told = event("job.failed", 1, message=f"OOMKilled: HF_TOKEN={secret} password=Hunter2xx")
    handle_event(running, told, settings)

    kept = f"{the_incident(running)} {running.load(Job, 'jo-1')}"
    assert "OOMKilled" in kept
    assert secret not in kept
    assert "Hunter2xx" not in kept
