"""Real processes, real py-spy, real HTTP."""

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent.procfs import PROC, read_bytes
from tests.agent.client import by_rank, functions
from tests.agent.conftest import Serve
from tests.agent.targets import (
    IN_PID_NAMESPACE,
    JOB,
    LAUNCHES,
    MANY_THREADS,
    OVERWRITES_ENVIRON,
    READS_FIFO,
    SETS_RANK_LATE,
    SLEEPER,
    WAITS_IN_D,
    WITH_CHILD,
    Targets,
    fake_py_spy,
    py_spies_of,
    state_of,
    wait_until,
)

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_plain_trainers_are_found_and_their_children_are_helpers(
    serve: Serve, targets: Targets, method: str
) -> None:
    # GIVEN two trainers without torch, each with a multiprocessing child that inherits RANK
    for rank in (0, 1):
        targets.trainer(rank, WITH_CHILD, method)

    # WHEN the job is captured twice
    first, second, end = serve().capture(samples=2, interval_s=0.1)

    # THEN trainers and helpers are told apart, with stacks, states and CPU time
    assert end == {"end": True}
    assert [first["sample"], second["sample"]] == [0, 1]
    trainers = by_rank(first)
    assert sorted(trainers) == [0, 1]
    for trainer in trainers.values():
        assert "train" in functions(trainer)
        assert trainer["mode"] == "nonblocking"
        assert trainer["pause_ms"] == 0
        assert trainer["tasks"][0]["cpu_ticks"] >= 0
        assert trainer["env"]["RANK"] == str(trainer["rank"])
        assert trainer["error"] is None
    loaders = [p for p in first["processes"] if "load" in functions(p)]
    assert sorted((p["rank"], p["role"]) for p in loaders) == [(0, "helper"), (1, "helper")]
    assert {p["pid"] for p in loaders} == set(targets.also)


def test_a_rank_blocked_in_opening_a_fifo_shows_where(serve: Serve, targets: Targets) -> None:
    fifo = targets.folder / "batch"
    os.mkfifo(fifo)
    targets.trainer(0)
    targets.trainer(1, READS_FIFO, str(fifo))

    sample, _ = serve().capture()

    stuck = by_rank(sample)[1]
    assert functions(stuck)[0] == "read_batch"
    assert stuck["threads"][0]["active"] is False
    assert stuck["wchan"] in {"wait_for_partner", "fifo_open", ""}


def test_a_stopped_rank_has_its_stack_and_its_state(serve: Serve, targets: Targets) -> None:
    pid = targets.trainer(0)
    targets.trainer(1)
    os.kill(pid, signal.SIGSTOP)
    targets.stopped_on_purpose.append(pid)
    wait_until(lambda: state_of(pid) == "T")

    sample, _ = serve().capture()

    stopped = by_rank(sample)[0]
    assert stopped["state"] == "T"
    assert stopped["error"] is None
    assert "train" in functions(stopped)
    assert state_of(pid) == "T"
    assert by_rank(sample)[1]["state"] in {"S", "R"}


def test_a_killed_rank_seen_before_keeps_its_row(serve: Serve, targets: Targets) -> None:
    # GIVEN a trainer with a child, seen once, then killed and not collected
    pid = targets.trainer(0, WITH_CHILD, "fork")
    targets.trainer(1)
    client = serve()
    client.capture()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: state_of(pid) == "Z")

    # WHEN the job is captured as a zombie, and again when it is gone
    zombie = by_rank(client.capture()[0], "dead")
    targets.process(pid).wait()
    sample = client.capture()[0]
    gone = by_rank(sample, "dead")

    # THEN it is reported as dead both times, and its orphan is no trainer
    assert (zombie[0]["pid"], zombie[0]["state"]) == (pid, "Z")
    assert zombie[0]["error"].startswith("zombie: ")
    assert gone[0]["error"].startswith("gone: ")
    assert sorted(by_rank(sample)) == [1]
    assert [p["role"] for p in sample["processes"] if p["pid"] in targets.also] == ["helper"]


def test_a_restarted_rank_takes_the_place_of_the_dead_one(serve: Serve, targets: Targets) -> None:
    first = targets.trainer(0)
    targets.trainer(1)
    client = serve()
    client.capture()
    targets.process(first).kill()
    targets.process(first).wait()
    second = targets.trainer(0)

    sample = client.capture()[0]

    assert by_rank(sample)[0]["pid"] == second
    assert not by_rank(sample, "dead")


