"""GET /healthz, whether the process lives; GET /readyz, whether it can record anything."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

router = APIRouter()


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Answer while the process lives."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request) -> dict[str, str]:
    """Answer while Redis answers; 503 otherwise."""
    await run_in_threadpool(request.app.state.redis.ping)
    return {"status": "ready"}
