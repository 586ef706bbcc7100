"""The OpenAPI document is current, and nothing that fits or breaks it makes the agent fail."""

from pathlib import Path

from agent.openapi import document, text
from agent.requests import CaptureRequest, NcclRequest

DOCUMENT = Path(__file__).parents[2] / "docs/agent-openapi.json"


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_bytes() == text(), "python -m agent.openapi > docs/agent-openapi.json"


def test_every_field_of_a_request_is_described() -> None:
    schemas = document()["components"]["schemas"]
    for kind in (CaptureRequest, NcclRequest):
        assert set(schemas[kind.__name__]["properties"]) == set(kind.__dataclass_fields__)
