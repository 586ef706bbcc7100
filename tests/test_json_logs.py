import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from rankscope.json_logs import configure_logging


@pytest.fixture(autouse=True)
def configured() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_our_lines_and_those_of_libraries_are_json_with_the_request_id(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging()
    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        structlog.get_logger().info("event", job_id="jo-1")
        logging.getLogger("some.library").warning("slow %s", "client")
    ours, theirs = (json.loads(line) for line in capsys.readouterr().err.splitlines())

    assert (ours["event"], ours["job_id"], ours["request_id"]) == ("event", "jo-1", "r-1")
    assert (theirs["event"], theirs["level"], theirs["request_id"]) == (
        "slow client",
        "warning",
        "r-1",
    )


def test_addresses_httpx_calls_are_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    logging.getLogger("httpx").info("HTTP Request: GET http://x/?key=secret")

    assert capsys.readouterr().err == ""


def test_rq_jobs_keep_their_logger_and_their_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    with structlog.contextvars.bound_contextvars(print_id="1"):
        structlog.get_logger("workers").info("采集完成", nodes=2)
        logging.getLogger("rq.job").warning("retried")
    text = capsys.readouterr().err
    ours, foreign = (json.loads(line) for line in text.splitlines())

    assert "采集完成" in text
    assert (ours["nodes"], ours["print_id"]) == (2, "1")
    assert (foreign["event"], foreign["logger"]) == ("retried", "rq.job")


def test_no_local_variable_of_a_failure_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    def dump(environment: dict[str, str]) -> None:
        secret = environment["WANDB_API_KEY"]
        raise ValueError(f"cannot dump {len(secret)} bytes")

    configure_logging()
    value = "k-" + "0123456789"
    for log in (structlog.get_logger("agent").exception, logging.getLogger("x").exception):
        try:
            dump({"WANDB_API_KEY": value})
        except ValueError:
            log("failed")
    ours, theirs = capsys.readouterr().err.splitlines()

    assert "cannot dump 12 bytes" in ours
    assert "cannot dump 12 bytes" in theirs
    assert value not in ours + theirs
