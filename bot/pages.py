"""The report page of a capture: Report, Stacks and NCCL, rendered on the server.

Whoever has the card's link may look. The key is in the address, so no referrer is sent, nothing is
loaded from elsewhere, and no cache keeps a page.
"""

from datetime import timedelta
from http import HTTPStatus

import structlog
from fastapi import APIRouter
from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bot.page_query import VIEWS, PageQuery, parse_query
from bot.page_views import VIEW_OF, Loaded
from bot.shared import settings_of, state_of
from rankscope.capture_file import parse_capture
from rankscope.cards.facts import captured_at
from rankscope.errors import NotAuthentic, NotFound, StaleRequest, StoreError, UnusableInput
from rankscope.links import check_page_key
from rankscope.model.capture import Capture
from rankscope.model.state import CaptureRecord, CaptureState, Job
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State
from rankscope.templating import templates
from rankscope.text import say

router = APIRouter()

REFRESH_S = 3
"""How often a page looks whether its capture is finished."""
PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "private, no-store",
}
STATIC = {"page.css": "text/css", "copy.js": "text/javascript"}
UNFINISHED = {CaptureState.REQUESTED, CaptureState.RUNNING, CaptureState.CAPTURED}

_log = structlog.get_logger()


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Serve the page's style and its one script."""
    if name not in STATIC:
        raise NotFound(f"There is no file {name}.")
    text = templates().get_template(f"pages/{name}").render()
    headers = {"Cache-Control": "public, max-age=300"}
    return Response(text, media_type=STATIC[name], headers=headers)


@router.get("/captures/{print_id}")
def capture_page(request: Request, print_id: str) -> HTMLResponse:
    """Show one capture to whoever has its link; it reads the store, so it runs in a thread."""
    settings = settings_of(request)
    query = parse_query(request.query_params, settings.language)
    try:
        _check_access(settings, query.key, print_id)
        return _show(settings, state_of(request), print_id, query)
    except (StaleRequest, NotFound):
        days = settings.retention_days
        return _page("gone", query, HTTPStatus.NOT_FOUND, print_id=print_id, days=days)
    except NotAuthentic:
        return _page("forbidden", query, HTTPStatus.FORBIDDEN, print_id=print_id)
    except (StoreError, UnusableInput, RedisError) as error:
        _log.error("page unavailable", print_id=print_id, error=str(error))
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return _page("unavailable", query, status, print_id=print_id, refresh_s=REFRESH_S)


def _check_access(settings: Settings, key: str, print_id: str) -> None:
    if not settings.links_key:
        raise NotAuthentic("No key for page links is set.", "Set RANKSCOPE_AGENT_SECRET.")
    max_age = timedelta(days=settings.retention_days)
    check_page_key(settings.links_key, key, print_id, max_age)


def _show(settings: Settings, state: State, print_id: str, query: PageQuery) -> HTMLResponse:
    record = state.load(CaptureRecord, print_id)
    job = state.find(Job, record.job_id)
    if record.state in UNFINISHED:
        return _page("waiting", query, record=record, job=job, refresh_s=REFRESH_S)
    if record.state is CaptureState.FAILED:
        return _page("failed", query, record=record, job=job)
    loaded = _load(settings, record, job)
    context = VIEW_OF[query.view](loaded, query)
    context |= {"record": record, "job": job, "report": loaded.report}
    return _page(query.view, query, captured_at=captured_at(record.id), **context)


def _load(settings: Settings, record: CaptureRecord, job: Job | None) -> Loaded:
    store = CaptureStore.of(settings)

    def read() -> Capture:
        return parse_capture(store.read_capture(record.id))

    return Loaded(record, job, store.read_report(record.id), read)


def _page(
    name: str, query: PageQuery, code: int = HTTPStatus.OK, **context: object
) -> HTMLResponse:
    """Render one template; `t` says a catalogue sentence in the page's language."""

    def say_it(message_id: str, **parameters: object) -> str:
        return say(message_id, **parameters).of(query.lang)

    template = templates().get_template(f"pages/{name}.html.j2")
    shared = {"t": say_it, "query": query, "views": VIEWS, "lang": query.lang}
    return HTMLResponse(template.render(shared | context), code, PAGE_HEADERS)
