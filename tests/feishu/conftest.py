"""feishu: a scripted Feishu; sender: a LarkSender for it that notes its pauses in `pauses`."""

from collections.abc import Iterator

import pytest

from rankscope.feishu.sender import LarkSender
from tests.conftest import MakeSettings
from tests.feishu.scripted import Scripted, scripted_feishu


@pytest.fixture
def feishu() -> Iterator[Scripted]:
    with scripted_feishu() as script:
        yield script


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def sender(feishu: Scripted, make_settings: MakeSettings, pauses: list[float]) -> LarkSender:
    settings = make_settings(
        feishu_domain=feishu.url, feishu_app_id="cli_test", feishu_app_secret="app-secret"
    )
    return LarkSender(settings, pauses.append)
