from pathlib import Path

import pytest

from agent.settings import AgentSettings
from tests.agent.conftest import SECRET, agent_settings

ROOT = Path(__file__).parents[2]


def test_docs_list_every_setting_with_its_meaning() -> None:
    page = (ROOT / "docs/agent.md").read_text(encoding="utf-8")
    for name, field in AgentSettings.model_fields.items():
        assert f"`RANKSCOPE_AGENT_{name.upper()}`" in page, name
        assert field.description, name
        assert field.description in page, name


def test_what_tells_contradictory_ranks_is_shown_by_default() -> None:
    ddp = {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}
    assert set(agent_settings().shown_variables) >= ddp | {"NODE_RANK", "GROUP_RANK"}


def test_lists_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_AGENT_JOB_ID_VARIABLES", "A_JOB, B_JOB,")
    assert AgentSettings().job_id_variables == ("A_JOB", "B_JOB")


def test_the_key_is_never_shown() -> None:
    assert SECRET not in repr(agent_settings())


@pytest.mark.parametrize(
    ("changes", "endpoint"),
    [
        ({"host": "127.0.0.2", "port": 9}, "http://127.0.0.2:9"),
        ({"host": "0.0.0.0", "port": 9}, "http://node-a:9"),
        ({"host": "fd00::1", "port": 9}, "http://[fd00::1]:9"),
        ({"host": "0.0.0.0", "port": 9, "tls_cert": "x"}, "https://node-a:9"),
        ({"endpoint": "https://a.example/agent/"}, "https://a.example/agent"),
    ],
)
def test_the_endpoint_told_to_the_bot(changes: dict[str, object], endpoint: str) -> None:
    assert agent_settings(**changes).advertised_endpoint == endpoint
