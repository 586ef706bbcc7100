"""The process that holds the long connection: `python -m bot.listen_child BEATS_FD PARENT_PID`.

It is started, watched and replaced by bot.listen_supervisor.
"""

import asyncio
import os
import random
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import msgspec
import structlog
from redis.exceptions import RedisError

from bot.identity import BotIdentity
from bot.listen_beat import URL_VARIABLE, Beat, Ending
from bot.listen_client import Answer, ClientException, LongClient
from bot.listen_logs import configure_redacted_logging, redacted
from bot.receiving import Receiver, receive
from rankscope.errors import RankscopeError
from rankscope.feishu.extract import CLICK_EVENT
from rankscope.feishu.inbound import read_envelope
from rankscope.lifeline import die_with
from rankscope.local_time import use_zone
from rankscope.settings import settings
from rankscope.store.connection import connect
from rankscope.store.state import State
from rankscope.text import load_catalogue

BEAT_S = 1.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
WRONG_CREDENTIALS = frozenset({1000040344, 1000040345, 1000040346})
BUSY = "busy"
"""The platform says 1000040345 for a wrong secret and, as `system busy`, for its own trouble."""

_log = structlog.get_logger()


@dataclass(slots=True)
class Tally:
    """What there is to tell of the connection."""

    events: int = 0
    failures: int = 0
    last_event_at: float = 0.0
    connects: int = 0
    problem: str = ""

    def beat(self, client: LongClient) -> Beat:
        """Return the report of this moment."""
        return Beat(
            connected=client.connected,
            heard_s=time.monotonic() - client.heard_at,
            ping_s=client.ping_s,
            events=self.events,
            failures=self.failures,
            last_event_at=self.last_event_at,
            connects=self.connects,
            problem=self.problem,
        )


class Listener:
    """Keeps one long connection, acts on what comes over it, and reports."""

    def __init__(self, receiver: Receiver, beats_fd: int) -> None:
        self._receiver = receiver
        self._beats_fd = beats_fd
        self._stop = asyncio.Event()
        self.tally = Tally()

    def stop(self) -> None:
        """Make `run` end in order."""
        self._stop.set()

    async def run(self) -> Ending:
        """Receive until told to stop, or until Feishu refuses us for good."""
        client = LongClient(self._receiver.settings, self.act)
        connecting = asyncio.create_task(self._stay_connected(client))
        stopping = asyncio.create_task(self._stop.wait())
        beside = [
            asyncio.create_task(self._beat_forever(client)),
            asyncio.create_task(client.ping_forever()),
            asyncio.create_task(self._receiver.identity.learn(self._receiver.settings)),
        ]
        try:
            await asyncio.wait({connecting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                self._beat(client)  # The last one says why.
                return await connecting
            connecting.cancel()
            await client.close()
            return Ending.ASKED
        finally:
            for task in (connecting, stopping, *beside):
                task.cancel()
            await asyncio.gather(connecting, stopping, *beside, return_exceptions=True)

    async def _stay_connected(self, client: LongClient) -> Ending:
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                await client.open()
            except ClientException as error:
                self._note_failure(error)
                if self._is_final(error):
                    return Ending.REFUSED
            except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again
                self._note_failure(error)
            else:
                self.tally.connects += 1
                self.tally.problem = ""
                _log.info("long connection open", connects=self.tally.connects)
                await client.lost.wait()
                self.tally.problem = "the connection was lost"
                _log.warning("long connection lost")
                pause_s = FIRST_PAUSE_S
                await asyncio.sleep(random.random() * client.jitter_s)  # noqa: S311 - no secret
                continue
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _note_failure(self, error: Exception) -> None:
        self.tally.problem = redacted(f"{type(error).__name__}: {error}")
        _log.warning("long connection refused", error=self.tally.problem)

    def _is_final(self, error: ClientException) -> bool:
        """Whether the credentials are wrong, and have never been right since we started."""
        wrong = error.code in WRONG_CREDENTIALS and BUSY not in str(error)
        return wrong and not self.tally.connects

    async def act(self, payload: bytes) -> Answer:
        """Act on one event; everything but 200 makes Feishu send it again."""
        self.tally.events += 1
        self.tally.last_event_at = time.time()
        try:
            envelope = read_envelope(payload)
            answer = await receive(self._receiver, envelope)
        except (RankscopeError, RedisError, TimeoutError) as error:
            _log.warning("event not recorded", error=str(error) or type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the last resort; logged with its traceback
            _log.error("unexpected error", exc_info=error)
        else:
            return 200, answer if envelope.event_type == CLICK_EVENT else None
        self.tally.failures += 1
        return 500, None

    async def _beat_forever(self, client: LongClient) -> None:
        while True:
            self._beat(client)
            await asyncio.sleep(BEAT_S)

    def _beat(self, client: LongClient) -> None:
        line = msgspec.json.encode(self.tally.beat(client)) + b"\n"
        with suppress(BlockingIOError):  # The supervisor is slow; the next beat will do.
            os.write(self._beats_fd, line)


def main(arguments: list[str]) -> Ending:
    """Hold the connection until told to stop."""
    beats_fd, parent_pid = int(arguments[0]), int(arguments[1])
    die_with(parent_pid)
    configure_redacted_logging()
    os.set_blocking(beats_fd, False)
    load_catalogue()
    chosen = settings()
    use_zone(chosen.time_zone)
    with connect(os.environ.pop(URL_VARIABLE)) as redis:
        state = State(redis, timedelta(days=chosen.retention_days))
        return asyncio.run(_listen(Receiver(state, chosen, BotIdentity()), beats_fd))


async def _listen(receiver: Receiver, beats_fd: int) -> Ending:
    listener = Listener(receiver, beats_fd)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, listener.stop)
    return await listener.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
