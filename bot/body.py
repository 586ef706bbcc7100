"""Reading request bodies: counted while they stream, since uvicorn has no limit of its own."""

from starlette.requests import Request

from rankscope.errors import UnusableInput

LIMIT = 256 * 1024


class TooLarge(UnusableInput):
    """The body is larger than the limit."""


async def read_body(request: Request, limit: int = LIMIT) -> bytes:
    """Return the body; raises TooLarge as soon as more than limit bytes are announced or come."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"The request is larger than {limit // 1024} KB.",
        "Send less, for example fewer lines of the logs.",
    )
