"""A Redis that takes connections and never answers: Feishu still hears within its 3 s."""

import socket
from collections.abc import Iterator

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot import receiving
from tests.conftest import MakeSettings
from tests.feishu.payloads import click, message
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.test_feishu_messages import push


@pytest.fixture
def bot(
    start: Start, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningBot]:
    monkeypatch.setattr(receiving, "DEADLINE_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        never = Retry(NoBackoff(), 0)
        redis = Redis(port=silent.getsockname()[1], socket_timeout=1, retry=never)
        yield start(make_settings(), redis)


def test_an_event_is_sent_back_for_later(bot: RunningBot) -> None:
    assert push(bot, message()).status_code == 503


def test_a_click_is_answered_with_a_toast(bot: RunningBot) -> None:
    answer = push(bot, click({"act": "recapture", "incident": "in-1", "rev": 1}))

    assert answer.json()["toast"]["type"] == "error"
