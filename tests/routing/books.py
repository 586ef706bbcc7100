"""A routes file as a team would write it, and the alerts that meet it."""

from datetime import UTC, datetime

from rankscope.routing.load import parse_routes
from rankscope.routing.match import Facts
from rankscope.routing.model import Book

TEAM, INFRA, NIGHT = "oc_team", "oc_infra", "oc_night"
LI, WANG, ZHAO = "ou_li", "ou_wang", "ou_zhao"

TEXT = """\
zone = "Asia/Shanghai"

[people]
lisi = "ou_li"
wangwu = "ou_wang"

[chats]
team = { id = "oc_team", language = "en" }
infra = { id = "oc_infra" }

[oncall.infra]
people = ["wangwu", "ou_zhao"]
start = 2026-06-01
every = "week"
weekday = "mon"
at = "09:00"

[[routes]]
name = "night"
hours = "22:00-08:00"
days = ["mon-fri"]
kinds = ["hang"]
labels = { team = "llm*" }
chats = ["oc_night", "team"]
language = "zh"
mention = ["oncall:infra"]
auto_capture = true
continue = true

[[routes]]
name = "llm"
jobs = ["jo-*", "pretrain-*"]
labels = { team = "llm*" }
chats = ["team"]
mention = ["owner"]
auto_capture = false
escalate = [
    { after_min = 10, people = ["owner", "oncall:infra"] },
    { after_min = 30, people = ["ou_zhao"] },
]

[[routes]]
name = "grave"
severities = ["critical"]
owners = ["zhang*"]
kinds = ["failed", "manual"]
chats = ["infra"]
"""


def book() -> Book:
    return parse_routes(TEXT, "routes.toml")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """Return a moment of June 2026 in UTC; the 1st is a Monday."""
    return datetime(2026, 6, day, hour, minute, tzinfo=UTC)


def facts(**changes: object) -> Facts:
    values: dict[str, object] = {
        "kind": "hang",
        "job_id": "jo-1",
        "owner": "lisi",
        "labels": {"team": "llm-base"},
        "at": at(2, 4),
    }
    return Facts(**(values | changes))  # type: ignore[arg-type]
