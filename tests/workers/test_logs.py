import json
import logging

import pytest
import structlog

from workers.logs import configure_logging


def test_every_line_is_json_with_the_ids_at_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    try:
        configure_logging()
        with structlog.contextvars.bound_contextvars(print_id="1"):
            structlog.get_logger("workers").info("采集完成", nodes=2)
            logging.getLogger("rq.job").warning("retried")
    finally:
        structlog.reset_defaults()

    ours, foreign = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["nodes"], ours["print_id"]) == ("采集完成", 2, "1")
    assert (foreign["event"], foreign["logger"]) == ("retried", "rq.job")
