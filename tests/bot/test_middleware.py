import httpx
from redis import Redis

from bot.app import create_app
from tests.conftest import MakeSettings


async def test_the_unexpected_shows_nothing_of_the_inside_but_can_be_found(
    make_settings: MakeSettings, redis: Redis
) -> None:
    app = create_app(make_settings(), redis)

    @app.get("/broken")
    async def fail() -> None:
        raise RuntimeError("password=hunter2")

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
        answer = await client.get("/broken")
        metrics = (await client.get("/metrics")).text

    assert answer.status_code == 500
    assert "hunter2" not in answer.text
    assert "X-Request-Id" in answer.json()["next_step"]
    assert answer.headers["X-Request-Id"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert 'requests_total{route="/broken",status="500"} 1.0' in metrics
