"""/status tells of the routes file."""

from pathlib import Path

from rankscope.model.chat import ChatMessage
from rankscope.model.state import IncidentState
from tests.workers.conftest import an_incident
from workers.context import Context
from workers.messages import answer

ASK = ChatMessage(message_id="om_1", chat_id="oc_1", chat_type="p2p", sender="ou_1", text="/status")
ROUTES = """
[oncall.infra]
people = ["ou_wang"]
start = 2026-06-01

[[routes]]
name = "all"
chats = ["oc_team"]
"""


def status(context: Context) -> str:
    return answer(context, ASK).en


def test_without_a_file_nothing_is_said_of_routes(context: Context) -> None:
    assert "Routes" not in status(context)


def test_routes_who_is_on_call_and_open_incidents_are_shown(
    context: Context, tmp_path: Path
) -> None:
    file = tmp_path / "routes.toml"
    file.write_text(ROUTES, encoding="utf-8")
    context.settings = context.settings.model_copy(update={"routes_file": file})
    context.state.save(an_incident(route="all"))
    context.state.save(an_incident(id="in-2", job_id="jo-2"))
    context.state.save(an_incident(id="in-3", job_id="jo-3", state=IncidentState.RESUMED))

    shown = status(context)
    assert f"Routes: 1 from {file}" in shown
    assert "On call (infra): ou_wang" in shown
    assert "Open incident of jo-1: all" in shown
    assert "Open incident of jo-2: no route fits" in shown
    assert "jo-3" not in shown
    assert "broken" not in shown

    file.write_text(ROUTES + "[[routes]]\n", encoding="utf-8")
    shown = status(context)
    assert "Routes: 1 from" in shown
    assert "The routes file is broken" in shown
    assert "route 2, name" in shown
