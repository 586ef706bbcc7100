from typing import Any

from agent.procfs import TaskFacts
from agent.threads import corrected, is_plausible, outermost, without_doubles
from rankscope.model.capture import Task


def thread(os_id: int | None, *names: str, **fields: object) -> dict[str, Any]:
    frames = [{"name": name} for name in names]
    return {"os_thread_id": os_id, "thread_id": 9, "active": True, "frames": frames, **fields}


def test_ids_and_states_come_from_the_host() -> None:
    tasks = [TaskFacts(Task(501, "python", "S", "futex_do_wait", 3), 1)]
    (fixed,) = corrected([thread(1, "f", unknown="kept")], tasks)
    assert fixed["os_thread_id"] == 501
    assert fixed["inner_tid"] == 1
    assert fixed["active"] is False
    assert (fixed["state"], fixed["wchan"], fixed["unknown"]) == ("S", "futex_do_wait", "kept")


def test_what_is_not_known_is_not_claimed() -> None:
    for unknown in (None, 77):
        (fixed,) = corrected([thread(unknown, "f")], [])
        assert fixed["active"] is None
        assert fixed["os_thread_id"] == unknown


def test_the_half_born_double_of_a_thread_is_dropped() -> None:
    whole = thread(1, "f", "<module>")
    assert without_doubles([thread(1), whole, thread(2, "g")]) == [whole, thread(2, "g")]
    assert len(without_doubles([thread(None, "f"), thread(None, "f", thread_id=8)])) == 2


def test_where_main_threads_begin() -> None:
    assert outermost([thread(2, "x"), thread(1, "f", "<module>")], 1) == "<module>"
    assert outermost([thread(1)], 1) is None
    for root in (None, "<module>", "_run_module_as_main", "Thread._bootstrap", "_shutdown"):
        assert is_plausible(root)
    assert not is_plausible("train_step")
