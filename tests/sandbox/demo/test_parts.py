from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.cluster.faults import Fault
from sandbox.demo import parts
from sandbox.demo.parts import Ports, Setup
from sandbox.demo.processes import Part


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(
        folder=tmp_path,
        ports=Ports(emulator=1, bot=2, agent=3),
        job_id="jo-1",
        fault=Fault.FIFO,
        fault_rank=5,
        language="zh",
    )


def all_parts(setup: Setup) -> list[Part]:
    return [
        parts.redis_part(setup),
        parts.emulator_part(setup),
        parts.bot_part(setup, "redis://:pw@h/0", "oc_1"),
        parts.listen_part(setup, "redis://:pw@h/0", "oc_1"),
        parts.worker_part(setup, "redis://:pw@h/0", "oc_1"),
        *(parts.agent_part(setup, node) for node in parts.NODES),
        parts.training_part(setup),
        parts.watch_part(setup),
    ]


def secrets_of(setup: Setup) -> list[str]:
    keys = setup.keys
    return [
        keys.app,
        keys.encrypt_key,
        keys.verification,
        keys.webhook,
        keys.agent,
        keys.page,
        "pw",
    ]


def test_no_secret_is_on_a_command_line_or_in_a_repr(setup: Setup) -> None:
    for part in all_parts(setup):
        shown = f"{part.command} {part!r} {setup!r}"
        assert not [secret for secret in secrets_of(setup) if secret in shown]


def test_the_training_job_and_redis_know_no_secret(setup: Setup) -> None:
    for part in (parts.training_part(setup), parts.redis_part(setup)):
        assert not set(part.env.values()) & set(secrets_of(setup))


def test_an_agent_knows_neither_redis_nor_feishu(setup: Setup) -> None:
    known = parts.agent_part(setup, "node-a").env

    assert not [name for name in known if "REDIS" in name or "FEISHU" in name]


def test_nothing_else_of_our_environment_is_passed_on(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy")
    monkeypatch.setenv("RANKSCOPE_STORE_URL", "s3://elsewhere")

    for part in all_parts(setup):
        assert not {"HTTP_PROXY", "RANKSCOPE_STORE_URL"} & set(part.env)


def test_every_run_has_secrets_of_its_own(setup: Setup) -> None:
    assert len(set(secrets_of(setup))) == 7
    assert parts.Secrets() != parts.Secrets()


def test_with_a_long_connection_feishu_knows_no_address(setup: Setup) -> None:
    assert "--event-url" in parts.emulator_part(setup).command
    command = parts.emulator_part(replace(setup, listens=True)).command

    assert "--event-url" not in command
    assert command[-2:] == ("--receive", "long")
