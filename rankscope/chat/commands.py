"""What people can ask for in the channel, as types; rankscope.chat.parsing reads them."""

from dataclasses import dataclass

from rankscope.model.text import Language


@dataclass(frozen=True, slots=True)
class Capture:
    """Capture a job; job_id is as typed, perhaps only its beginning.

    samples is 0 for as many as the settings say; native names ranks whose native frames are wanted.
    """

    job_id: str
    samples: int = 0
    native: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare two captures of a job: the named ones, or the last two."""

    job_id: str
    captures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShowReport:
    """Show a report; target is a job, or a capture's print id."""

    target: str


@dataclass(frozen=True, slots=True)
class ShowStack:
    """Show where one rank is; place is a rank or `worker-0-gpu-0`."""

    job_id: str
    place: str


@dataclass(frozen=True, slots=True)
class ShowNccl:
    """Show what NCCL said in the last capture of a job."""

    job_id: str


@dataclass(frozen=True, slots=True)
class ShowErrors:
    """Show the first error in what is kept of a job's logs, and its stage."""

    job_id: str


@dataclass(frozen=True, slots=True)
class ListJobs:
    """List the jobs."""


@dataclass(frozen=True, slots=True)
class ShowStatus:
    """Show how rankscope itself is doing."""


@dataclass(frozen=True, slots=True)
class Silence:
    """Mute a job's alerts: for so many seconds, 0 until the job ends, None to hear them again."""

    job_id: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class ChooseLanguage:
    """Speak this language in this chat."""

    language: Language


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Tell this chat of the incidents of jobs; without a pattern, list what it is told of.

    is_off takes the subscription back, or all of them when there is no pattern.
    """

    pattern: str = ""
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class ShowAudit:
    """Show who did what to a job."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Help:
    """Explain the commands."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No command; suggestion is the nearest command's name, or empty."""

    word: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class MissingArgument:
    """A command without a word it needs; is_job says whether the job is what lacks."""

    command: str
    is_job: bool = True


@dataclass(frozen=True, slots=True)
class TooManyArguments:
    """A command with more words than it takes."""

    command: str
    extra: str


@dataclass(frozen=True, slots=True)
class BadArgument:
    """A command with a word it does not understand."""

    command: str
    word: str


Act = Capture | Compare | Silence | ChooseLanguage | Subscribe
Look = ShowReport | ShowStack | ShowNccl | ShowErrors | ListJobs | ShowStatus | ShowAudit | Help
Misunderstood = Unknown | MissingArgument | TooManyArguments | BadArgument
Command = Act | Look | Misunderstood
