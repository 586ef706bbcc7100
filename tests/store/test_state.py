import threading
import time
from dataclasses import replace

import pytest

from rankscope.errors import NotFound
from rankscope.model.state import AgentBeat, AgentJob, Job, JobState
from rankscope.store.state import Locked, State, record_key


def test_a_record_comes_back_as_it_was_and_expires(state: State) -> None:
    job = Job(id="jo-1", state=JobState.HANG, nodes={"gpu07": "http://10.0.0.7:9000"})

    state.save(job)

    assert state.load(Job, "jo-1") == job
    assert 0 < state.redis.ttl(record_key(Job, "jo-1")) <= 30 * 24 * 3600


def test_an_unknown_record_is_none_or_an_error(state: State) -> None:
    assert state.find(Job, "jo-1") is None
    with pytest.raises(NotFound, match="jo-1"):
        state.load(Job, "jo-1")
    with pytest.raises(NotFound, match="jo-1"):
        state.change(Job, "jo-1", lambda job: job)


def test_only_the_first_creation_counts(state: State) -> None:
    assert state.create(Job(id="jo-1", name="first"))
    assert not state.create(Job(id="jo-1", name="second"))
    assert state.load(Job, "jo-1").name == "first"


def test_changes_made_at_once_are_all_kept(state: State) -> None:
    state.save(Job(id="jo-1"))

    def add_many() -> None:
        for _ in range(50):
            state.change(Job, "jo-1", lambda job: replace(job, attempt=job.attempt + 1))

    threads = [threading.Thread(target=add_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert state.load(Job, "jo-1").attempt == 200


def test_all_records_of_a_kind(state: State) -> None:
    for number in range(3):
        state.save(Job(id=f"jo-{number}"))

    assert sorted(job.id for job in state.all(Job)) == ["jo-0", "jo-1", "jo-2"]


def test_print_ids_are_times_in_nanoseconds_unique_and_stable(state: State) -> None:
    before = time.time_ns()

    ids = [state.new_print_id(f"request-{number}") for number in range(100)]

    assert len(set(ids)) == 100
    assert ids == sorted(ids)
    assert all(len(print_id) == 19 for print_id in ids)
    assert before <= int(ids[0]) <= int(ids[-1]) <= time.time_ns() + 100
    assert state.new_print_id("request-7") == ids[7]


def test_print_ids_increase_although_the_clock_stands_still(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1780890499999999999)

    ids = [state.new_print_id(str(number)) for number in range(3)]

    assert ids == ["1780890499999999999", "1780890500000000000", "1780890500000000001"]


def test_a_claim_has_one_holder(state: State) -> None:
    assert state.claim("capture:jo-1", "first", 60) == "first"
    assert state.claim("capture:jo-1", "second", 60) == "first"
    state.release("capture:jo-1", "second")
    assert state.holder("capture:jo-1") == "first"
    state.release("capture:jo-1", "first")
    assert state.holder("capture:jo-1") == ""


def test_heartbeats_tell_where_a_job_runs(state: State) -> None:
    for node in ("gpu08", "gpu07"):
        jobs = (AgentJob(job_id="jo-1", ranks=(0, 1), world_size=4),)
        state.beat(AgentBeat(node=node, endpoint=f"http://{node}:9000", version="1", jobs=jobs))

    assert [agent.node for agent in state.agents()] == ["gpu07", "gpu08"]
    assert [node.endpoint for node in state.nodes_of("jo-1")] == [
        "http://gpu07:9000",
        "http://gpu08:9000",
    ]
    assert state.nodes_of("jo-2") == []


def test_jobs_are_known_from_events_and_from_heartbeats(state: State) -> None:
    state.save(Job(id="jo-event"))
    jobs = (AgentJob(job_id="jo-seen"),)
    state.beat(AgentBeat(node="gpu07", endpoint="http://gpu07:9000", version="1", jobs=jobs))

    assert state.job_ids() == ["jo-event", "jo-seen"]


def test_a_job_has_one_open_incident(state: State) -> None:
    assert state.set_open_incident("jo-1", "in-1") == "in-1"
    assert state.set_open_incident("jo-1", "in-2") == "in-1"
    state.clear_open_incident("jo-1", "in-2")
    assert state.open_incident("jo-1") == "in-1"
    state.clear_open_incident("jo-1", "in-1")
    assert state.open_incident("jo-1") == ""


def test_a_lock_is_held_by_one_and_lapses(state: State) -> None:
    with state.lock("card", ttl_s=30):
        with pytest.raises(Locked), state.lock("card", patience_s=0):
            pass
        with pytest.raises(Locked), state.lock("card", patience_s=0.05):
            pass
    with state.lock("card", ttl_s=0.05):
        time.sleep(0.1)
        with state.lock("card", patience_s=0):
            pass


def test_only_its_owner_renews_and_releases_a_claim(state: State) -> None:
    state.claim("capture:jo-1", "1", 0.5)

    assert not state.renew("capture:jo-1", "2", 60)
    assert state.renew("capture:jo-1", "1", 60)
    state.release("capture:jo-1", "2")
    assert state.holder("capture:jo-1") == "1"
    assert state.redis.pttl("rankscope:claim:capture:jo-1") > 1000
    state.release("capture:jo-1", "1")
    assert state.holder("capture:jo-1") == ""


def test_the_nodes_of_a_job_can_be_forgotten(state: State) -> None:
    beat = AgentBeat(node="a", endpoint="http://a", version="1", jobs=(AgentJob(job_id="jo-1"),))
    state.beat(beat)

    state.forget_nodes("jo-1")

    assert state.nodes_of("jo-1") == []
