"""A support bundle is sent as a file in the thread, once."""

import json

import pytest

from rankscope.feishu.errors import FeishuRejected
from rankscope.model.state import Outgoing
from tests.incidents.conftest import replies
from tests.workers.conftest import PRINT_ID, FakeFeishu, a_report, an_incident
from workers.bundling import bundle
from workers.context import Context


@pytest.fixture
def stored(context: Context) -> Context:
    context.state.save(an_incident())
    context.captures.write_report(a_report())
    header = {"schema": "rankscope.capture/1", "job_id": "jo-1", "print_id": PRINT_ID}
    context.captures.write_capture(PRINT_ID, [json.dumps(header).encode()])
    return context


def test_the_file_is_uploaded_and_sent_below_the_card(stored: Context, feishu: FakeFeishu) -> None:
    for _ in range(2):
        bundle(stored, "in-1", PRINT_ID, "r2")

    [upload] = feishu.calls
    assert upload.target == f"rankscope-jo-1-{PRINT_ID}.zip"
    entry = stored.state.load(Outgoing, f"in-1:bundle-{PRINT_ID}-r2")
    assert (entry.msg_type, entry.content) == ("file", {"file_key": "om_1"})
    assert entry.reply_to == "outgoing:in-1"


def test_without_a_report_the_reason_is_told(context: Context) -> None:
    context.state.save(an_incident())
    bundle(context, "in-1", PRINT_ID, "r2")

    assert "could not be made" in replies(context.state)[f"bundle-{PRINT_ID}-r2-failed"]


def test_a_refused_upload_is_told(stored: Context, feishu: FakeFeishu) -> None:
    feishu.failures = [FeishuRejected("no permission", "Grant im:resource.")]
    bundle(stored, "in-1", PRINT_ID, "r2")

    assert "im:resource" in replies(stored.state)[f"bundle-{PRINT_ID}-r2-failed"]
