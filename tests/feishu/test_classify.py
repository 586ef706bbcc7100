import pytest

from rankscope.feishu.classify import failure
from rankscope.feishu.errors import CardRejected, FeishuUnavailable


@pytest.mark.parametrize(
    ("code", "status"),
    [(99991400, 400), (230020, 400), (230049, 400), (0, 502), (230099, 500), (None, 200), (1, 429)],
)
def test_what_passes_is_tried_again(code: int | None, status: int) -> None:
    assert isinstance(failure(code, "msg", status, {}), FeishuUnavailable)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"X-Ogw-Ratelimit-Reset": "7"}, 7.0),
        ({"x-ogw-ratelimit-reset": "1.5"}, 1.5),
        ({"x-ogw-ratelimit-reset": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_from_the_header(
    headers: dict[str, str], seconds: float | None
) -> None:
    error = failure(99991400, "too fast", 429, headers)

    assert isinstance(error, FeishuUnavailable)
    assert error.retry_after_s == seconds


def test_a_refused_card_is_no_lock() -> None:
    refused = failure(230099, "ErrCode: 11310; ErrMsg: element exceeds the limit", 400, {})

    assert isinstance(refused, CardRejected)
