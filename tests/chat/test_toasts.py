import pytest

from rankscope.chat import toasts
from rankscope.model.state import IncidentState


@pytest.mark.parametrize("state", [state for state in IncidentState if state.is_final])
def test_every_final_state_has_its_toast(state: IncidentState) -> None:
    assert toasts.final(state).zh
    assert toasts.final(state).en


def test_progress_is_told_once_nodes_are_known() -> None:
    assert "1 of 2" in toasts.running(1, 2).en
    assert "of" not in toasts.running().en


def test_expiry_names_the_retention() -> None:
    assert "30 天" in toasts.expired(30).zh
