"""Capture, analyse and compare with agents over HTTP; every stage may be repeated."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rankscope.capture_file import parse_capture
from rankscope.errors import StoreError
from rankscope.incidents import Ask, Started, request_capture
from rankscope.model.capture import Trigger
from rankscope.model.report import Comparison
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState, Outgoing
from rankscope.store.captures import CaptureStore
from tests.capture.fake_agent import FakeAgent, fake_agent
from tests.incidents.conftest import queued, replies
from tests.workers.conftest import seen_by
from workers import stages
from workers.comparing import compare
from workers.context import Context


@pytest.fixture
def agents() -> Iterator[tuple[FakeAgent, FakeAgent]]:
    with fake_agent("gpu07") as one, fake_agent("gpu08", rank=1) as two:
        yield one, two


def asked(context: Context, number: int = 1) -> Started:
    ask = Ask(job_id="jo-1", trigger=Trigger.MANUAL, request_id=f"om_{number}", chat_id="oc")
    outcome = request_capture(context.state, ask)
    assert isinstance(outcome, Started)
    return outcome


def record(context: Context, print_id: str) -> CaptureRecord:
    return context.state.load(CaptureRecord, print_id)


def take(context: Context, number: int = 1) -> Started:
    """Capture and analyse."""
    outcome = asked(context, number)
    stages.capture(context, outcome.print_id)
    stages.analyse(context, outcome.print_id)
    return outcome


def test_a_capture_becomes_a_report_on_the_card(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)

    outcome = take(context)

    report = context.captures.read_report(outcome.print_id)
    done = record(context, outcome.print_id)
    assert (done.state, done.nodes_done, done.nodes_asked) == (CaptureState.REPORTED, 2, 2)
    assert report.summary.ranks_seen == 2
    assert report.summary.print_id == outcome.print_id
    assert context.state.load(Incident, outcome.incident_id).state is IncidentState.REPORTED
    assert f"analyse-{outcome.print_id}" in queued(context.redis)
    assert not list((context.settings.data_dir / stages.SPOOL).iterdir())


@pytest.mark.parametrize("kind", [Trigger.SLOW, Trigger.HANG])
def test_what_people_ask_for_of_a_slow_job_is_read_as_of_a_slow_job(
    context: Context, agents: tuple[FakeAgent, FakeAgent], kind: Trigger
) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)
    context.state.change(Incident, outcome.incident_id, lambda one: replace(one, kind=kind))

    stages.capture(context, outcome.print_id)

    header = parse_capture(context.captures.read_capture(outcome.print_id)).header
    assert header.trigger is (Trigger.SLOW if kind is Trigger.SLOW else Trigger.MANUAL)


def test_repeated_stages_ask_nobody_again(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    outcome = take(context)
    again = replace(record(context, outcome.print_id), state=CaptureState.RUNNING)
    context.state.save(again)

    stages.capture(context, outcome.print_id)
    stages.analyse(context, outcome.print_id)
    stages.analyse(context, outcome.print_id)

    assert len(agents[0].bodies) == 1
    assert record(context, outcome.print_id).state is CaptureState.REPORTED
    assert len(replies(context.state)) == 1


def test_a_node_that_fails_does_not_fail_the_capture(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    agents[1].status = 404

    outcome = take(context)

    report = context.captures.read_report(outcome.print_id)
    assert report.summary.ranks_seen == 1
    assert any(lost.node == "gpu08" for lost in report.missing)


def test_when_no_node_answers_the_reasons_are_told(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    for agent in agents:
        agent.status = 401

    outcome = take(context)

    failed = record(context, outcome.print_id)
    assert failed.state is CaptureState.FAILED
    assert "2 nodes" in failed.error
    assert "RANKSCOPE_AGENT_SECRET" in failed.error
    assert context.state.load(Incident, outcome.incident_id).state is IncidentState.FAILED


def test_a_job_that_has_lost_its_nodes_is_said_to(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)
    context.state.forget_nodes("jo-1")

    stages.capture(context, outcome.print_id)

    assert record(context, outcome.print_id).state is CaptureState.FAILED


def test_a_failure_for_good_is_recorded_and_raised(
    context: Context, agents: tuple[FakeAgent, FakeAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)

    def full(*_: object) -> bool:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(CaptureStore, "write_capture", full)
    with pytest.raises(StoreError):
        stages.capture(context, outcome.print_id)

    assert record(context, outcome.print_id).error == "The disk is full."


def test_a_failure_that_is_tried_again_is_not_told_yet(
    context: Context, agents: tuple[FakeAgent, FakeAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)
    monkeypatch.setattr(stages, "is_last_try", lambda: False)
    monkeypatch.setattr(stages, "leased_collect", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stages.capture(context, outcome.print_id)

    assert record(context, outcome.print_id).state is CaptureState.REQUESTED


def test_a_damaged_capture_says_why(context: Context, agents: tuple[FakeAgent, FakeAgent]) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)
    context.captures.write_capture(outcome.print_id, [b""])

    stages.analyse(context, outcome.print_id)

    assert record(context, outcome.print_id).state is CaptureState.FAILED


def test_progress_is_shown_while_a_node_is_slow(context: Context) -> None:
    with fake_agent("gpu07") as quick, fake_agent("gpu08", rank=1, seconds=1.5) as slow:
        seen_by(context.state, quick, slow)
        outcome = asked(context)
        thread = threading.Thread(target=stages.capture, args=(context, outcome.print_id))
        thread.start()
        seen = set()
        while thread.is_alive():
            seen.add(record(context, outcome.print_id).nodes_done)
        thread.join()
        seen.add(record(context, outcome.print_id).nodes_done)

    assert {0, 1, 2} <= seen


def test_one_print_id_is_never_captured_twice_at_once(
    context: Context, agents: tuple[FakeAgent, FakeAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_by(context.state, *agents)
    outcome = asked(context)
    monkeypatch.setattr("workers.leased.PATIENCE_S", 0.1)

    with (
        context.state.lock(f"collect:{outcome.print_id}"),
        pytest.raises(StoreError, match="locked"),
    ):
        stages.capture(context, outcome.print_id)

    assert agents[0].bodies == []


def test_a_capture_that_loses_its_lease_is_broken_off(context: Context) -> None:
    with fake_agent("gpu07", seconds=60) as agent:
        seen_by(context.state, agent)
        outcome = asked(context)
        key = f"rankscope:lock:collect:{outcome.print_id}"

        def steal() -> None:
            while not agent.begun_at:
                pass
            context.redis.set(key, "another worker")

        thief = threading.Thread(target=steal)
        thief.start()
        with pytest.raises(StoreError, match="taken this capture over"):
            stages.capture(context, outcome.print_id)
        thief.join()


def test_a_lease_that_lapsed_unnoticed_is_taken_again(context: Context) -> None:
    with fake_agent("gpu07", seconds=1.5) as agent:
        seen_by(context.state, agent)
        outcome = asked(context)

        def lose() -> None:
            while not agent.begun_at:
                pass
            context.redis.delete(f"rankscope:lock:collect:{outcome.print_id}")

        thread = threading.Thread(target=lose)
        thread.start()
        stages.capture(context, outcome.print_id)
        thread.join()

    assert record(context, outcome.print_id).state is CaptureState.CAPTURED


def test_two_captures_are_compared_below_the_card(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    first, second = take(context), take(context, 2)

    for _ in range(2):
        compare(context, first.incident_id, (first.print_id, second.print_id))

    comparison = context.captures.read_comparison(first.print_id, second.print_id)
    [card] = [o for o in context.state.all(Outgoing) if o.fallback]
    assert isinstance(comparison, Comparison)
    assert {rank.change for rank in comparison.ranks} == {"frozen"}
    assert (card.msg_type, card.reply_to) == ("interactive", f"outgoing:{first.incident_id}")


def test_a_comparison_with_an_expired_capture_is_said_to_fail(
    context: Context, agents: tuple[FakeAgent, FakeAgent]
) -> None:
    seen_by(context.state, *agents)
    outcome = take(context)

    compare(context, outcome.incident_id, ("1780890495107774003", outcome.print_id))

    assert "expired" in replies(context.state)[f"compare-failed-{outcome.print_id}"]
