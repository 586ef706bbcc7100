from rankscope.incidents.audit import deeds_of, note_deed
from rankscope.model.state import Deed
from rankscope.store.state import State


def test_an_action_is_written_once_and_read_latest_first(state: State) -> None:
    for number in range(12):
        deed = Deed(who="ou_li", what="capture", job_id="jo-1", outcome=f"n{number}", at=number)
        for _ in range(2):
            note_deed(state, deed, once=f"message-{number}")

    found = deeds_of(state, "jo-1")
    assert [deed.outcome for deed in found] == [f"n{number}" for number in range(11, 1, -1)]
    assert found[0] == Deed(who="ou_li", what="capture", job_id="jo-1", outcome="n11", at=11.0)


def test_jobs_have_trails_of_their_own_that_end(state: State) -> None:
    note_deed(state, Deed(who="ou_li", what="ack", job_id="jo-1", outcome="done"), once="1")

    assert deeds_of(state, "jo-2") == []
    assert 0 < int(str(state.redis.ttl("rankscope:audit:jo-1"))) <= state.ttl


def test_a_trail_does_not_grow_without_end(state: State) -> None:
    for number in range(2500):
        deed = Deed(who="ou_li", what="capture", job_id="jo-1", outcome="started")
        note_deed(state, deed, once=str(number))

    assert int(str(state.redis.xlen("rankscope:audit:jo-1"))) < 2500
