"""Signed heartbeats of agents against the running bot."""

import json
from typing import Any

import httpx
import pytest

from rankscope.model.state import AgentBeat, AgentJob
from rankscope.signing import sign_request
from tests.scenarios.conftest import RunningBot

PATH = "/agents/heartbeat"
BEAT: dict[str, Any] = {
    "node": "node-0",
    "endpoint": "http://127.0.0.1:8100",
    "version": "0.1.0",
    "jobs": [{"job_id": "jo-1", "ranks": [0, 1], "world_size": 4}],
}


def _beat(bot: RunningBot, key: str = "agent-secret", **changes: object) -> httpx.Response:
    body = json.dumps({**BEAT, **changes}).encode()
    return bot.http.post(PATH, content=body, headers=sign_request(key, "POST", PATH, body).headers)


def test_a_heartbeat_is_recorded(bot: RunningBot) -> None:
    assert _beat(bot).json() == {"status": "recorded"}

    job = AgentJob(job_id="jo-1", ranks=(0, 1), world_size=4)
    assert bot.state.agents() == [
        AgentBeat(node="node-0", endpoint="http://127.0.0.1:8100", version="0.1.0", jobs=(job,))
    ]
    assert [node.endpoint for node in bot.state.nodes_of("jo-1")] == ["http://127.0.0.1:8100"]


def test_a_replayed_heartbeat_is_refused(bot: RunningBot) -> None:
    body = json.dumps(BEAT).encode()
    headers = sign_request("agent-secret", "POST", PATH, body).headers
    first, second = (bot.http.post(PATH, content=body, headers=headers) for _ in range(2))

    assert (first.status_code, second.status_code) == (200, 401)
    assert "already used" in second.json()["error"]


def test_a_heartbeat_signed_with_another_key_is_refused(bot: RunningBot) -> None:
    answer = _beat(bot, key="wrong")

    assert answer.status_code == 401
    assert "RANKSCOPE_AGENT_SECRET" in answer.json()["next_step"]
    assert bot.state.agents() == []


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("http://8.8.8.8:8100", "in no agent network"),
        ("http://169.254.169.254", "in no agent network"),
        ("http://[2001:db8::1]:8100", "in no agent network"),
        ("ftp://127.0.0.1", "no http or https URL"),
        ("127.0.0.1:8100", "no http or https URL"),
        ("http://user:pw@127.0.0.1:8100", "more than scheme"),
        ("http://127.0.0.1:99999", "no URL"),
        ("http://host.invalid:8100", "cannot be resolved"),
    ],
)
def test_an_endpoint_outside_the_networks_is_refused(
    bot: RunningBot, endpoint: str, said: str
) -> None:
    answer = _beat(bot, endpoint=endpoint)

    assert answer.status_code == 403
    assert said in answer.json()["error"]
    assert "RANKSCOPE_AGENT_NETWORKS" in answer.json()["next_step"]
    assert bot.state.agents() == []


@pytest.mark.parametrize(
    "change",
    [
        {"node": ""},
        {"node": "a:b*"},
        {"node": 3},
        {"jobs": [{"job_id": "../x"}]},
        {"jobs": [{"ranks": [1]}]},
    ],
)
def test_an_unreadable_heartbeat_is_refused(bot: RunningBot, change: dict[str, Any]) -> None:
    answer = _beat(bot, **change)

    assert answer.status_code == 422
    assert bot.state.agents() == []


def test_without_redis_the_agent_is_asked_to_come_again(bot_without_redis: RunningBot) -> None:
    assert _beat(bot_without_redis).status_code == 503
