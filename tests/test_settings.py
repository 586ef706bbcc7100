import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from rankscope.errors import ConfigurationError
from rankscope.settings import Settings, settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"


def test_the_page_lists_every_setting_and_no_other() -> None:
    named = set(
        re.findall(r"^\| `RANKSCOPE_(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )

    assert named == {name.upper() for name in Settings.model_fields}


def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_AGENT_SECRET", "do-not-print-me")

    settings = Settings(_env_file=None)

    assert settings.agent_secret.get_secret_value() == "do-not-print-me"
    assert "do-not-print-me" not in f"{settings!r} {settings.model_dump_json()}"


def test_redis_url_is_found_under_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://common")
    assert Settings(_env_file=None).redis_url == "redis://common"

    monkeypatch.setenv("RANKSCOPE_REDIS_URL", "redis://ours")
    assert Settings(_env_file=None).redis_url == "redis://ours"


def test_page_links_have_a_key_of_their_own_or_the_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_AGENT_SECRET", "agents")
    assert Settings(_env_file=None).links_key == "agents"

    monkeypatch.setenv("RANKSCOPE_PAGE_SECRET", "pages")
    assert Settings(_env_file=None).links_key == "pages"


def test_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_CAPTURE_SAMPLES", "99")

    with pytest.raises(ValidationError, match="capture_samples"):
        Settings(_env_file=None)


def test_wrong_settings_are_one_clear_error_without_their_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RANKSCOPE_TIME_ZONE", "Asia/Beijing")
    monkeypatch.setenv("RANKSCOPE_CAPTURE_SAMPLES", "s3cret")
    with pytest.raises(ConfigurationError) as caught:
        settings.__wrapped__()

    said = str(caught.value)
    assert "RANKSCOPE_TIME_ZONE: 'Asia/Beijing' is no time zone" in said
    assert "RANKSCOPE_CAPTURE_SAMPLES: " in said
    assert "s3cret" not in said


def test_a_list_that_is_no_json_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKSCOPE_AUTO_CAPTURE", "hang")

    with pytest.raises(ConfigurationError, match=r"auto_capture.*lists are written as JSON"):
        settings.__wrapped__()
