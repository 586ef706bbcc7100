"""Subscribers hear when an incident begins and ends, and only once."""

import pytest

from rankscope.incidents import handle_event, silence_job
from rankscope.incidents.language import choose_language
from rankscope.incidents.subscriptions import (
    MOST,
    Subscription,
    subscribe,
    subscriptions,
    unsubscribe,
)
from rankscope.model.event import EventJob
from rankscope.model.state import Job, Outgoing
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import CHAT, event


def notices(state: State) -> dict[str, Outgoing]:
    found = [one for one in state.all(Outgoing) if one.id.startswith("notice:")]
    return {f"{one.chat_id} {one.id.rpartition(':')[2]}": one for one in found}


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [("jo-1", True), ("JO-*", True), ("pretrain*", True), ("jo-2", False), ("jo", False)],
)
def test_a_pattern_fits_an_id_or_a_name(pattern: str, fits: bool) -> None:
    job = Job(id="jo-1", name="Pretrain-7B")
    assert Subscription("oc_a", pattern).fits(job) is fits


def test_a_subscriber_hears_the_beginning_and_the_end_once(
    running: State, settings: Settings
) -> None:
    subscribe(running, Subscription("oc_li", "jo-*"))
    subscribe(running, Subscription("oc_li", "jo-1"))
    subscribe(running, Subscription("oc_wang", "other"))
    choose_language(running, "oc_li", "en")
    for minute in range(2):
        handle_event(running, event("job.hang", minute, message="no <step>"), settings)
    handle_event(running, event("job.resumed", 3), settings)

    told = notices(running)
    assert set(told) == {"oc_li opened-0", "oc_li over-0"}
    opened = str(told["oc_li opened-0"].content["text"])
    assert "jo-1: a suspected hang" in opened
    assert "no ＜step＞" in opened
    assert f"openChatId={CHAT}" in opened
    assert "makes progress again" in str(told["oc_li over-0"].content["text"])


@pytest.mark.parametrize("first", ["job.hang", "job.running"])
def test_a_subscriber_hears_that_a_job_failed(
    running: State, settings: Settings, first: str
) -> None:
    subscribe(running, Subscription("oc_li", "*"))
    handle_event(running, event(first), settings)
    for _ in range(2):
        handle_event(running, event("job.failed", 1), settings)

    expected = {"oc_li opened-0", "oc_li over-0"} if first == "job.hang" else {"oc_li opened-0"}
    assert set(notices(running)) == expected


def test_the_chat_with_the_card_hears_nothing_more(running: State, settings: Settings) -> None:
    subscribe(running, Subscription(CHAT, "*"))
    handle_event(running, event("job.hang"), settings)

    assert notices(running) == {}


def test_a_silenced_job_is_not_heard(running: State, settings: Settings) -> None:
    subscribe(running, Subscription("oc_li", "*"))
    silence_job(running, "jo-1", "ou_li", 600)
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.resumed", 1), settings)

    assert notices(running) == {}


def test_a_flapping_job_is_heard_less_and_less(running: State, settings: Settings) -> None:
    subscribe(running, Subscription("oc_li", "*"))
    for minute in range(0, 14, 2):
        handle_event(running, event("job.hang", minute), settings)
        handle_event(running, event("job.resumed", minute + 1), settings)

    assert {key for key in notices(running) if "opened" in key} == {
        f"oc_li opened-{flaps}" for flaps in (0, 1, 2, 4)
    }


def test_a_job_is_found_by_its_name(running: State, settings: Settings) -> None:
    subscribe(running, Subscription("oc_li", "llama*"))
    job = EventJob(id="jo-1", name="llama-70b")
    handle_event(running, event("job.slow", job=job), settings)

    assert list(notices(running)) == ["oc_li opened-0"]


def test_a_chat_has_a_limited_number_and_may_take_them_back(state: State) -> None:
    for number in range(MOST):
        assert subscribe(state, Subscription("oc_li", f"jo-{number}"))
    assert subscribe(state, Subscription("oc_li", "jo-0"))
    assert not subscribe(state, Subscription("oc_li", "jo-x"))
    assert subscribe(state, Subscription("oc_wang", "jo-x"))

    assert unsubscribe(state, Subscription("oc_li", "jo-0"))
    assert not unsubscribe(state, Subscription("oc_li", "jo-0"))
    assert len(subscriptions(state, "oc_li")) == MOST - 1
    assert subscriptions(state, "oc_wang") == [Subscription("oc_wang", "jo-x")]
