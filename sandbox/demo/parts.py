"""The parts of the demo and what each of them gets to know.

Secrets are made anew for every run and passed by environment only; a part gets those it needs, and
nothing of the caller's environment but what a Python process needs to start.
"""

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rankscope.model.text import Language
from sandbox.cluster.faults import Fault
from sandbox.demo.processes import Part

KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "TZ", "TMPDIR")
HOST = "127.0.0.1"
NODES = {"node-a": "127.0.0.2", "node-b": "127.0.0.3"}
RANKS_PER_NODE = 4
WORLD_SIZE = RANKS_PER_NODE * len(NODES)
FAULT_STEP = 12
APP_ID = "cli_demo"
CHAT = "训练值班群"
SILENCE_FLOOR_S = 5
SLOW_FLOOR_S = 30
"""A slow step on a busy machine is longer than the usual floor, and no hang."""
CAPTURE_INTERVAL_S = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """One free TCP port for each part that listens; agents have addresses of their own."""

    emulator: int
    bot: int
    agent: int


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the parts know of each other; never printed."""

    app: str = field(default_factory=secrets.token_hex, repr=False)
    encrypt_key: str = field(default_factory=secrets.token_hex, repr=False)
    verification: str = field(default_factory=secrets.token_hex, repr=False)
    webhook: str = field(default_factory=secrets.token_hex, repr=False)
    agent: str = field(default_factory=secrets.token_hex, repr=False)
    page: str = field(default_factory=secrets.token_hex, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that one run of the demo is made of."""

    folder: Path
    ports: Ports
    job_id: str
    fault: Fault
    fault_rank: int
    language: Language
    listens: bool = False
    """Whether events come over a long connection rather than by HTTP."""
    keys: Secrets = field(default_factory=Secrets)

    @property
    def data_dir(self) -> Path:
        """Where the embedded Redis and the captures lie."""
        return self.folder / "data"

    @property
    def training_log(self) -> Path:
        """Where rank 0 writes its steps."""
        return self.folder / "train.log"

    @property
    def chat_url(self) -> str:
        """The emulator: the chat page, and the open platform."""
        return f"http://{HOST}:{self.ports.emulator}"

    @property
    def bot_url(self) -> str:
        """The bot."""
        return f"http://{HOST}:{self.ports.bot}"


def redis_part(setup: Setup) -> Part:
    """Return the part that keeps the embedded Redis."""
    command = _python("sandbox.demo.redis_keeper", str(os.getpid()), str(setup.data_dir))
    return Part(name="redis", command=command, env=environment(), tied=False)


def emulator_part(setup: Setup) -> Part:
    """Return the Feishu emulator."""
    keys = setup.keys
    options = ["--host", HOST, "--port", str(setup.ports.emulator), "--chat", CHAT]
    options += ["--app-id", APP_ID]
    if setup.listens:
        options += ["--receive", "long"]
    else:
        options += ["--event-url", f"{setup.bot_url}/feishu/events"]
    known = {
        "FEISHU_EMULATOR_APP_SECRET": keys.app,
        "FEISHU_EMULATOR_ENCRYPT_KEY": keys.encrypt_key,
        "FEISHU_EMULATOR_VERIFICATION_TOKEN": keys.verification,
    }
    return Part(
        name="emulator",
        command=_rankscope("emulator", *options),
        env=environment(known),
        health_url=f"{setup.chat_url}/emulator/api/chats",
    )


def bot_part(setup: Setup, redis_url: str, chat_id: str) -> Part:
    """Return the bot."""
    return Part(
        name="bot",
        command=_rankscope("bot", "--host", HOST, "--port", str(setup.ports.bot)),
        env=environment(_bot_settings(setup, redis_url, chat_id)),
        health_url=f"{setup.bot_url}/healthz",
    )


def listen_part(setup: Setup, redis_url: str, chat_id: str) -> Part:
    """Return what keeps a long connection to Feishu; it replaces its own process."""
    return Part(
        name="listen",
        command=_rankscope("listen"),
        env=environment(_bot_settings(setup, redis_url, chat_id)),
    )


