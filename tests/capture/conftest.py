"""make_request: a CaptureRequest for some fake agents, quick, with its spool in tmp_path."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankscope.capture import CaptureRequest, Target
from rankscope.model.capture import Trigger
from tests.capture.fake_agent import SECRET, FakeAgent

MakeRequest = Callable[..., CaptureRequest]


@pytest.fixture
def make_request(tmp_path: Path) -> MakeRequest:
    def make(*agents: FakeAgent | Target, **changes: Any) -> CaptureRequest:
        targets = [a if isinstance(a, Target) else Target(a.node, a.url) for a in agents]
        request = CaptureRequest(
            job_id="jo-1",
            print_id="1780890495107774003",
            trigger=Trigger.HANG,
            targets=tuple(targets),
            secret=SECRET,
            networks="127.0.0.0/8",
            spool=tmp_path,
            world_size=8,
            interval_s=0.1,
            lead_s=0.0,
            budget_s=0.5,
        )
        return replace(request, **changes)

    return make
