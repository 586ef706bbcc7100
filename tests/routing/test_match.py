"""Which route fits, and what follows from it."""

from datetime import datetime

import pytest

from rankscope.routing.load import parse_routes
from rankscope.routing.match import Facts, Place, Plan, plan_for, refusal
from tests.routing.books import INFRA, NIGHT, TEAM, at, book, facts


def routes_of(fact: Facts) -> tuple[str, ...]:
    return plan_for(book(), fact).routes


def test_the_first_route_that_fits_counts() -> None:
    plan = plan_for(book(), facts())

    assert plan.routes == ("llm",)
    assert plan.places == (Place(chat_id=TEAM, language="en", mention=("owner",)),)
    assert plan.auto_capture is False
    assert [step.after_min for step in plan.escalate] == [10, 30]


def test_with_continue_the_next_one_counts_too_and_every_chat_hears_once() -> None:
    plan = plan_for(book(), facts(at=at(2, 15)))  # 23:00 in Shanghai, a Tuesday

    assert plan.routes == ("night", "llm")
    assert [place.chat_id for place in plan.places] == [NIGHT, TEAM]
    assert plan.places[0] == Place(chat_id=NIGHT, language="zh", mention=("oncall:infra",))
    assert plan.places[1] == Place(chat_id=TEAM, language="en", mention=("owner",))
    assert plan.auto_capture is True
    assert len(plan.escalate) == 2


def test_where_nothing_fits_nothing_is_said() -> None:
    assert plan_for(book(), facts(labels={})) == Plan()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("llm",)),
        ({"job_id": "x", "name": "pretrain-7b"}, ("llm",)),
        ({"job_id": "x", "name": "sft"}, ()),
        ({"labels": {"team": "vision"}}, ()),
        ({"kind": "slow"}, ("llm",)),
        ({"kind": "manual"}, ()),
        ({"kind": "manual", "owner": "zhangsan", "severity": "critical"}, ("grave",)),
        ({"kind": "manual", "owner": "zhangsan", "severity": "warning"}, ()),
        ({"kind": "failed", "labels": {}, "owner": "", "severity": "critical"}, ()),
    ],
)
def test_every_condition_must_hold(changes: dict[str, object], expected: tuple[str, ...]) -> None:
    assert routes_of(facts(**changes)) == expected


@pytest.mark.parametrize(
    ("moment", "fits"),
    [
        (at(1, 14), True),  # Monday 22:00
        (at(1, 13, 59), False),  # Monday 21:59
        (at(2, 0), False),  # Tuesday 08:00
        (at(1, 23, 59), True),  # Tuesday 07:59 belongs to Monday's night
        (at(5, 23), True),  # Saturday 07:00 belongs to Friday's night
        (at(6, 15), False),  # Saturday 23:00
        (at(7, 20), False),  # Monday 04:00 belongs to Sunday's night
    ],
)
def test_a_night_belongs_to_the_day_it_begins(moment: datetime, fits: bool) -> None:
    assert ("night" in routes_of(facts(at=moment))) is fits


def test_a_route_has_its_own_zone() -> None:
    text = """
    [[routes]]
    name = "utc"
    zone = "+00:00"
    hours = "04:00-05:00"
    chats = ["oc_team"]
    """
    one = parse_routes(text)

    assert plan_for(one, facts(at=at(2, 4))).routes == ("utc",)
    assert refusal(one, one.routes[0], facts(at=at(2, 5))) == "hours"


def test_the_condition_that_failed_is_named() -> None:
    llm = book().routes[1]

    assert refusal(book(), llm, facts(labels={})) == "labels"
    assert refusal(book(), llm, facts()) == ""
    assert refusal(book(), book().routes[0], facts(at=at(6, 15))) == "days"


def test_two_routes_for_one_chat_mention_everybody_once() -> None:
    text = """
    [[routes]]
    name = "a"
    chats = ["oc_infra"]
    mention = ["ou_li", "owner"]
    continue = true

    [[routes]]
    name = "b"
    chats = ["oc_infra"]
    mention = ["owner", "ou_wang"]
    """
    [place] = plan_for(parse_routes(text), facts()).places

    assert (place.chat_id, place.mention) == (INFRA, ("ou_li", "owner", "ou_wang"))
