"""`rankscope routes check` and `test`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rankscope.commands.routes import routes
from rankscope.errors import ConfigurationError, UnusableInput
from rankscope.settings import settings
from tests.routing.books import TEXT

EVENT: dict[str, Any] = {
    "id": "e1",
    "type": "job.hang",
    "job": {"id": "jo-1", "owner": "lisi"},
    "labels": {"team": "llm-base"},
    "time": "2026-06-02T15:00:00Z",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "routes.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments: object, event: dict[str, Any] | None = None) -> str:
    given = json.dumps(event) if event else None
    result = CliRunner().invoke(routes, [str(one) for one in arguments], input=given)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_a_good_file_is_shown_with_who_is_on_call(file: Path) -> None:
    shown = run("check", "--routes", file, "--at", "2026-06-09T10:00", "--lang", "en")

    assert "3 routes" in shown
    assert "night → oc_night, team" in shown
    assert "On call (infra): ou_zhao, until 2026-06-15 09:00 (Asia/Shanghai)" in shown


def test_a_bad_file_is_refused_with_line_route_and_field(file: Path) -> None:
    file.write_text(TEXT.replace("mon-fri", "mo"), encoding="utf-8")
    with pytest.raises(UnusableInput, match=r"line 21, route 1 \(night\), days: 'mo'"):
        run("check", "--routes", file)


def test_an_event_is_explained_in_both_languages(file: Path) -> None:
    english = run("test", "-", "--routes", file, "--lang", "en", event=EVENT)
    chinese = run("test", "-", "--routes", file, "--lang", "zh", event=EVENT)

    for said in (
        "jo-1: hang, at 2026-06-02 23:00 (Asia/Shanghai)",
        "✓ night",
        "✗ grave: kinds does not fit",
        "Card in oc_night (language: Chinese)",
        "mentioned there: ou_wang (oncall:infra, until 2026-06-08 09:00 (Asia/Shanghai))",
        "Captured by itself: yes (the route says so)",
        "Not acknowledged after 10 min: buzzes ou_li (owner)",
    ):
        assert said in english
    assert "10 分钟无人处理：加急呼叫 ou_li" in chinese
    assert "条件 kinds 不符" in chinese


def test_at_another_time_other_people_hear(file: Path) -> None:
    arguments = ("test", "-", "--routes", file, "--json", "--at", "2026-06-09T12:00")
    found = json.loads(run(*arguments, event=EVENT))

    assert {one["route"]: one["failed"] for one in found["tried"]} == {
        "night": "hours",
        "llm": "",
        "grave": "kinds",
    }
    assert [chat["chat_id"] for chat in found["chats"]] == ["oc_team"]
    assert found["steps"][0]["people"][1]["open_id"] == "ou_zhao"


def test_where_no_route_fits_the_setting_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKSCOPE_FEISHU_CHAT_ID", "oc_default")
    settings.cache_clear()
    event = {**EVENT, "labels": {}}
    shown = run("test", "-", "--routes", file, "--lang", "en", event=event)
    settings.cache_clear()

    assert "No route fits" in shown
    assert "oc_default" in shown
    assert "Captured by itself: yes (the settings say so)" in shown


def test_an_owner_without_an_open_id_is_nobody(file: Path) -> None:
    event = {**EVENT, "job": {"id": "jo-1", "owner": "stranger"}}
    assert "nobody (owner)" in run("test", "-", "--routes", file, "--lang", "en", event=event)


def test_an_event_that_is_no_alert_needs_a_kind(file: Path) -> None:
    event = {**EVENT, "type": "job.running"}
    with pytest.raises(UnusableInput, match="no alert"):
        run("test", "-", "--routes", file, event=event)

    assert "✓ llm" in run("test", "-", "--routes", file, "--kind", "slow", event=event)


def test_a_failed_job_is_a_failure(file: Path) -> None:
    event = {**EVENT, "type": "job.failed", "severity": "critical"}
    event["job"] = {"id": "jo-1", "owner": "zhangsan"}
    event["labels"] = {}
    assert "✓ grave" in run("test", "-", "--routes", file, event=event)


@pytest.mark.parametrize("at", ["yesterday", "2026-13-01"])
def test_a_time_that_is_none_is_refused(file: Path, at: str) -> None:
    with pytest.raises(UnusableInput, match="is no time"):
        run("test", "-", "--routes", file, "--at", at, event=EVENT)


def test_what_is_no_event_is_refused(file: Path) -> None:
    with pytest.raises(UnusableInput, match="cannot be read"):
        run("test", "-", "--routes", file, event={"id": 1})


def test_without_a_file_the_setting_is_named() -> None:
    with pytest.raises(ConfigurationError, match="RANKSCOPE_ROUTES_FILE"):
        run("check")


MUTE = """
[[routes]]
name = "drill"
jobs = ["drill-*"]
mute = true
reason = "nobody shall be woken by drills"
"""


def test_a_mute_route_is_shown_with_its_reason(file: Path) -> None:
    file.write_text(MUTE + TEXT.replace("zone =", "# zone ="), encoding="utf-8")
    drill = {**EVENT, "job": {"id": "drill-7"}}

    listed = run("check", "--routes", file, "--lang", "en")
    english = run("test", "-", "--routes", file, "--lang", "en", event=drill)
    as_json = json.loads(run("test", "-", "--routes", file, "--json", event=drill))

    assert "drill → nobody (nobody shall be woken by drills)" in listed
    assert "✓ drill" in english
    assert "Nobody hears, and nothing is captured by itself: nobody shall be woken" in english
    assert "Card in" not in english
    assert (as_json["chats"], as_json["muted"]) == ([], "nobody shall be woken by drills")


def test_all_problems_of_a_file_are_told_at_once(file: Path) -> None:
    broken = TEXT.replace("mon-fri", "mo").replace('chats = ["infra"]', 'chats = ["ifnra"]')
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(UnusableInput) as caught:
        run("check", "--routes", file)

    assert "route 1 (night), days: 'mo'" in str(caught.value)
    assert "route 3 (grave), chats: 'ifnra'" in str(caught.value)
