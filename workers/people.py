"""Asks Feishu what people are called, so that others can read who pressed a button."""

import structlog

from rankscope.errors import FeishuError
from rankscope.incidents.people import is_name_known, remember_name
from workers.context import Context

_log = structlog.get_logger()


def learn_name(context: Context, open_id: str) -> None:
    """Learn a person's name once a day; without the permission, the open_id is shown instead."""
    if not open_id or is_name_known(context.state, open_id):
        return
    try:
        name = context.feishu.user_name(open_id)
    except FeishuError as error:
        _log.info("name not known", error=str(error))
        name = ""
    remember_name(context.state, open_id, name)
