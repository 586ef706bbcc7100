"""RQ workers killed in the middle of a capture: it is taken up again, once, and one card results.

Real processes, a real Redis server, an agent over HTTP that counts the captures it is asked for at
the same time, and the Feishu emulator, which counts the cards.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from redis import Redis

from rankscope.model.event import Event, EventJob
from rankscope.model.state import AgentBeat, AgentJob, CaptureRecord, Incident, IncidentState
from rankscope.queueing import Task, submit
from rankscope.store.state import State
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator
from tests.capture.fake_agent import SECRET, FakeAgent, fake_agent
from tests.integration.worker_tree import WorkerTree, children, kill, tree, worker_tree

pytestmark = pytest.mark.integration

WAIT_S = 90.0
"""Far more than the 30 s that are promised: a busy machine must not fail the test."""
LONG_S = 600.0
OPTIONS = Options()

log = logging.getLogger(__name__)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} has not happened within {WAIT_S:.0f} s"
        time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Scene:
    """A job on one node, whose agent takes very long over the first capture."""

    state: State
    agent: FakeAgent
    emulator: RunningEmulator
    environment: dict[str, str]

    def hang(self) -> None:
        event = Event(id="hang-1", type="job.hang", job=EventJob(id="jo-1"), message="no step")
        submit(self.state.redis, Task.HANDLE_EVENT, msgspec.to_builtins(event), unique_id="event-1")

    def wait_for_capture(self, number: int) -> None:
        wait_until(lambda: len(self.agent.begun_at) >= number, f"capture {number}")

    def wait_for_report(self) -> None:
        def is_reported() -> bool:
            incidents = list(self.state.all(Incident))
            return [one.state for one in incidents] == [IncidentState.REPORTED]

        wait_until(is_reported, "the report")
        wait_until(lambda: any("jo-1" in text for text in self.replies()), "the reply")

    def replies(self) -> list[str]:
        messages = self.emulator.client.messages(self.emulator.chat_id)
        return [message.text for message in messages if message.msg_type == "text"]

    def cards(self) -> list[str]:
        messages = self.emulator.client.messages(self.emulator.chat_id)
        return [m.text for m in messages if m.msg_type == "interactive"]


@pytest.fixture
def scene(redis: Redis, redis_url: str, tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        emulator = stack.enter_context(running_emulator(OPTIONS))
        agent = stack.enter_context(fake_agent("gpu07", seconds=LONG_S))
        state = State(redis)
        seen = AgentJob(job_id="jo-1", ranks=(0,), world_size=1)
        state.beat(AgentBeat(node="gpu07", endpoint=agent.url, version="1", jobs=(seen,)))
        environment = {
            "REDIS_URL": redis_url,
            "RANKSCOPE_DATA_DIR": str(tmp_path),
            "RANKSCOPE_AGENT_SECRET": SECRET,
            "RANKSCOPE_FEISHU_DOMAIN": emulator.url,
            "RANKSCOPE_FEISHU_APP_ID": OPTIONS.app_id,
            "RANKSCOPE_FEISHU_APP_SECRET": OPTIONS.app_secret,
            "RANKSCOPE_FEISHU_CHAT_ID": emulator.chat_id,
            "RANKSCOPE_CAPTURE_BUDGET_S": "100",
        }
        yield Scene(state, agent, emulator, environment)


def kill_everything(workers: WorkerTree) -> None:
    kill(tree(workers.pid))


def kill_the_rq_worker_alone(workers: WorkerTree) -> None:
    kill(workers.busy_workers())


def kill_the_supervisor_alone(workers: WorkerTree) -> None:
    kill([workers.pid])


def kill_the_job_alone(workers: WorkerTree) -> None:
    kill([job for worker in workers.busy_workers() for job in children(worker)])


@pytest.mark.parametrize(
    "strike",
    [
        kill_everything,
        kill_the_rq_worker_alone,
        kill_the_supervisor_alone,
        kill_the_job_alone,
    ],
)
def test_a_killed_capture_is_taken_up_again_once_and_one_card_results(
    scene: Scene, strike: Callable[[WorkerTree], None]
) -> None:
    with ExitStack() as stack:
        workers = stack.enter_context(worker_tree(scene.environment))
        scene.hang()
        scene.wait_for_capture(1)

        scene.agent.seconds = 0.5  # Of later captures; the first goes on as long as its caller.
        struck_at = time.monotonic()
        strike(workers)
        if strike in {kill_everything, kill_the_supervisor_alone}:
            stack.enter_context(worker_tree(scene.environment))
        scene.wait_for_capture(2)
        log.info("%s: taken up after %.1f s", strike.__name__, scene.agent.begun_at[1] - struck_at)
        scene.wait_for_report()

    assert scene.agent.most_running == 1
    assert len(scene.agent.begun_at) == 2
    assert len(list(scene.state.all(CaptureRecord))) == 1
    assert len(scene.cards()) == 1
    assert len(scene.replies()) == 1
