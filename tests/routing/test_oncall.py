"""Whose turn it is."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from rankscope.routing.model import Book, Rota
from rankscope.routing.oncall import on_call
from rankscope.routing.people import people_of
from tests.routing.books import LI, WANG, ZHAO, at, book


@pytest.mark.parametrize(
    ("moment", "person"),
    [
        (at(1, 1), "wangwu"),  # Monday 09:00 in Shanghai: the first turn begins
        (at(1, 0, 59), "ou_zhao"),  # a minute before it
        (at(8, 0, 59), "wangwu"),
        (at(8, 1), "ou_zhao"),
        (at(15, 1), "wangwu"),
    ],
)
def test_a_week_is_handed_over_on_its_weekday_and_hour(moment: datetime, person: str) -> None:
    assert on_call(book(), book().oncall["infra"], moment).person == person


def test_the_turn_says_when_it_ends() -> None:
    turn = on_call(book(), book().oncall["infra"], at(3, 0))

    assert turn.until == at(8, 1)


def rota(**changes: object) -> Rota:
    values = {"people": ["a", "b", "c"], "start": "2026-03-06", "every": "day", "at": "08:30"}
    return Rota.model_validate(values | changes)


def test_a_weekly_rota_that_starts_midweek_begins_with_the_weekday_before() -> None:
    weekly = rota(every="week", weekday="mon", start="2026-06-03")

    assert on_call(Book(), weekly, at(2, 12)).person == "a"
    assert on_call(Book(), weekly, at(8, 12)).person == "b"


def test_days_are_handed_over_one_by_one_through_a_change_of_clocks() -> None:
    daily = rota(zone="America/New_York")  # Clocks go forward on 2026-03-08.
    zone = ZoneInfo("America/New_York")
    seen = []
    for day in range(6, 12):
        for hour, minute in ((8, 29), (8, 30)):
            moment = datetime(2026, 3, day, hour, minute, tzinfo=zone)
            seen.append(on_call(Book(), daily, moment).person)

    assert "".join(seen) == "caabbccaabbc"


def test_every_moment_has_one_person_and_the_turn_ends_after_it() -> None:
    daily = rota(zone="America/New_York")
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while moment.date() < date(2027, 1, 1):
        turn = on_call(Book(), daily, moment)
        assert turn.until > moment
        assert on_call(Book(), daily, turn.until).person != turn.person
        moment += timedelta(hours=7)


def test_words_become_people() -> None:
    words = ["owner", "oncall:infra", "ou_zhao", "lisi", "oncall:gone", "nobody"]

    assert people_of(book(), words, "lisi", at(3, 0)) == (LI, WANG, ZHAO)
    assert people_of(book(), ["owner"], "ou_direct", at(3, 0)) == ("ou_direct",)


@pytest.mark.parametrize(
    "owner", ["", "zhangsan", "all", 'ou_x"></at><at user_id="all">', "ou_x y", "ou_x\n"]
)
def test_an_owner_nobody_knows_is_nobody(owner: str) -> None:
    assert people_of(book(), ["owner"], owner, at(3, 0)) == ()