def test_a_job_whose_trainers_have_all_gone_is_still_known(serve: Serve, targets: Targets) -> None:
    pid = targets.trainer(3)
    client = serve()
    client.capture()
    targets.process(pid).kill()
    targets.process(pid).wait()

    sample = client.capture()[0]

    assert list(by_rank(sample, "dead")) == [3]
    alive = client.answer("GET", "/v1/jobs")[0]["jobs"]
    assert JOB not in [job["job_id"] for job in alive]


def test_ranks_set_after_the_start_are_found(serve: Serve, targets: Targets) -> None:
    targets.start(SETS_RANK_LATE, JOB)

    sample, _ = serve().capture(JOB)

    assert sorted(by_rank(sample)) == [5]


def test_a_launcher_that_carries_rank_0_is_no_trainer(serve: Serve, targets: Targets) -> None:
    script = targets.folder / "rank.py"
    script.write_text(SLEEPER)
    launcher = targets.start(LAUNCHES, str(script), "3", RANK=0, RANKSCOPE_JOB_ID=JOB)
    client = serve()
    wait_until(lambda: len(by_rank(client.capture()[0])) == 3)

    sample, _ = client.capture()

    assert sorted(by_rank(sample)) == [0, 1, 2]
    roles = {p["pid"]: p["role"] for p in sample["processes"]}
    assert roles[launcher] == "launcher"


def test_two_agents_on_one_host_see_only_their_own(serve: Serve, targets: Targets) -> None:
    targets.trainer(0, RANKSCOPE_NODE="node-a")
    targets.trainer(1, RANKSCOPE_NODE="node-b")

    a, b = serve(node="node-a"), serve(node="node-b")

    assert sorted(by_rank(a.capture()[0])) == [0]
    assert sorted(by_rank(b.capture()[0])) == [1]


def test_a_rank_that_ends_while_it_is_dumped_keeps_its_row(serve: Serve, targets: Targets) -> None:
    # GIVEN a py-spy that kills its target before it dumps it
    pid = targets.trainer(0)
    targets.trainer(1)
    killer = fake_py_spy(targets.folder, f'[ "$4" = {pid} ] && kill -9 {pid}; exec "$REAL" "$@"')

    sample, _ = serve(py_spy=killer).capture()

    ended = next(p for p in sample["processes"] if p["pid"] == pid)
    assert ended["rank"] == 0
    assert ended["error"].split(":")[0] in {"gone", "zombie"}
    assert ended["threads"] == []
    assert "train" in functions(by_rank(sample)[1])


def test_a_hanging_py_spy_costs_its_process_only(serve: Serve, targets: Targets) -> None:
    pid = targets.trainer(0)
    targets.trainer(1)
    hanging = fake_py_spy(targets.folder, f'[ "$4" = {pid} ] && exec sleep 600; exec "$REAL" "$@"')

    sample, _ = serve(py_spy=hanging, process_timeout_s=0.5).capture()

    assert by_rank(sample)[0]["error"].startswith("timeout: ")
    assert by_rank(sample)[0]["state"] in {"S", "R"}
    assert "train" in functions(by_rank(sample)[1])


def test_what_does_not_fit_the_budget_is_a_row_with_a_reason(
    serve: Serve, targets: Targets
) -> None:
    targets.trainer(0)
    targets.trainer(1)
    slow = fake_py_spy(targets.folder, "exec sleep 600")

    sample, end = serve(py_spy=slow).capture(budget_s=0.5)

    assert end == {"end": True}
    rows = by_rank(sample)
    assert sorted(rows) == [0, 1]
    assert all(row["error"].startswith("budget: ") for row in rows.values())
    assert all(row["tasks"] for row in rows.values())


def test_a_caller_who_leaves_stops_the_capture(serve: Serve, targets: Targets) -> None:
    pid = targets.trainer(0)
    slow = fake_py_spy(targets.folder, 'sleep 600 "$4"; true')
    client = serve(py_spy=slow, process_timeout_s=60)

    with client.streamed(JOB, budget_s=120):
        wait_until(lambda: py_spies_of({pid}))

    wait_until(lambda: not py_spies_of({pid}))
    wait_until(
        lambda: b"rankscope_agent_captures_running 0.0" in client.http.get("/metrics").content
    )


def test_a_stopping_agent_stops_its_captures(serve: Serve, targets: Targets) -> None:
    pid = targets.trainer(0)
    client = serve(py_spy=fake_py_spy(targets.folder, 'sleep 600 "$4"; true'), process_timeout_s=60)

    with client.streamed(JOB, budget_s=120) as lines:
        wait_until(lambda: py_spies_of({pid}))
        client.stop_server()
        # THEN what is left of the answer has no end line
        assert {"end": True} not in received(lines)

    assert not py_spies_of({pid})


