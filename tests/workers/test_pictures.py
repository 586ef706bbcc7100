"""The picture of all ranks is uploaded once, and a card goes out without it if need be."""

from dataclasses import replace

import pytest

from rankscope.feishu.errors import CardRejected, FeishuRejected
from rankscope.incidents.outbox import show_card
from rankscope.model.capture import Trigger
from rankscope.model.report import Group
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState
from tests.workers.conftest import PRINT_ID, FakeFeishu, a_report, an_incident
from workers.context import Context
from workers.delivery import deliver


@pytest.fixture
def large(context: Context) -> Incident:
    record = CaptureRecord(
        id=PRINT_ID,
        job_id="jo-1",
        incident_id="in-1",
        trigger=Trigger.HANG,
        requested_at=0.0,
        state=CaptureState.REPORTED,
    )
    incident = an_incident(state=IncidentState.REPORTED, captures=(PRINT_ID,))
    groups = (Group("all_reduce", "0-99", 100, ()),)
    context.captures.write_report(replace(a_report(), groups=groups))
    context.state.save(record)
    context.state.save(incident)
    show_card(context.state, incident)
    return incident


def test_the_picture_is_uploaded_once(
    context: Context, feishu: FakeFeishu, large: Incident
) -> None:
    deliver(context, "in-1")
    show_card(context.state, large)
    deliver(context, "in-1")

    assert feishu.made == ["image", "create", "patch"]
    assert all("om_1" in str(call.content) for call in feishu.calls[1:])


def test_without_permission_the_card_goes_without_it(
    context: Context, feishu: FakeFeishu, large: Incident
) -> None:
    feishu.failures = [FeishuRejected("no permission")]
    deliver(context, "in-1")

    assert feishu.made == ["image", "create"]
    assert "img_key" not in str(feishu.calls[1].content)


def test_a_refused_picture_does_not_cost_the_card(
    context: Context, feishu: FakeFeishu, large: Incident
) -> None:
    feishu.failures = [None, CardRejected("bad image key")]
    deliver(context, "in-1")

    full, plain = feishu.calls[1:]
    assert full.uuid != plain.uuid
    assert "img_key" not in str(plain.content)
    assert "b_recapture" in str(plain.content)
