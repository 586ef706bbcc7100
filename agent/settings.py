"""Settings of the agent, from environment variables with the prefix RANKSCOPE_AGENT_.

docs/agent.md lists them. The agent does not read the bot's settings: it knows neither Redis nor
Feishu.
"""

import os
import socket
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from rankscope.errors import ConfigurationError
from rankscope.model.text import Language

MOST_AT_ONCE = 8
"""More dumps at one time would take too many cores from the training itself."""
Names = Annotated[tuple[str, ...], NoDecode]

# Schedulers and platforms that set an id of their own in every process of a job. Slurm's is not
# among them: TORCHELASTIC_RUN_ID goes before it (docs/agent.md, "Which job").
JOB_ID_VARIABLES = (
    "RANKSCOPE_JOB_ID",
    "TRAINING_JOB_NAME",  # SageMaker
    "CLOUD_ML_JOB_ID",  # Vertex AI
    "AZUREML_RUN_ID",
    "PET_RDZV_ID",  # what PyTorchJob of Kubeflow hands to torchrun
)
# Variables that tell how a rank was launched; none holds a secret.
SHOWN_VARIABLES = (
    *("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK"),
    *("MASTER_ADDR", "MASTER_PORT", "RANKSCOPE_JOB_ID", "RANKSCOPE_NODE"),
    *("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS"),
    *("SLURM_JOB_ID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_NODEID"),
    *("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"),
    *("PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"),
    *("NCCL_DEBUG", "NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE"),
    *("NCCL_RAS_ENABLE", "NCCL_RAS_ADDR", "NCCL_ALGO", "NCCL_PROTO", "CUDA_LAUNCH_BLOCKING"),
    *("TORCH_NCCL_BLOCKING_WAIT", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_DISTRIBUTED_DEBUG"),
)


class AgentSettings(BaseSettings):
    """Settings of one agent, which stands for one node."""

    model_config = SettingsConfigDict(
        env_prefix="RANKSCOPE_AGENT_", env_file=".env", extra="ignore", populate_by_name=True
    )

    secret: SecretStr = Field(
        default=SecretStr(""),
        description="Key shared with the bot; signs requests, answers and heartbeats.",
    )
    node: str = Field(
        default_factory=socket.gethostname,
        min_length=1,
        max_length=253,
        description="Name of this node. Default: the host name.",
    )
    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. 0.0.0.0 lets RQ workers of other hosts reach the agent.",
    )
    port: int = Field(default=8710, ge=0, le=65535, description="TCP port to listen on.")
    endpoint: str = Field(
        default="",
        description="Base URL told to the bot. Empty: made of host (or node) and port.",
    )
    bot_url: str = Field(
        default="", description="Base URL of the bot, for heartbeats. Empty: none are sent."
    )
    interval_s: float = Field(
        default=15.0, ge=0.2, le=300, description="Seconds between two looks at /proc."
    )
    job_id_variables: Names = Field(
        default=JOB_ID_VARIABLES,
        description="Environment variables that hold a job's id, comma-separated, best first.",
    )
    shown_variables: Names = Field(
        default=SHOWN_VARIABLES,
        description="Environment variables of a job that a capture may show, comma-separated.",
    )
    py_spy: str = Field(
        default="", description="py-spy binary. Empty: beside this Python, then on the PATH."
    )
    concurrency: int = Field(
        default_factory=lambda: min(MOST_AT_ONCE, len(os.sched_getaffinity(0)) + 1),
        ge=1,
        le=64,
        description="Dumps at one time; one takes 8 MB and a core. Default: cores + 1, at most 8.",
    )
    process_timeout_s: float = Field(
        default=5.0, gt=0, le=60, description="Seconds for one process, all tries together."
    )
    native_timeout_s: float = Field(
        default=15.0, gt=0, le=120, description="Seconds for one process with native frames."
    )
    max_captures: int = Field(
        default=2, ge=1, le=16, description="Captures at one time; more are answered with 429."
    )
    nccl_start_up_s: float = Field(
        default=120.0,
        ge=0,
        le=3600,
        description="Seconds after a trainer's start during which NCCL is never asked.",
    )
    tls_cert: Path | None = Field(default=None, description="Certificate chain (PEM): serve TLS.")
    tls_key: Path | None = Field(default=None, description="Private key of tls_cert (PEM).")
    tls_client_ca: Path | None = Field(
        default=None, description="Authority (PEM) whose certificates clients must show (mTLS)."
    )
    tls_ca: Path | None = Field(
        default=None, description="Authority (PEM) of the bot's certificate. Empty: the system's."
    )
    language: Language = Field(
        default="zh",
        validation_alias=AliasChoices("RANKSCOPE_AGENT_LANGUAGE", "RANKSCOPE_LANGUAGE"),
        description="Language of `rankscope agent --check`: zh or en.",
    )

    @field_validator("job_id_variables", "shown_variables", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @property
    def advertised_endpoint(self) -> str:
        """The base URL under which the RQ workers reach this agent."""
        if self.endpoint:
            return self.endpoint.rstrip("/")
        everywhere = self.host in {"0.0.0.0", "::", ""}  # noqa: S104 (compared, not bound)
        host = self.node if everywhere else self.host
        host = f"[{host}]" if ":" in host else host
        return f"{'https' if self.tls_cert else 'http'}://{host}:{self.port}"

    def require_secret(self) -> str:
        """Return the key; raises ConfigurationError when there is none."""
        secret = self.secret.get_secret_value()
        if not secret:
            raise ConfigurationError(
                "The agent has no key, so it could not tell whose requests it answers.",
                "Set RANKSCOPE_AGENT_SECRET to the value the bot uses.",
            )
        return secret
