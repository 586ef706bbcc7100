"""The chat page and its files; nothing on it comes from elsewhere."""

import json
from pathlib import Path
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from rankscope.errors import NotFound
from rankscope.model.text import Language
from rankscope.text import say
from sandbox.feishu.control import language_of
from sandbox.feishu.openapi.gateway import emulator_of
from sandbox.feishu.troubles import NAMES

HERE: Final = Path(__file__).parent
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_FILES: Final = {
    "api.js": "text/javascript",
    "card.js": "text/javascript",
    "chat.js": "text/javascript",
    "card.css": "text/css",
    "chat.css": "text/css",
    "icon.svg": "image/svg+xml",
}
_TEXTS: Final = (
    "confirm", "cancel", "reply", "thread", "page", "required", "offline", "empty", "group",
    "private", "bot-outside", "recalled",
)  # fmt: skip
router = APIRouter()
_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
)


@router.get("/")
async def page(request: Request) -> Response:
    """Show the chats."""
    world, language = emulator_of(request).world, language_of(request)
    shown = _templates.get_template("chat.html").render(
        t=lambda name, **parameters: say(f"emulator-{name}", **parameters).of(language),
        language=language,
        bot=world.bot,
        people=world.humans,
        menu=emulator_of(request).options.menu,
        troubles=NAMES,
        phone=request.query_params.get("view") == "phone",
        texts=_texts(language),
    )
    return HTMLResponse(shown, headers=_HEADERS)


def _texts(language: Language) -> Markup:
    """Return the script's sentences as JSON that cannot end its element."""
    parameters = {"thread": {"count": "%n"}, "page": {"page": "%a", "pages": "%b"}}
    texts = {
        name: say(f"emulator-{name}", **parameters.get(name, {})).of(language) for name in _TEXTS
    }
    return Markup(json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"))  # noqa: S704


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Return the page's script, style or icon."""
    if name not in _FILES:
        raise NotFound(f"There is no file {name}.")
    return Response(
        (HERE / "static" / name).read_bytes(), media_type=_FILES[name], headers=_HEADERS
    )


@router.get("/emulator/images/{key}")
async def image(request: Request, key: str) -> Response:
    """Return an uploaded image; never as something a browser would run."""
    upload = emulator_of(request).world.uploads.images.get(key)
    if upload is None:
        raise NotFound(f"There is no image {key}.")
    return Response(upload.body, media_type=upload.media_type, headers=_HEADERS)


@router.get("/emulator/files/{key}")
async def file(request: Request, key: str) -> Response:
    """Return an uploaded file as a download."""
    upload = emulator_of(request).world.uploads.files.get(key)
    if upload is None:
        raise NotFound(f"There is no file {key}.")
    disposition = f"attachment; filename*=UTF-8''{quote(upload.name)}"
    headers = {**_HEADERS, "Content-Disposition": disposition}
    return Response(upload.body, media_type="application/octet-stream", headers=headers)
