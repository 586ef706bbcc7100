"""What every task needs, made inside the task: nothing with a connection crosses a fork."""

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from redis import Redis
from rq import get_current_job

from rankscope.feishu.api import FeishuApi
from rankscope.feishu.sender import LarkSender
from rankscope.local_time import use_zone
from rankscope.settings import Settings, settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State


@dataclass
class Context:
    """The settings and stores of one task; the stores and Feishu are opened when first used."""

    settings: Settings
    redis: Redis

    @cached_property
    def state(self) -> State:
        """The records in Redis."""
        return State(self.redis, timedelta(days=self.settings.retention_days))

    @cached_property
    def captures(self) -> CaptureStore:
        """The capture store; raises StoreError."""
        return CaptureStore.of(self.settings)

    @cached_property
    def feishu(self) -> FeishuApi:
        """Feishu, as the app of the settings."""
        return LarkSender(self.settings)


def current_context() -> Context:
    """Return the context of the RQ job that runs in this process."""
    job = get_current_job()
    assert job is not None  # noqa: S101 - RQ calls tasks only inside a job
    use_zone(settings().time_zone)
    return Context(settings(), job.connection)


def is_last_try() -> bool:
    """Whether RQ will not try the current job again when it fails now."""
    job = get_current_job()
    return job is None or not job.retries_left
