"""Logs as one JSON object a line, with the id of the request."""

import logging

import structlog


def configure_logging() -> None:
    """Send everything, also uvicorn's and other libraries' lines, through one JSON renderer."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    wrap = structlog.stdlib.ProcessorFormatter.wrap_for_formatter
    structlog.configure(processors=[*shared, wrap], logger_factory=structlog.stdlib.LoggerFactory())
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    # httpx names every URL it calls at INFO.
    logging.getLogger("httpx").setLevel(logging.WARNING)
