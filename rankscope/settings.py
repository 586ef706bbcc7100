"""All settings, from environment variables with the prefix RANKSCOPE_ or a `.env` file.

docs/settings.md lists them; a test keeps that page and this module the same. Secrets are SecretStr,
so that no log or traceback shows them.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from rankscope.errors import ConfigurationError
from rankscope.model.text import Language

StateCard = Literal[
    "failed",
    "succeeded",
    "stopped",
    "worker_failed",
    "timeout",
    "preempted",
    "stalled_restarts",
    "env_check_failed",
    "node_unhealthy",
]
FEISHU_DOMAIN = "https://open.feishu.cn"
PRIVATE_NETWORKS = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,::1/128,fc00::/7"


class Settings(BaseSettings):
    """Settings of the bot, the RQ workers and the core; the agent has its own, smaller set."""

    model_config = SettingsConfigDict(env_prefix="RANKSCOPE_", env_file=".env", extra="ignore")

    redis_url: str = Field(
        default="",
        validation_alias=AliasChoices("RANKSCOPE_REDIS_URL", "REDIS_URL"),
        description="Redis to use. Empty: start an embedded server in data_dir.",
    )
    data_dir: Path = Field(
        default=Path("var"),
        description="Folder of the embedded Redis and of the local capture store.",
    )
    store_url: str = Field(
        default="",
        description="Capture store, as file:///folder or s3://bucket/prefix. Empty: data_dir.",
    )
    public_url: str = Field(
        default="http://127.0.0.1:8000",
        description="Base URL under which people's browsers reach the bot.",
    )
    retention_days: int = Field(
        default=30, ge=1, description="Days that captures and states are kept."
    )
    language: Language = Field(default="zh", description="Language of cards and replies: zh or en.")
    time_zone: str = Field(
        default="",
        description="Time zone of cards, answers and pages, such as Asia/Shanghai. "
        "Empty: that of the host.",
    )
    templates_dir: Path | None = Field(
        default=None,
        description="Folder whose templates replace ours of the same name (cards/, pages/).",
    )

    feishu_app_id: str = Field(default="", description="App ID of the Feishu app (cli_...).")
    feishu_app_secret: SecretStr = Field(
        default=SecretStr(""), description="App Secret of the Feishu app."
    )
    feishu_encrypt_key: SecretStr = Field(
        default=SecretStr(""), description="Encrypt Key of the app's event subscription."
    )
    feishu_verification_token: SecretStr = Field(
        default=SecretStr(""), description="Verification Token of the app's event subscription."
    )
    feishu_domain: str = Field(
        default=FEISHU_DOMAIN, description="Open platform; Lark: open.larksuite.com."
    )
    feishu_chat_id: str = Field(default="", description="Chat (oc_...) that hears about all jobs.")
    routes_file: Path | None = Field(
        default=None,
        description="TOML file that says which chats hear about which jobs, whom to mention, when "
        "to escalate. Empty: feishu_chat_id hears about all.",
    )
    fallback_webhook_url: SecretStr = Field(
        default=SecretStr(""),
        description="Webhook of a group's custom bot; hears of incidents that the app cannot send.",
    )
    fallback_webhook_secret: SecretStr = Field(
        default=SecretStr(""), description="Signing secret of that custom bot, if it has one."
    )

    webhook_secret: SecretStr = Field(
        default=SecretStr(""), description="Key of inbound webhooks (HMAC-SHA256)."
    )
    webhook_secrets: dict[str, SecretStr] = Field(
        default_factory=dict,
        description="Keys of single sources (JSON object), used instead of webhook_secret.",
    )
    webhook_job_labels: tuple[str, ...] = Field(
        default=(),
        description="Labels that hold the job's id, tried before the usual ones (JSON list).",
    )
    webhook_timezone: str = Field(
        default="+08:00",
        pattern=r"^[+-](?:[01]\d|2[0-3]):[0-5]\d$",
        description="Offset from UTC of inbound times that have none, as in log lines.",
    )
    agent_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Key shared with the agents; signs requests, answers, heartbeats.",
    )
    page_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Key that signs links to report pages. Empty: the agent_secret.",
    )
    agent_networks: Annotated[str, NoDecode] = Field(
        default=PRIVATE_NETWORKS,
        description="Networks (CIDR, comma-separated) where agents may be.",
    )
    worker_tls_ca: Path | None = Field(
        default=None,
        description="Authority (PEM) of the agents' certificates. Empty: the system's.",
    )
    worker_tls_cert: Path | None = Field(
        default=None, description="Certificate (PEM) that workers show to agents (mTLS)."
    )
    worker_tls_key: Path | None = Field(
        default=None, description="Private key (PEM) of worker_tls_cert."
    )

    auto_capture: tuple[Literal["hang", "slow"], ...] = Field(
        default=("hang",), description="Alerts that start a capture by themselves (JSON list)."
    )
    state_cards: tuple[StateCard, ...] = Field(
        default=(
            "failed",
            "worker_failed",
            "timeout",
            "preempted",
            "stalled_restarts",
            "env_check_failed",
            "node_unhealthy",
        ),
        description="State events that get a card (JSON list); also succeeded, stopped. With "
        "failed also a success whose log has an error.",
    )
    capture_samples: int = Field(default=2, ge=1, le=5, description="Samples of one capture.")
    capture_interval_s: float = Field(
        default=5.0, gt=0, le=60, description="Seconds between two samples of a capture."
    )
    capture_lead_s: float = Field(
        default=0.5,
        ge=0,
        le=10,
        description="Seconds ahead at which all nodes are asked to sample.",
    )
    capture_budget_s: float = Field(
        default=10.0, gt=0, le=120, description="Seconds an agent may spend on one sample."
    )
    nccl_interval_s: float = Field(
        default=10.0,
        gt=0,
        le=60,
        description="Seconds between two questions to NCCL; a hang is told from 10 s on.",
    )

    operators: str = Field(
        default="",
        description="open_ids (ou_...) and chats (oc_...), comma-separated, that may act. "
        "Empty, with admins empty too: everybody.",
    )
    admins: str = Field(
        default="", description="open_ids and chats that may do everything, as operators."
    )
    recapture_cooldown_s: float = Field(
        default=5.0,
        ge=0,
        description="Seconds between two captures of a job that people ask for.",
    )
    second_capture_s: float = Field(
        default=0.0,
        ge=0,
        description="Seconds after a hang's capture until a second one is taken and compared. "
        "0: none.",
    )
    flap_s: float = Field(
        default=600.0,
        ge=0,
        description="Seconds after a recovery in which new trouble reopens the same incident.",
    )

    @field_validator("time_zone")
    @classmethod
    def _is_zone(cls, name: str) -> str:
        try:
            return ZoneInfo(name).key if name else ""
        except (KeyError, OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError.
            raise ValueError(
                f"{name!r} is no time zone; write an IANA name such as "
                "Asia/Shanghai, or leave it out for the host's"
            ) from None

    @property
    def links_key(self) -> str:
        """The key of page links."""
        return (self.page_secret or self.agent_secret).get_secret_value()


_LISTED = "docs/settings.md lists the settings."


@cache
def settings() -> Settings:
    """Return the settings of this process, read once; raises ConfigurationError for wrong ones."""
    try:
        return Settings()
    except ValidationError as error:
        # Without the values, which may be secret.
        wrong = [
            f"{_name_of(one)}: {one['msg'].removeprefix('Value error, ')}."
            for one in error.errors(include_input=False)
        ]
        raise ConfigurationError(" ".join(wrong), _LISTED) from None
    except SettingsError as error:
        # For instance a list that is no JSON: `RANKSCOPE_AUTO_CAPTURE=hang`.
        raise ConfigurationError(f"{error}; lists are written as JSON.", _LISTED) from None


def _name_of(error: ErrorDetails) -> str:
    field = str(error["loc"][0]) if error["loc"] else "settings"
    return field if field.isupper() else f"RANKSCOPE_{field.upper()}"