def worker_part(setup: Setup, redis_url: str, chat_id: str) -> Part:
    """Return the RQ workers; they are started again when they end."""
    return Part(
        name="worker",
        command=_rankscope("worker", "--processes", "1", "--grace", "3"),
        env=environment(_bot_settings(setup, redis_url, chat_id)),
        restarts=True,
    )


def _bot_settings(setup: Setup, redis_url: str, chat_id: str) -> dict[str, str]:
    keys = setup.keys
    return {
        "REDIS_URL": redis_url,
        "RANKSCOPE_DATA_DIR": str(setup.data_dir),
        "RANKSCOPE_PUBLIC_URL": setup.bot_url,
        "RANKSCOPE_LANGUAGE": setup.language,
        "RANKSCOPE_FEISHU_APP_ID": APP_ID,
        "RANKSCOPE_FEISHU_APP_SECRET": keys.app,
        "RANKSCOPE_FEISHU_ENCRYPT_KEY": keys.encrypt_key,
        "RANKSCOPE_FEISHU_VERIFICATION_TOKEN": keys.verification,
        "RANKSCOPE_FEISHU_DOMAIN": setup.chat_url,
        "RANKSCOPE_FEISHU_CHAT_ID": chat_id,
        "RANKSCOPE_WEBHOOK_SECRET": keys.webhook,
        "RANKSCOPE_AGENT_SECRET": keys.agent,
        "RANKSCOPE_PAGE_SECRET": keys.page,
        "RANKSCOPE_AUTO_CAPTURE": '["hang","slow"]',
        "RANKSCOPE_CAPTURE_INTERVAL_S": str(CAPTURE_INTERVAL_S),
        "RANKSCOPE_RECAPTURE_COOLDOWN_S": "0",
    }


def agent_part(setup: Setup, node: str) -> Part:
    """Return the agent of a node."""
    host, port = NODES[node], setup.ports.agent
    options = ["--node", node, "--host", host, "--port", str(port), "--bot-url", setup.bot_url]
    known = {
        "RANKSCOPE_AGENT_SECRET": setup.keys.agent,
        "RANKSCOPE_AGENT_INTERVAL_S": "1",
        "RANKSCOPE_LANGUAGE": setup.language,
    }
    return Part(
        name=f"agent-{node}",
        command=_rankscope("agent", *options),
        env=environment(known),
        health_url=f"http://{host}:{port}/healthz",
        may_be_lost=True,
    )


def training_part(setup: Setup) -> Part:
    """Return the training job."""
    nodes = ",".join(f"{name}:{host}" for name, host in NODES.items())
    options = ["--job-id", setup.job_id, "--nodes", nodes, "--log", str(setup.training_log)]
    options += ["--data", str(setup.folder / "corpus"), "--fault", setup.fault]
    options += ["--ranks-per-node", str(RANKS_PER_NODE)]
    options += ["--fault-rank", str(setup.fault_rank), "--fault-step", str(FAULT_STEP)]
    return Part(
        name="training",
        command=_python("sandbox.cluster.launch", *options),
        env=environment(),
        may_end=setup.fault is Fault.OOM,
    )


def watch_part(setup: Setup) -> Part:
    """Return the watcher of the training log."""
    floor = SLOW_FLOOR_S if setup.fault is Fault.SLOW else SILENCE_FLOOR_S
    options = ["--job", setup.job_id, "--url", setup.bot_url, "--floor", str(floor)]
    options += ["--state-dir", str(setup.folder / "watch")]
    known = {
        "RANKSCOPE_WEBHOOK_SECRET": setup.keys.webhook,
        "RANKSCOPE_LANGUAGE": setup.language,
    }
    command = _rankscope("watch", str(setup.training_log), *options, "--poll", "0.5")
    return Part(name="watch", command=command, env=environment(known))


def environment(known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what a part needs of our environment, and what it is to know."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONUNBUFFERED": "1", **(known or {})}


def _python(module: str, *arguments: str) -> tuple[str, ...]:
    return sys.executable, "-m", module, *arguments


def _rankscope(*arguments: str) -> tuple[str, ...]:
    return _python("rankscope", *arguments)
