"""What can come of asking for a capture; chat replies are made from these."""

from dataclasses import dataclass

from rankscope.model.state import Job


@dataclass(frozen=True, slots=True)
class Started:
    """A capture was started in an incident."""

    print_id: str
    incident_id: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A capture of the job runs already: done of asked nodes, asked being 0 before it starts."""

    print_id: str
    done: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class NotRunning:
    """The job's state says that there is no process to capture."""

    job: Job


@dataclass(frozen=True, slots=True)
class NoNodes:
    """No agent that could be asked has seen the job."""

    job_id: str


@dataclass(frozen=True, slots=True)
class UnknownJob:
    """Neither an event nor an agent has ever named the job."""

    job_id: str


@dataclass(frozen=True, slots=True)
class TooSoon:
    """The job's last capture was asked for a moment ago; after wait_s seconds it may be again."""

    job_id: str
    wait_s: float


Outcome = Started | Joined | NotRunning | NoNodes | UnknownJob | TooSoon
