"""The picture of a capture's ranks: drawn and uploaded once, then known by its key."""

from dataclasses import replace

import structlog

from rankscope.cards.picture import FROM_RANKS, draw_ranks, ranks_in
from rankscope.errors import FeishuError
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord
from workers.context import Context

_log = structlog.get_logger()


def picture_of(context: Context, record: CaptureRecord, report: Report) -> str:
    """Return Feishu's key of the picture; empty for a small job, and when it cannot be uploaded."""
    if record.picture or ranks_in(report) <= FROM_RANKS:
        return record.picture
    try:
        key = context.feishu.upload_image(draw_ranks(report))
    except FeishuError as error:
        _log.warning("no picture", print_id=record.id, error=str(error))
        return ""
    context.state.change(CaptureRecord, record.id, lambda known: replace(known, picture=key))
    return key
