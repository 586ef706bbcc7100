"""GET /docs/api: what the bot's API takes and answers, as a page and as an OpenAPI document.

The page is rendered here: FastAPI's own loads its script from elsewhere. Neither shows a setting.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse, JSONResponse

from bot.pages import PAGE_HEADERS
from bot.webhook_schema import SCHEMAS, SECURITY_SCHEMES
from rankscope.templating import templates

PAGE = "/docs/api"
DOCUMENT = "/docs/api/openapi.json"
_HIDDEN = frozenset({"/metrics"})

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """One line of the page."""

    method: str
    path: str
    summary: str
    description: str
    parameters: list[dict[str, Any]]
    responses: dict[str, str]


@router.get(PAGE)
def page(request: Request) -> HTMLResponse:
    """Show the API to people."""
    document = document_of(request.app)
    template = templates().get_template("pages/api.html.j2")
    shown = list(operations(document))
    schemas = document["components"]["schemas"]
    html = template.render(operations=shown, schemas=schemas, document=DOCUMENT)
    return HTMLResponse(html, headers=PAGE_HEADERS)


@router.get(DOCUMENT)
def document(request: Request) -> JSONResponse:
    """Answer with the OpenAPI document."""
    return JSONResponse(document_of(request.app))


def document_of(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an app, built once."""
    if app.openapi_schema is None:
        app.openapi_schema = _build(app)
    return app.openapi_schema


def _build(app: FastAPI) -> dict[str, Any]:
    built = get_openapi(title="rankscope bot", version="1", routes=app.routes)
    built["paths"] = {path: one for path, one in built["paths"].items() if path not in _HIDDEN}
    components = built.setdefault("components", {})
    components.setdefault("schemas", {}).update(SCHEMAS)
    components["securitySchemes"] = SECURITY_SCHEMES
    return built


def operations(document: dict[str, Any]) -> Iterator[Operation]:
    """Yield what a document describes, in its order."""
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            answers = {code: one["description"] for code, one in told["responses"].items()}
            yield Operation(
                method.upper(),
                path,
                told.get("summary", ""),
                told.get("description", ""),
                told.get("parameters", []),
                answers,
            )
