"""feishu   a Feishu that notes what it is told, and fails as it is told
context  a task's context over fakeredis, that Feishu and a capture store in a folder of its own
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakeredis import FakeRedis

from rankscope.model.capture import Trigger
from rankscope.model.report import Report, Summary, Verdict
from rankscope.model.state import AgentBeat, AgentJob, Incident
from rankscope.model.text import Text
from rankscope.store.state import State
from tests.capture.fake_agent import FakeAgent
from tests.conftest import MakeSettings
from workers.context import Context

CHAT = "oc_team"
PRINT_ID = "1780890495107774003"
LATER_ID = "1780890505107774003"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of Feishu."""

    what: str
    target: str
    content: Mapping[str, object]
    msg_type: str = "interactive"
    uuid: str = ""
    in_thread: bool = False


@dataclass
class FakeFeishu:
    """Message ids are om_1, om_2, …; failures are raised in order, one per call."""

    calls: list[Call] = field(default_factory=list)
    failures: list[Exception | None] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    strangers: set[str] = field(default_factory=set)

    def _called(self, call: Call) -> str:
        self.calls.append(call)
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure
        return f"om_{len(self.calls)}"

    def create(self, chat_id: str, msg_type: str, content: Mapping[str, object], uuid: str) -> str:
        return self._called(Call("create", chat_id, content, msg_type, uuid))

    def reply(
        self,
        message_id: str,
        msg_type: str,
        content: Mapping[str, object],
        uuid: str,
        *,
        in_thread: bool,
    ) -> str:
        return self._called(Call("reply", message_id, content, msg_type, uuid, in_thread))

    def patch(self, message_id: str, content: Mapping[str, object]) -> None:
        self._called(Call("patch", message_id, content))

    def react(self, message_id: str, emoji: str) -> None:
        self._called(Call("react", message_id, {"emoji": emoji}))

    def buzz(self, message_id: str, open_ids: Sequence[str]) -> list[str]:
        self._called(Call("buzz", message_id, {"people": list(open_ids)}))
        return [one for one in open_ids if one in self.strangers]

    def upload_image(self, image: bytes) -> str:
        return self._called(Call("image", "", {"bytes": image}))

    def upload_file(self, name: str, data: bytes) -> str:
        return self._called(Call("file", name, {"bytes": data}))

    def user_name(self, open_id: str) -> str:
        return self.names.get(open_id, "")

    @property
    def made(self) -> list[str]:
        return [call.what for call in self.calls]


@pytest.fixture
def feishu() -> FakeFeishu:
    return FakeFeishu()


@pytest.fixture
def context(make_settings: MakeSettings, tmp_path: Path, feishu: FakeFeishu) -> Context:
    settings = make_settings(
        data_dir=tmp_path,
        feishu_chat_id=CHAT,
        language="en",
        capture_interval_s=0.1,
        capture_lead_s=0,
        capture_budget_s=0.5,
        recapture_cooldown_s=0,
    )
    context = Context(settings, FakeRedis())
    context.feishu = feishu
    return context


def seen_by(state: State, *agents: FakeAgent, job_id: str = "jo-1") -> None:
    """Let agents report a job, with one rank each."""
    for rank, agent in enumerate(agents):
        job = AgentJob(job_id=job_id, ranks=(rank,), world_size=len(agents))
        state.beat(AgentBeat(node=agent.node, endpoint=agent.url, version="1", jobs=(job,)))


def an_incident(**changes: object) -> Incident:
    values: dict[str, object] = {
        "id": "in-1",
        "job_id": "jo-1",
        "kind": Trigger.HANG,
        "chat_id": CHAT,
        "opened_at": 0.0,
    }
    return Incident(**(values | changes))  # type: ignore[arg-type]


def a_report(print_id: str = PRINT_ID) -> Report:
    return Report(
        summary=Summary("jo-1", "2026-06-08 03:49:05 (UTC)", print_id, 2, 2),
        verdict=Verdict("all_alike", "low", "unknown", Text("都一样", "all alike")),
        suspects=(),
        groups=(),
        functions=(),
        missing=(),
        cautions=(),
        next_steps=(),
    )
