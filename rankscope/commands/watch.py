"""`rankscope watch`: follow a training log and tell the bot of hangs and slow-downs."""

import signal
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click
import msgspec

from rankscope.errors import ConfigurationError, UnusableInput
from rankscope.logs.progress import Happening, Progress
from rankscope.logs.silence import FLOOR_S
from rankscope.model.event import EventJob, JobId
from rankscope.settings import settings
from rankscope.text import say
from rankscope.watching.announce import describe, event_of
from rankscope.watching.follow import Follower
from rankscope.watching.post import Poster


@click.command()
@click.argument("log", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--job", required=True, help="Id of the job, as the agents see it.")
@click.option(
    "--url", required=True, envvar="RANKSCOPE_URL", show_envvar=True, help="Base URL of the bot."
)
@click.option(
    "--floor", default=FLOOR_S, show_default=True, type=click.FloatRange(min=0, min_open=True),
    help="Seconds of silence that are never a hang; more than checkpoints and evaluations take.",
)  # fmt: skip
@click.option(
    "--poll", default=1.0, show_default=True, type=click.FloatRange(min=0.05),
    help="Seconds between two looks at the log.",
)  # fmt: skip
def watch(*, log: Path, job: str, url: str, floor: float, poll: float) -> None:
    """Follow the training LOG of a job and tell the bot when it hangs, resumes or slows down.

    A job hangs when no step ends for longer than three times its usual interval and longer than the
    floor. It is slow when the mean of five steps exceeds that of the fastest five so far by 80 %.
    LOG may be created later, rotated or truncated. Needs RANKSCOPE_WEBHOOK_SECRET, the key of the
    bot's webhooks. Ends with Ctrl-C or SIGTERM.
    """
    secret = settings().webhook_secret.get_secret_value()
    if not secret:
        raise ConfigurationError(
            "Events cannot be signed.", "Set RANKSCOPE_WEBHOOK_SECRET to the value the bot uses."
        )
    signal.signal(signal.SIGTERM, _interrupt)
    with closing(Poster(url, secret, _tell_failure)) as poster:
        watcher = Watcher(log, checked_job(job), poster, floor)
        try:
            watcher.run(poll)
        except KeyboardInterrupt:
            _tell("watch-stopped", job=job)


def checked_job(job: str) -> EventJob:
    """Return the job of events; raises UnusableInput for an id the bot would refuse."""
    try:
        return EventJob(id=msgspec.convert(job, JobId))
    except msgspec.ValidationError:
        raise UnusableInput(
            f"{job[:130]!r} is not a job id.", "It has letters, digits and ._:-, at most 128."
        ) from None


class Watcher:
    """Reads the log, tells the terminal and the bot."""

    def __init__(self, log: Path, job: EventJob, poster: Poster, floor_s: float) -> None:
        self._follower = Follower(log)
        self._job = job
        self._poster = poster
        self._progress = Progress(floor_s)

    def run(self, poll_s: float) -> None:
        """Watch until interrupted; raises Refused when the bot will not take an event."""
        _tell("watch-following", log=self._follower.path, job=self._job.id)
        with closing(self._follower):
            while True:
                self.look()
                time.sleep(poll_s)

    def look(self) -> None:
        """Read what is new, once."""
        for line in self._follower.lines():
            for happening in self._progress.line(line, time.monotonic()):
                self._announce(happening)
        for happening in self._progress.tick(time.monotonic()):
            self._announce(happening)

    def _announce(self, happening: Happening) -> None:
        message = describe(happening).of(settings().language)
        click.echo(message)
        event = event_of(happening, self._job, datetime.now(UTC), message)
        _tell(f"watch-event-{self._poster.post(event)}", type=event.type, id=event.id)


def _tell(message_id: str, **parameters: object) -> None:
    click.echo(say(message_id, **parameters).of(settings().language))
    sys.stdout.flush()


def _tell_failure(problem: str) -> None:
    _tell("watch-retrying", problem=problem)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
