"""`rankscope watch`: follow the logs of a job and tell the bot of hangs and slow-downs."""

import errno
import resource
import signal
import sys
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click
import msgspec

from rankscope.analysis.visible import visible
from rankscope.errors import ConfigurationError, UnusableInput
from rankscope.logs.silence import FLOOR_S
from rankscope.model.event import EventJob, JobId
from rankscope.settings import settings
from rankscope.text import say
from rankscope.watching.outbox import Outbox
from rankscope.watching.post import Poster, checked_url
from rankscope.watching.signs import Watched
from rankscope.watching.sources import Sources
from rankscope.watching.state import State, StateFile, StateFolderError, default_folder
from rankscope.watching.watcher import Setup, Watcher


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
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
    help="Seconds between two looks at the logs.",
)  # fmt: skip
@click.option(
    "--state-dir", type=click.Path(path_type=Path, file_okay=False),
    help="Folder that remembers what was read and told.  [default: that of the systemd service,"
    " else ~/.local/state/rankscope/watch]",
)  # fmt: skip
@click.option(
    "--checkpoints", multiple=True, type=click.Path(path_type=Path), metavar="FOLDER",
    help="Where the job writes checkpoints: while they are written, only the log is silent.",
)  # fmt: skip
@click.option(
    "--pid", "pids", multiple=True, type=click.IntRange(min=1),
    help="A process of the job, such as its launcher: its CPU time is a sign of life, and when all"
    " named are gone, the job has ended.",
)  # fmt: skip
@click.option("--gpu/--no-gpu", default=True, help="Ask nvidia-smi, where there is one.")
def watch(**options: object) -> None:
    """Follow the training LOGs of a job and tell the bot when it hangs, slows down or ends.

    A LOG is a file, a pattern such as '/logs/worker-*.log', or a folder; files may be created
    later, rotated or truncated. A job hangs when no step ends in any of them for longer than three
    times its usual interval and longer than the floor. It is slow by the platform's rule when the
    mean of five steps exceeds that of the fastest five so far by 80 %; a second rule, of medians,
    suspects also less and what comes bit by bit, and leaves out checkpoints and evaluations.

    Nothing is told twice or lost when the watcher or the bot is restarted. Needs
    RANKSCOPE_WEBHOOK_SECRET, the key of the bot's webhooks. Ends with Ctrl-C or SIGTERM.

    Exit code 2 when it cannot work as it is set up, or the bot takes none of its events.
    """
    chosen = msgspec.convert(options, Options)
    checked_url(chosen.url)
    job = checked_job(chosen.job)
    secret = settings().webhook_secret.get_secret_value()
    if not secret:
        raise ConfigurationError(
            "Events cannot be signed.", "Set RANKSCOPE_WEBHOOK_SECRET to the value the bot uses."
        )
    signal.signal(signal.SIGTERM, _interrupt)
    _allow_many_files()
    with ExitStack() as stack:
        poster = stack.enter_context(closing(Poster(chosen.url, secret)))
        setup = _setup(chosen, job, poster, stack)
        try:
            Watcher(setup).run(chosen.poll)
        except KeyboardInterrupt:
            _tell("watch-stopped", job=job.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What stands on the command line."""

    logs: tuple[str, ...]
    job: str
    url: str
    floor: float
    poll: float
    state_dir: Path | None
    checkpoints: tuple[Path, ...]
    pids: tuple[int, ...]
    gpu: bool


def _setup(options: Options, job: EventJob, poster: Poster, stack: ExitStack) -> Setup:
    state = _state_file(options, job)
    loaded = State()
    if state:
        stack.callback(state.close)
        loaded = state.load()
    return Setup(
        job=job,
        sources=Sources(options.logs),
        watched=Watched(options.checkpoints, options.pids, gpus=options.gpu),
        outbox=Outbox(poster, _tell, loaded.outbox),
        tell=_tell,
        language=settings().language,
        floor_s=options.floor,
        state=state,
        loaded=loaded,
    )


def _state_file(options: Options, job: EventJob) -> StateFile | None:
    """Open the state; where nobody chose the folder, its absence is told and not an error."""
    if options.state_dir:
        return StateFile(options.state_dir, job.id, options.logs)
    try:
        return StateFile(default_folder(), job.id, options.logs)
    except StateFolderError as error:
        _tell("watch-no-state", problem=error)
        return None


def checked_job(job: str) -> EventJob:
    """Return the job of events; raises UnusableInput for an id the bot would refuse."""
    try:
        return EventJob(id=msgspec.convert(job, JobId))
    except msgspec.ValidationError:
        raise UnusableInput(
            f"{job[:130]!r} is not a job id.", "It has letters, digits and ._:-, at most 128."
        ) from None


def _allow_many_files() -> None:
    """Raise the number of files that may be open; each log stays open to survive its rotation."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _tell(message_id: str, **parameters: object) -> None:
    try:
        click.echo(visible(say(message_id, **parameters).of(settings().language)))
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:  # Where the output goes may be full.
            raise


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
