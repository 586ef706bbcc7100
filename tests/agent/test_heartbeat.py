import asyncio
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest
from structlog.testing import capture_logs

from agent.heartbeat import PATH, Heartbeat
from agent.metrics import Metrics
from agent.node import Node
from rankscope.model.state import AgentBeat
from rankscope.signing import verify_request
from tests.agent.conftest import SECRET, agent_settings, free_port
from tests.agent.targets import JOB, Targets, wait_until


class Bot:
    """What the bot does with heartbeats: check them and keep them."""

    def __init__(self) -> None:
        self.beats: list[AgentBeat] = []
        self.status = 204
        bot = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = dict(self.headers.items())
                verify_request(SECRET, "POST", self.path, headers, body, lambda _: True)
                bot.beats.append(msgspec.json.decode(body, type=AgentBeat))
                self.send_response(bot.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)


@pytest.fixture
def bot() -> Iterator[Bot]:
    started = Bot()
    started.thread.start()
    try:
        yield started
    finally:
        started.server.shutdown()
        started.thread.join()
        started.server.server_close()


async def run_until(heartbeat: Heartbeat, condition: Callable[[], object]) -> None:
    task = asyncio.create_task(heartbeat.run())
    try:
        await asyncio.to_thread(wait_until, condition)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.integration
async def test_the_bot_hears_of_jobs_and_where_to_ask(bot: Bot, targets: Targets) -> None:
    targets.trainer(0, RANKSCOPE_JOB_ID=JOB)
    settings = agent_settings(bot_url=bot.url, interval_s=0.2, port=1234)
    await run_until(Heartbeat(settings, Node(settings), Metrics()), lambda: len(bot.beats) > 1)
    beat = bot.beats[0]
    assert (beat.node, beat.endpoint) == ("node-a", "http://127.0.0.1:1234")
    job = next(job for job in beat.jobs if job.job_id == JOB)
    assert (job.ranks, job.world_size) == ((0,), 2)


async def test_failures_are_logged_once_per_change_and_never_fatal(bot: Bot) -> None:
    bot.status = 503
    settings = agent_settings(bot_url=f"{bot.url}/prefix/", interval_s=0.2)
    heartbeat = Heartbeat(settings, Node(settings), Metrics())
    with capture_logs() as logs:
        await run_until(heartbeat, lambda: len(bot.beats) > 2)
        bot.status = 204
        await run_until(heartbeat, lambda: any("works again" in log["event"] for log in logs))
    assert [log["event"] for log in logs] == ["heartbeat failed", "heartbeat works again"]
    assert logs[0]["problem"] == "the bot answered 503"


async def test_a_bot_that_is_away_is_only_logged() -> None:
    settings = agent_settings(bot_url=f"http://127.0.0.1:{free_port()}", interval_s=0.2)
    with capture_logs() as logs:
        heartbeat = Heartbeat(settings, Node(settings), Metrics())
        await run_until(heartbeat, lambda: logs)
    assert "ConnectError" in logs[0]["problem"]
    assert SECRET not in str(logs)


def test_the_path_is_the_one_the_bot_serves() -> None:
    assert PATH == "/agents/heartbeat"