def test_a_rank_in_uninterruptible_sleep_is_dumped_without_stopping_it(
    serve: Serve, targets: Targets
) -> None:
    pid = targets.trainer(0, WAITS_IN_D)
    targets.trainer(1)
    wait_until(lambda: state_of(pid) == "D")

    sample, _ = serve().capture()

    process = by_rank(sample)[0]
    assert process["state"] == "D"
    assert process["mode"] == "nonblocking"
    assert process["error"] is None
    assert functions(process)


def test_only_a_rank_that_can_be_stopped_safely_gets_a_blocking_try(
    serve: Serve, targets: Targets
) -> None:
    # GIVEN a py-spy that never finds an interpreter, and one rank that is stopped already
    stopped, running = targets.trainer(0), targets.trainer(1)
    os.kill(stopped, signal.SIGSTOP)
    targets.stopped_on_purpose.append(stopped)
    calls = targets.folder / "calls"
    message = "Error: Failed to find a python interpreter in the .data section"
    failing = fake_py_spy(targets.folder, f'echo "$@" >> {calls}; echo "{message}" >&2; exit 1')

    sample, _ = serve(py_spy=failing).capture()

    tries = [line.split() for line in calls.read_text().splitlines()]
    blocking = [t[t.index("--pid") + 1] for t in tries if "--nonblocking" not in t]
    assert blocking == [str(running)]
    assert len(tries) == 3 + 4
    assert by_rank(sample)[0]["error"].startswith("starting: ")
    assert by_rank(sample)[0]["state"] == "T"


def test_a_job_in_its_own_pid_namespace_shows_host_ids(serve: Serve, targets: Targets) -> None:
    script = targets.folder / "inner.py"
    script.write_text(SLEEPER)
    variables = {"RANK": 0, "RANKSCOPE_JOB_ID": JOB}
    targets.start(IN_PID_NAMESPACE, str(script), **variables)

    sample, _ = serve().capture(JOB)

    inner = next(p for p in sample["processes"] if "train" in functions(p))
    thread = inner["threads"][0]
    assert thread["os_thread_id"] == inner["pid"] == inner["tasks"][0]["tid"]
    assert thread["inner_tid"] == 1
    assert thread["active"] is (thread["state"] == "R")


def test_a_process_that_overwrote_its_environment_keeps_its_rank(
    serve: Serve, targets: Targets
) -> None:
    pid = targets.trainer(6, OVERWRITES_ENVIRON)
    assert b"RANK" not in read_bytes(PROC / str(pid) / "environ")

    sample, _ = serve().capture()

    assert sorted(by_rank(sample)) == [6]


def test_a_command_that_a_rank_waits_for_is_shown(serve: Serve, targets: Targets) -> None:
    code = "import subprocess; print('up', flush=True); subprocess.run(['sleep', '600'])"
    targets.trainer(0, code)
    client = serve()
    wait_until(lambda: len(client.capture()[0]["processes"]) == 2)

    command = client.capture()[0]["processes"][1]

    assert command["rank"] == 0
    assert command["role"] == "helper"
    assert command["error"].startswith("not_python: ")


def test_secrets_of_the_command_line_and_other_variables_stay_on_the_node(
    serve: Serve, targets: Targets
) -> None:
    targets.trainer(
        0, SLEEPER, "--hf-token", "hf_abcdefghijklmnop", "--lr=1", SECRET_THING="s3cret"
    )

    answer = json.dumps(serve().capture())

    assert "hf_abcdef" not in answer
    assert "s3cret" not in answer
    assert "--lr=1" in answer


def test_400_threads_are_dumped(serve: Serve, targets: Targets) -> None:
    targets.trainer(0, MANY_THREADS)

    sample, _ = serve().capture()

    process = by_rank(sample)[0]
    assert len(process["threads"]) == len(process["tasks"]) == 401


def test_native_frames_only_when_asked(serve: Serve, targets: Targets) -> None:
    targets.trainer(0)
    targets.trainer(1)

    sample, _ = serve().capture(native=[1], budget_s=60)

    assert by_rank(sample)[0]["mode"] == "nonblocking"
    assert by_rank(sample)[1]["mode"] == "native"
    assert by_rank(sample)[1]["pause_ms"] > 0


def received(lines: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    try:
        return list(lines)
    except httpx.RemoteProtocolError:
        return []
