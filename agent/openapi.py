"""The OpenAPI document of the agent's HTTP API.

`python -m agent.openapi > docs/agent-openapi.json` writes it anew.
"""

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from agent.app import LINES, REFUSALS
from agent.requests import CaptureRequest, NcclRequest
from rankscope import __version__
from rankscope.signing import NONCE_HEADER, SIGNATURE_HEADER, TIME_HEADER

_SCHEMAS = "#/components/schemas/{name}"
_MEANINGS = {
    400: "The body is no such request.",
    401: "Unsigned, signed with another key, stale, or used before; `code` says which.",
    404: "No such job on this node.",
    413: "The body is larger than 64 KiB.",
    429: "As many captures as the agent takes at one time are under way.",
}
_ANSWER = 'Lines `signature text`; the last text is `{"end": true}`.'


def document() -> dict[str, Any]:
    """Return the document, made from the types that decode requests."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rankscope agent",
            "version": __version__,
            "description": "docs/agent-api.md says how requests and answers are signed.",
        },
        "paths": {
            "/v1/captures": {"post": _signed("capture", (400, 404, 413, 429), "CaptureRequest")},
            "/v1/nccl": {"post": _signed("nccl", (400, 404, 413), "NcclRequest")},
            "/v1/jobs": {"get": _signed("jobs", (413,))},
            "/healthz": {"get": _open("healthz", "application/json")},
            "/metrics": {"get": _open("metrics", "text/plain")},
        },
        "components": {"schemas": _schemas(), "securitySchemes": _headers()},
    }


def _schemas() -> dict[str, Any]:
    kinds = (CaptureRequest, NcclRequest)
    _, found = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS)
    refusal = {
        "type": "object",
        "required": ["code", "error", "next_step"],
        "properties": {
            "code": {"enum": sorted(code for _, code in REFUSALS.values())},
            "error": {"type": "string"},
            "next_step": {"type": "string"},
            "jobs": {"type": "array", "items": {"type": "string"}},
        },
    }
    return {**found, "Refusal": refusal}


def _headers() -> dict[str, Any]:
    names = {"time": TIME_HEADER, "nonce": NONCE_HEADER, "signature": SIGNATURE_HEADER}
    return {key: {"type": "apiKey", "in": "header", "name": name} for key, name in names.items()}


def _signed(operation_id: str, refusals: tuple[int, ...], body: str = "") -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": operation_id,
        "security": [{name: [] for name in _headers()}],
        "responses": {
            "200": {"description": _ANSWER, "content": {LINES: {"schema": {"type": "string"}}}},
            **{str(status): _refusal(status) for status in sorted({401, *refusals})},
        },
    }
    if body:
        content = _json({"$ref": _SCHEMAS.format(name=body)})
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _refusal(status: int) -> dict[str, Any]:
    schema = {"$ref": _SCHEMAS.format(name="Refusal")}
    return {"description": _MEANINGS[status], "content": _json(schema)}


def _json(schema: Mapping[str, object]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _open(name: str, media_type: str) -> dict[str, Any]:
    content: dict[str, Any] = {media_type: {}}
    return {"operationId": name, "responses": {"200": {"description": "OK", "content": content}}}


def text() -> bytes:
    """Return the document as docs/agent-openapi.json holds it."""
    return msgspec.json.format(msgspec.json.encode(document()), indent=2) + b"\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(text())
