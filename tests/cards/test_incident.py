import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankscope.cards import fallback_text, incident_card
from rankscope.cards.budget import Card
from rankscope.cards.facts import can_compare
from rankscope.errors import ConfigurationError
from rankscope.model.capture import Trigger
from rankscope.model.state import CaptureState, IncidentState
from rankscope.settings import Settings
from rankscope.templating import environment
from tests.cards.builders import (
    EARLIER,
    HOSTILE,
    LINK,
    PERSON,
    PRINT_ID,
    REPORTED,
    VIEWS,
    hostile_report,
    incident,
    record,
    small_report,
    view,
)


def buttons(card: Card) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if node.get("tag") == "button":
                found[node["element_id"]] = node
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(card)
    return found


def test_recapture_asks_before_it_acts_and_carries_the_revision() -> None:
    button = buttons(incident_card(VIEWS["hang_twice"], "en"))["b_recapture"]

    assert "pause" in button["confirm"]["text"]["content"]
    assert button["behaviors"] == [
        {
            "type": "callback",
            "value": {"act": "recapture", "incident": f"in-{PRINT_ID}", "rev": 4},
        }
    ]


def test_recapture_is_disabled_while_a_capture_runs() -> None:
    card = incident_card(VIEWS["capturing"], "en")

    assert buttons(card)["b_recapture"]["disabled"] is True
    assert "1 of 2 nodes answered" in json.dumps(card)


@pytest.mark.parametrize(
    ("captures", "latest", "possible"),
    [
        ((PRINT_ID,), CaptureState.REPORTED, False),
        ((EARLIER, PRINT_ID), CaptureState.REPORTED, True),
        ((EARLIER, PRINT_ID), CaptureState.RUNNING, False),
        ((EARLIER, PRINT_ID), CaptureState.FAILED, False),
        ((EARLIER, "2", PRINT_ID), CaptureState.RUNNING, True),
        ((), CaptureState.REQUESTED, False),
    ],
)
def test_compare_needs_two_finished_captures(
    captures: tuple[str, ...], latest: CaptureState, *, possible: bool
) -> None:
    seen = view(incident(captures=captures), small_report(), record(latest))

    assert can_compare(seen) is possible
    assert buttons(incident_card(seen, "en"))["b_compare"].get("disabled", False) is not possible


@pytest.mark.parametrize("state", [state for state in IncidentState if state.is_final])
def test_a_finished_incident_keeps_only_what_can_still_be_read(state: IncidentState) -> None:
    card = incident_card(view(incident(state), small_report(), REPORTED), "en")

    assert set(buttons(card)) == {"b_report", "b_bundle"}
    assert "select_static" not in json.dumps(card)


def test_without_a_link_and_with_nothing_to_do_there_are_no_buttons() -> None:
    seen = replace(view(incident(IncidentState.CLOSED), None, REPORTED), report_link="")

    card = incident_card(seen, "en")

    assert not buttons(card)
    assert "column_set" not in json.dumps(card)


def test_a_slow_job_stays_slow_although_it_moves() -> None:
    report = small_report()
    moving = replace(report, verdict=replace(report.verdict, progress="moving"))

    slow = incident_card(view(incident(kind=Trigger.SLOW), moving, REPORTED), "en")
    hung = incident_card(view(incident(kind=Trigger.HANG), moving, REPORTED), "en")

    assert '"Training slow: look at rank 5 first"' in json.dumps(slow)
    assert '"Training is moving: look at rank 5 first"' in json.dumps(hung)


@pytest.mark.parametrize("name", [name for name, seen in VIEWS.items() if seen.report])
def test_every_report_says_that_it_is_a_photo_of_a_moment(name: str) -> None:
    assert "不会自动给出根因" in json.dumps(incident_card(VIEWS[name], "zh"), ensure_ascii=False)


def test_plain_text_says_the_same_and_mentions_nobody() -> None:
    text = fallback_text(VIEWS["hang"], "en")
    assert "look at rank 5" in text
    assert LINK in text

    hostile = fallback_text(view(incident(job_id=HOSTILE), hostile_report(), REPORTED), "zh")
    assert "<" not in hostile


def test_a_template_of_the_user_replaces_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cards").mkdir()
    mine = tmp_path / "cards" / "incident.json.j2"
    mine.write_text('{"schema": "2.0", "body": {{ t("card-photo") | tojson }}}', encoding="utf-8")
    monkeypatch.setattr(
        "rankscope.templating.settings", lambda: Settings(_env_file=None, templates_dir=tmp_path)
    )

    assert "photo of a moment" in str(incident_card(VIEWS["hang"], "en")["body"])

    mine.write_text("{", encoding="utf-8")
    environment.cache_clear()
    with pytest.raises(ConfigurationError, match="does not give JSON"):
        incident_card(VIEWS["hang"], "en")


def test_groups_of_one_label_are_told_apart_by_their_innermost_frame() -> None:
    report = small_report()
    reading = replace(report.groups[1], label=report.groups[0].label)
    report = replace(report, groups=(report.groups[0], reading))

    text = json.dumps(incident_card(view(incident(), report, REPORTED), "en"), ensure_ascii=False)

    assert '"all_reduce ← recv_exact (ring.py) · read_shard (llama/data.py:31)"' in text


def test_who_takes_care_is_shown_and_cannot_be_pressed_again() -> None:
    card = incident_card(VIEWS["acked"], "en")

    assert "b_ack" not in buttons(card)
    assert card["header"]["template"] == "yellow"  # type: ignore[index]
    assert "[in hand] Training hung" in json.dumps(card)
    assert PERSON["last_actor"] in json.dumps(card)


def test_a_running_capture_keeps_its_colour_whoever_takes_care() -> None:
    seen = VIEWS["capturing"]
    known = replace(seen.incident, acked_by=PERSON["last_actor"])

    card = incident_card(replace(seen, incident=known), "en")

    assert card["header"]["template"] == "blue"  # type: ignore[index]


@pytest.mark.parametrize("name", ["silenced", "silenced_until"])
def test_a_silence_can_be_ended(name: str) -> None:
    card = incident_card(VIEWS[name], "en")

    assert card["header"]["template"] == "grey"  # type: ignore[index]
    assert '"value": "off"' in json.dumps(card)
    assert '"value": "off"' not in json.dumps(incident_card(VIEWS["hang"], "en"))


def test_of_more_than_two_captures_any_two_can_be_compared() -> None:
    card = incident_card(VIEWS["many"], "en")

    assert re.findall(r'"element_id": "(s_\w+)"', json.dumps(card)) == [
        "s_silence",
        "s_before",
        "s_after",
    ]
    button = buttons(card)["b_compare"]
    assert button["form_action_type"] == "submit"
    assert f'"initial_option": "{PRINT_ID}"' in json.dumps(card)


def test_with_a_silence_that_is_over_nothing_is_said() -> None:
    assert "🔕" not in json.dumps(incident_card(VIEWS["hang"], "zh"), ensure_ascii=False)


def test_a_picture_needs_a_report() -> None:
    seen = replace(VIEWS["capturing"], picture="img_1")

    assert "img_1" not in json.dumps(incident_card(seen, "en"))
    assert "img_v3_ranks" in json.dumps(incident_card(VIEWS["picture"], "en"))
