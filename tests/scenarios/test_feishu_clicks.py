"""Card clicks against the running bot: encrypted and signed, or over a long connection."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from redis import Redis

from rankscope.incidents.audit import deeds_of
from rankscope.model.capture import Trigger
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    Silence,
)
from rankscope.queueing import Task
from tests.conftest import MakeSettings
from tests.feishu.payloads import click
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.queued import queued
from tests.scenarios.test_feishu_messages import push

INCIDENT = Incident(
    id="in-1",
    job_id="jo-1",
    kind=Trigger.HANG,
    chat_id="oc_1",
    opened_at=0.0,
    state=IncidentState.REPORTED,
    revision=2,
    captures=("1",),
)


@pytest.fixture
def bot(either_bot: RunningBot) -> RunningBot:
    return either_bot


def _press(bot: RunningBot, act: str = "recapture", rev: int = 2) -> dict[str, Any]:
    answer = push(bot, click({"act": act, "incident": "in-1", "rev": rev}))
    assert answer.status_code == 200
    toast: dict[str, Any] = answer.json()["toast"]
    return toast


def _english(toast: dict[str, Any]) -> str:
    return str(toast["i18n"]["en_us"])


def test_a_good_click_is_enqueued_and_answered_in_both_languages(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    toast = _press(bot)

    assert toast["type"] == "success"
    assert toast["content"] == toast["i18n"]["zh_cn"]
    assert "正在采集" in toast["i18n"]["zh_cn"]
    assert "Capturing" in _english(toast)
    [(job_id, name, pressed)] = queued(bot.redis)
    assert (job_id, name) == ("click-in-1-recapture-r2", Task.HANDLE_CLICK)
    assert (pressed["operator"], pressed["revision"]) == ("ou_person", 2)


def test_the_second_click_hears_that_it_was_requested(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    _press(bot)

    assert "Already requested by ou_person" in _english(_press(bot))
    assert len(queued(bot.redis)) == 1


def test_people_who_press_at_once_start_one_capture(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    with ThreadPoolExecutor(8) as pool:
        kinds = list(pool.map(lambda _: _press(bot)["type"], range(8)))

    assert sorted(kinds) == ["info"] * 7 + ["success"]
    assert len(queued(bot.redis)) == 1


def test_a_replayed_click_starts_nothing(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    payload = click({"act": "recapture", "incident": "in-1", "rev": 2}, "ev-1")
    push(bot, payload)
    bot.redis.delete("rq:job:click-in-1-recapture-r2")

    assert "already asked" in _english(push(bot, payload).json()["toast"])


def test_a_click_on_an_outdated_card_is_refused_politely(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)

    assert "updated meanwhile" in _english(_press(bot, rev=1))
    assert queued(bot.redis) == []


def test_a_click_on_a_forgotten_incident_hears_so(bot: RunningBot) -> None:
    assert "expired (kept for 30 days)" in _english(_press(bot))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (IncidentState.RESUMED, "resumed"),
        (IncidentState.ENDED, "ended"),
        (IncidentState.CLOSED, "closed"),
    ],
)
def test_a_click_on_a_finished_incident_hears_why(
    bot: RunningBot, state: IncidentState, said: str
) -> None:
    bot.state.save(replace(INCIDENT, state=state))

    assert said in _english(_press(bot))
    assert queued(bot.redis) == []


def test_while_a_capture_runs_its_progress_is_told(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    bot.state.save(
        CaptureRecord(
            id="17",
            job_id="jo-1",
            incident_id="in-1",
            trigger=Trigger.RECAPTURE,
            requested_at=0.0,
            state=CaptureState.RUNNING,
            nodes_asked=4,
            nodes_done=3,
        )
    )
    bot.state.claim("capture:jo-1", "17", ttl_s=60)

    assert "3 of 4 nodes" in _english(_press(bot))
    assert queued(bot.redis) == []


def test_while_a_capture_starts_it_is_called_running(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    bot.state.claim("capture:jo-1", "17", ttl_s=60)

    assert "running" in _english(_press(bot))


def test_compare_needs_two_captures(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    assert "two captures" in _english(_press(bot, "compare"))

    bot.state.save(replace(INCIDENT, captures=("1", "2")))
    assert "Comparing" in _english(_press(bot, "compare"))
    assert [job_id for job_id, _, _ in queued(bot.redis)] == ["click-in-1-compare-r2"]


@pytest.mark.parametrize("value", [{"act": "explode", "incident": "in-1", "rev": 2}, {}, "x"])
def test_an_unknown_button_is_answered_with_help(bot: RunningBot, value: object) -> None:
    bot.state.save(INCIDENT)

    assert "/help" in _english(push(bot, click(value)).json()["toast"])
    assert queued(bot.redis) == []


def test_without_redis_the_person_is_asked_to_press_again(bot_without_redis: RunningBot) -> None:
    toast = _press(bot_without_redis)

    assert toast["type"] == "error"
    assert "press again" in _english(toast)


def test_the_toast_speaks_the_configured_language_by_default(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    toast = _press(start(make_settings(language="en"), redis))

    assert toast["content"] == toast["i18n"]["en_us"]


def _choose(bot: RunningBot, option: str) -> dict[str, Any]:
    payload = click({"act": "silence", "incident": "in-1", "rev": 2})
    payload["event"]["action"]["option"] = option
    toast: dict[str, Any] = push(bot, payload).json()["toast"]
    return toast


def test_acknowledging_is_confirmed_and_then_says_by_whom(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    assert "take care" in _english(_press(bot, "ack"))
    assert "Already requested by ou_person" in _english(_press(bot, "ack"))

    bot.state.save(replace(INCIDENT, acked_by="ou_li", revision=3))
    assert "ou_li takes care" in _english(_press(bot, "ack", rev=3))
    assert [job_id for job_id, _, _ in queued(bot.redis)] == ["click-in-1-ack-r2"]


@pytest.mark.parametrize(
    ("option", "said"),
    [("30m", "30 minutes"), ("2h", "2 hours"), ("end", "until the job ends")],
)
def test_a_silence_is_chosen_from_a_list(bot: RunningBot, option: str, said: str) -> None:
    bot.state.save(INCIDENT)

    assert said in _english(_choose(bot, option))
    assert "Already requested" in _english(_choose(bot, option))
    [(_, name, pressed)] = queued(bot.redis)
    assert (name, pressed["option"]) == (Task.HANDLE_CLICK, option)


def test_a_silence_can_be_chosen_again_once_it_has_changed(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    _choose(bot, "30m")
    bot.state.save(Silence(id="jo-1", until=0, by="ou_person", at=1.0))

    assert _choose(bot, "30m")["type"] == "success"
    assert _choose(bot, "off")["type"] == "success"


def test_what_is_not_silenced_cannot_be_heard_again(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)

    assert "not silenced" in _english(_choose(bot, "off"))
    assert "no longer used" in _english(_choose(bot, "for ever"))


def test_a_bundle_needs_a_report_and_outlives_the_incident(bot: RunningBot) -> None:
    bot.state.save(replace(INCIDENT, state=IncidentState.ENDED))
    assert "no report" in _english(_press(bot, "bundle"))

    record = CaptureRecord(
        id="1",
        job_id="jo-1",
        incident_id="in-1",
        trigger=Trigger.HANG,
        requested_at=0.0,
        state=CaptureState.REPORTED,
    )
    bot.state.save(record)
    assert "support bundle" in _english(_press(bot, "bundle"))


def test_who_presses_too_soon_hears_when(bot: RunningBot) -> None:
    bot.state.save(INCIDENT)
    record = CaptureRecord(
        id="1",
        job_id="jo-1",
        incident_id="in-1",
        trigger=Trigger.HANG,
        requested_at=time.time() + 60,
        state=CaptureState.REPORTED,
    )
    bot.state.save(record)

    assert "press again in" in _english(_press(bot))
    assert queued(bot.redis) == []


def test_captures_that_were_not_offered_are_not_compared(bot: RunningBot) -> None:
    bot.state.save(replace(INCIDENT, captures=("1", "2", "3")))
    for form, said in (
        ({"before": "1", "after": "9"}, "no longer used"),
        ({"before": "1", "after": "1"}, "two different"),
        ({"before": "1", "after": "3"}, "Comparing"),
    ):
        payload = click({"act": "compare", "incident": "in-1", "rev": 2})
        payload["event"]["action"]["form_value"] = form
        assert said in _english(push(bot, payload).json()["toast"])


@pytest.mark.parametrize("act", ["recapture", "compare", "ack", "bundle"])
def test_who_is_no_operator_hears_why_and_that_is_on_record(
    start: Start, make_settings: MakeSettings, redis: Redis, act: str
) -> None:
    bot = start(make_settings(operators="ou_wang"), redis)
    bot.state.save(replace(INCIDENT, captures=("1", "2")))

    assert "operators" in _english(_press(bot, act))
    assert queued(redis) == []
    [deed] = deeds_of(bot.state, "jo-1")
    assert (deed.who, deed.what, deed.outcome) == ("ou_person", act, "refused")


def test_the_owner_of_the_job_may_press(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(operators="ou_wang"), redis)
    bot.state.save(INCIDENT)
    bot.state.save(Job(id="jo-1", owner="ou_person"))

    assert _press(bot)["type"] == "success"
