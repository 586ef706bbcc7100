"""Logs of the services: one JSON object a line, with the ids of the request, job or capture."""

import logging

import structlog


def configure_logging() -> None:
    """Send structlog's and all libraries' lines through one JSON renderer to stderr.

    RQ finds the root handler and adds none of its own. Arguments of tasks are not logged.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    wrap = structlog.stdlib.ProcessorFormatter.wrap_for_formatter
    structlog.configure(processors=[*shared, wrap], logger_factory=structlog.stdlib.LoggerFactory())
    drop_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    render = structlog.processors.JSONRenderer(ensure_ascii=False)
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[drop_meta, render]
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for noisy in ("httpx", "Lark"):
        logging.getLogger(noisy).setLevel(logging.WARNING)  # They name every URL they call.
    logging.getLogger("rq.worker").setLevel(logging.WARNING)  # It tells of every clean-up.
