"""How a job's processes were started, as its last capture showed it; state events come without."""

from collections.abc import Mapping, Sequence

from rankscope.logs.triage import check_launch
from rankscope.model.capture import Capture, Role
from rankscope.model.state import Job, LaunchNotes
from rankscope.model.text import Text
from rankscope.store.state import State


def environments_of(capture: Capture) -> list[dict[str, str]]:
    """Return the allow-listed variables of the trainers in a capture."""
    first = (sample for sample in capture.samples if sample.sample == 0)
    processes = (one for sample in first for one in sample.processes)
    return [dict(one.env) for one in processes if one.role is Role.TRAINER and one.env]


def note_launch(state: State, job: Job, processes: Sequence[Mapping[str, str]]) -> None:
    """Keep what contradicts itself in the environments of the trainers in a capture."""
    found = tuple(check_launch(processes, command=job.command))
    state.save(LaunchNotes(id=job.id, run=job.run, texts=found))


def launch_notes(state: State, job: Job) -> tuple[Text, ...]:
    """Return what the last capture of the job's run showed to contradict itself."""
    kept = state.find(LaunchNotes, job.id)
    return kept.texts if kept is not None and kept.run == job.run else ()
