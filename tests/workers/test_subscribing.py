"""/subscribe in private chats and groups."""

from dataclasses import replace

import pytest

from rankscope.incidents.audit import deeds_of
from rankscope.incidents.subscriptions import MOST, subscriptions
from rankscope.model.chat import ChatMessage
from rankscope.model.state import Job
from workers.acts import NO_JOB
from workers.context import Context
from workers.messages import answer

ME = ChatMessage(message_id="om_1", chat_id="oc_me", chat_type="p2p", sender="ou_li", text="")


def say(context: Context, text: str, message: ChatMessage = ME) -> str:
    return answer(context, replace(message, text=text, message_id=f"om_{text}-{message.sender}")).en


def patterns(context: Context, chat_id: str = "oc_me") -> list[str]:
    return [one.pattern for one in subscriptions(context.state, chat_id)]


@pytest.fixture
def jobs(context: Context) -> Context:
    for job_id in ("jo-1a", "jo-1b", "jo-2"):
        context.state.save(Job(id=job_id))
    return context


def test_one_asks_lists_and_takes_back(jobs: Context) -> None:
    assert "no subscriptions" in say(jobs, "/subscribe")
    assert "told when an incident of jo-2" in say(jobs, "／subscribe jo-2")
    assert "jo-llm*" in say(jobs, "订阅 jo-llm*")
    assert "2 patterns: jo-2, jo-llm*" in say(jobs, "/subscribe")
    assert "no longer told of: jo-llm*" in say(jobs, "/subscribe jo-llm* off")
    assert patterns(jobs) == ["jo-2"]
    assert "no longer told of: jo-2" in say(jobs, "/subscribe off")
    assert patterns(jobs) == []


def test_an_abbreviated_job_is_meant_in_full(jobs: Context) -> None:
    say(jobs, "/subscribe jo-1a")
    say(jobs, "/subscribe JO-2")
    assert patterns(jobs) == ["jo-1a", "jo-2"]

    ambiguous = say(jobs, "/subscribe jo-1")
    assert "jo-1a, jo-1b" in ambiguous
    assert "/subscribe jo-1*" in ambiguous


def test_a_job_that_is_yet_to_come_may_be_subscribed(jobs: Context) -> None:
    say(jobs, "/subscribe jo-new")
    assert patterns(jobs) == ["jo-new"]


def test_what_is_not_subscribed_cannot_be_ended(jobs: Context) -> None:
    say(jobs, "/subscribe jo-1a")
    say(jobs, "/subscribe jo-1b")

    assert "not one of this chat's subscriptions: jo-1a, jo-1b" in say(jobs, "/subscribe jo-1 off")
    assert patterns(jobs) == ["jo-1a", "jo-1b"]


def test_there_is_a_limit(jobs: Context) -> None:
    for number in range(MOST + 1):
        said = say(jobs, f"/subscribe x{number}")

    assert "20 subscriptions" in said


def test_in_a_group_only_operators_may_but_everybody_may_look(jobs: Context) -> None:
    jobs.settings = jobs.settings.model_copy(update={"operators": "ou_boss"})
    group = replace(ME, chat_id="oc_team", chat_type="group")

    assert "You may not subscribe" in say(jobs, "/subscribe jo-2", group)
    assert patterns(jobs, "oc_team") == []
    assert "no subscriptions" in say(jobs, "/subscribe", group)
    assert "told when" in say(jobs, "/subscribe jo-2", replace(group, sender="ou_boss"))
    outcomes = [(deed.what, deed.outcome) for deed in deeds_of(jobs.state, NO_JOB)]
    assert outcomes == [("subscribe", "done"), ("subscribe", "refused")]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/subscirbe jo-1", "/subscribe"),
        ("/subscribe a=b", "do not understand"),
        ("/subscribe jo-1 jo-2", "too much: jo-2"),
        ("/subscribe jo-1 off now", "too much: now"),
        ("/subscribe --all", "do not understand"),
    ],
)
def test_mistakes_are_explained(jobs: Context, typed: str, said: str) -> None:
    assert said in say(jobs, typed)
    assert patterns(jobs) == []


def test_help_names_it(jobs: Context) -> None:
    assert "/subscribe" in say(jobs, "/help")
