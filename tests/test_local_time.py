"""Moments stand in the zone of the settings, or of the host, which is named."""

import os
import time
from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from rankscope.cards.facts import captured_at
from rankscope.chat.wording import at_time
from rankscope.local_time import use_zone
from tests.conftest import MakeSettings

WINTER, SUMMER = 1_767_225_600.0, 1_780_272_000.0  # 2026-01-01 and 2026-06-01, both 00:00 UTC
PRINT_ID = "1780272000107774003"


@pytest.fixture
def _utc_again() -> Iterator[None]:
    yield
    os.environ["TZ"] = "UTC"
    time.tzset()


@pytest.fixture(autouse=True)
def _zone_as_before() -> Iterator[None]:
    yield
    use_zone("")


def test_a_chosen_zone_is_used_and_named() -> None:
    use_zone("Asia/Shanghai")

    assert captured_at(PRINT_ID) == "2026-06-01 08:00:00 (Asia/Shanghai)"
    assert at_time(SUMMER) == "06-01 08:00 (Asia/Shanghai)"


def test_summer_time_is_that_of_the_moment() -> None:
    use_zone("Europe/Berlin")

    assert at_time(WINTER) == "01-01 01:00 (Europe/Berlin)"
    assert at_time(SUMMER) == "06-01 02:00 (Europe/Berlin)"


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("UTC", "06-01 00:00 (UTC)"),
        ("Asia/Shanghai", "06-01 08:00 (UTC+08:00)"),
        ("America/St_Johns", "05-31 21:30 (UTC-02:30)"),
    ],
)
@pytest.mark.usefixtures("_utc_again")
def test_the_zone_of_the_host_is_named_by_its_offset(zone: str, said: str) -> None:
    os.environ["TZ"] = zone
    time.tzset()

    assert at_time(SUMMER) == said


@pytest.mark.parametrize("name", ["Asia/Beijing", "CET8", "../etc/passwd", "+08:00"])
def test_what_is_no_zone_is_refused_at_the_start(make_settings: MakeSettings, name: str) -> None:
    with pytest.raises(ValidationError, match="is no time zone; write an IANA name"):
        make_settings(time_zone=name)
