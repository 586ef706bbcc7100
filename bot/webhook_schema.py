"""How POST /webhooks/{source} is described in the API's OpenAPI document."""

from typing import Any

import msgspec

from bot.adapters.table import ADAPTERS, BY_NAME
from rankscope.model.event import Event

REFS = "#/components/schemas/{name}"
_TEXT = {"type": "string"}

DESCRIPTION = (
    "Records events and answers at once; what follows from them happens later. Sending the same "
    "body again is safe. `rankscope` takes rankscope's own event, the other sources take what "
    "their system sends: "
    + ", ".join(f"`{one.name}`" for one in ADAPTERS)
    + ". An item that another source knows better is read as that."
)

SOURCES: dict[str, Any] = {"enum": sorted(BY_NAME)}

SCHEMAS: dict[str, Any] = {
    "Error": {
        "type": "object",
        "required": ["error", "next_step"],
        "properties": {"error": _TEXT, "next_step": _TEXT},
    },
    "Recorded": {
        "type": "object",
        "required": ["status", "id", "events", "refused", "refused_count"],
        "properties": {
            "status": {"enum": ["accepted", "duplicate"]},
            "id": _TEXT,
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": _TEXT,
                        "type": _TEXT,
                        "job": _TEXT,
                        "status": {"enum": ["accepted", "duplicate"]},
                    },
                },
            },
            "refused": {"type": "array", "items": {"$ref": REFS.format(name="Error")}},
            "refused_count": {"type": "integer"},
        },
    },
    **msgspec.json.schema_components([Event], ref_template=REFS)[1],
}


def _response(what: str, schema: str = "Error") -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": REFS.format(name=schema)}}}
    return {"description": what, "content": content}


RESPONSES: dict[int | str, dict[str, Any]] = {
    202: _response("Recorded, or recorded before.", "Recorded"),
    401: _response("Neither signature nor token is right."),
    403: _response("A node's endpoint is outside the agent networks."),
    404: _response("There is no such source."),
    413: _response("The body is too large."),
    422: _response("Nothing in the body could be recorded; the error says what is missing."),
    503: _response("Nothing was recorded; send the same again."),
}

OPERATION: dict[str, Any] = {
    "parameters": [
        {
            "name": "job",
            "in": "query",
            "description": "Id of the job, for bodies that do not name it.",
            "schema": _TEXT,
        },
        {
            "name": "X-Rankscope-Job",
            "in": "header",
            "description": "The same as `job`.",
            "schema": _TEXT,
        },
    ],
    "security": [{"signature": [], "time": []}, {"bearer": []}, {"basic": []}],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "anyOf": [
                        {"$ref": REFS.format(name="Event")},
                        {"type": "object", "description": "What the source sends."},
                        {"type": "array", "items": {"type": "object"}},
                    ]
                }
            },
            "text/plain": {"schema": _TEXT},
        },
    },
}

SECURITY_SCHEMES: dict[str, Any] = {
    "signature": {"type": "apiKey", "in": "header", "name": "X-Rankscope-Signature"},
    "time": {"type": "apiKey", "in": "header", "name": "X-Rankscope-Time"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
}
