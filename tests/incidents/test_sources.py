"""Whether anybody tells of hangs."""

import pytest

from rankscope.incidents import handle_event
from rankscope.incidents.sources import hang_source, lacks_hang_source
from rankscope.model.event import Event
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.conftest import MakeSettings
from tests.incidents.conftest import event


@pytest.mark.parametrize(
    ("told", "source"),
    [
        (event("job.hang", source="alertmanager"), "alertmanager"),
        (event("job.running", source="rankscope-watch"), "rankscope-watch"),
        (event("job.state", source="platform", state="slow"), "platform"),
        (event("job.failed", source="platform"), ""),
    ],
)
def test_who_tells_of_hangs_is_remembered(
    running: State, settings: Settings, told: Event, source: str
) -> None:
    handle_event(running, told, settings)

    assert hang_source(running) == source
    assert lacks_hang_source(running, settings) is not bool(source)


def test_nothing_is_lacking_when_no_capture_is_to_start_by_itself(
    state: State, make_settings: MakeSettings
) -> None:
    assert not lacks_hang_source(state, make_settings(auto_capture=()))
