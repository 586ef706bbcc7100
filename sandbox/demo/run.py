"""One run of the demo: start the parts, show what happens, stop everything."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import click
import httpx

from rankscope.model.text import Text
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.server import start_server
from rankscope.text import say
from sandbox.cluster.faults import Fault
from sandbox.demo import parts
from sandbox.demo.chat import POLL_S, Chat, TooLate
from sandbox.demo.parts import Setup
from sandbox.demo.platform import tell_failure
from sandbox.demo.processes import PartFailed, Supervisor, tail
from sandbox.demo.tour import Tour, print_outcome
from sandbox.feishu.client import EmulatorClient

DEADLINE_S = 150.0
HEALTHY_STEPS_S = 3.0


class Demo:
    """The whole loop on this machine."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._began = time.monotonic()
        self._told_end = False

    def tell(self, text: Text) -> None:
        """Print one line of progress with the seconds since the start."""
        click.echo(f"{time.monotonic() - self._began:6.1f} s  {text.of(self._setup.language)}")

    def run(self, *, once: bool) -> bool:
        """Run until Ctrl-C, or through the tour; return whether all went as it must."""
        with Supervisor(self._setup.folder / "logs", self.tell) as supervisor:
            chat_id = self._start(supervisor)
            if once:
                return self._tour(supervisor, chat_id)
            self._invite()
            while True:
                self._look_after(supervisor)
                time.sleep(0.5)

    def _look_after(self, supervisor: Supervisor) -> None:
        """Restart what may be, and play the platform: tell once that the training job has ended."""
        supervisor.check()
        code = supervisor.ending_of("training")
        if code is not None and not self._told_end:
            self._told_end = True
            tell_failure(self._setup, code)
            self.tell(say("demo-platform-told", code=code))

    def _start(self, supervisor: Supervisor) -> str:
        setup = self._setup
        redis_url = self._redis(supervisor)
        supervisor.start(parts.emulator_part(setup))
        supervisor.wait_ready()
        with EmulatorClient(setup.chat_url) as client:
            chat_id = client.chat_id(parts.CHAT)
        self.tell(say("demo-started-emulator", url=setup.chat_url))
        supervisor.start(parts.bot_part(setup, redis_url, chat_id))
        if setup.listens:
            supervisor.start(parts.listen_part(setup, redis_url, chat_id))
        supervisor.start(parts.worker_part(setup, redis_url, chat_id))
        for node in parts.NODES:
            supervisor.start(parts.agent_part(setup, node))
        supervisor.wait_ready()
        self.tell(say("demo-started-parts", url=setup.bot_url, nodes=", ".join(parts.NODES)))
        supervisor.start(parts.training_part(setup))
        supervisor.start(parts.watch_part(setup))
        self.tell(say("demo-started-job", job=setup.job_id, ranks=parts.WORLD_SIZE))
        return chat_id

    def _redis(self, supervisor: Supervisor) -> str:
        given = os.environ.get("RANKSCOPE_REDIS_URL") or os.environ.get("REDIS_URL")
        if given:
            self.tell(say("demo-given-redis"))
            return given
        supervisor.start(parts.redis_part(self._setup))
        log = supervisor.log_of("redis")
        _wait_until(lambda: "ready" in tail(log), supervisor)
        self.tell(say("demo-started-redis"))
        return start_server(self._setup.data_dir).url  # finds the one that runs there

    def _invite(self) -> None:
        setup = self._setup
        what = say(f"demo-happens-{setup.fault}", step=parts.FAULT_STEP)
        click.echo(f"\n{say('demo-open', url=setup.chat_url).of(setup.language)}")
        click.echo(what.of(setup.language))
        click.echo(say("demo-try", job=setup.job_id).of(setup.language))

    def _tour(self, supervisor: Supervisor, chat_id: str) -> bool:
        setup = self._setup
        end = self._began + DEADLINE_S
        self.tell(say(f"demo-happens-{setup.fault}", step=parts.FAULT_STEP))
        store = CaptureStore.of(Settings(data_dir=setup.data_dir, store_url=""))
        with EmulatorClient(setup.chat_url) as client:
            chat = Chat(client, chat_id, end, partial(self._look_after, supervisor))
            if setup.fault is Fault.NONE:
                _wait_until(lambda: _agents_see(setup), supervisor)
                time.sleep(HEALTHY_STEPS_S)
            try:
                outcome = Tour(setup, chat, store).take()
            except (TooLate, httpx.HTTPError):
                self._show_logs(supervisor)
                raise
        return print_outcome(setup, outcome)

    def _show_logs(self, supervisor: Supervisor) -> None:
        for name in ("watch", "bot", "worker"):
            click.echo(f"\n--- {supervisor.log_of(name)}\n{tail(supervisor.log_of(name))}")


def _agents_see(setup: Setup) -> bool:
    """Whether the job has begun to step, by its log."""
    return setup.training_log.exists() and "iteration" in tail(setup.training_log, 1)


def _wait_until(true: Callable[[], bool], supervisor: Supervisor, timeout_s: float = 60) -> None:
    end = time.monotonic() + timeout_s
    while not true():
        supervisor.check()
        if time.monotonic() > end:
            raise PartFailed("The demo did not get ready.", "Look at the logs of its parts.")
        time.sleep(POLL_S)


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does, so that everything is stopped."""
    numbers = signal.SIGTERM, signal.SIGHUP
    before = [signal.signal(number, _interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
