import logging

import pytest

from bot.listen_logs import configure_redacted_logging, redacted

URL = "wss://msg.feishu.cn/ws/v2?device_id=1&access_key=SECRET1&ticket=SECRET2&service_id=3"


@pytest.mark.parametrize("text", [URL, URL.replace("=", "%3D"), f"InvalidURI('{URL}')"])
def test_tickets_and_keys_are_taken_out(text: str) -> None:
    assert "SECRET" not in redacted(text)
    assert "device_id" in redacted(text)
    assert "service_id" in redacted(text)


def test_no_line_of_any_library_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        configure_redacted_logging()
        logging.getLogger("Lark").error("connected to %s", URL)
        logging.getLogger("asyncio").error("broken", exc_info=ValueError(URL))
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    said = capsys.readouterr().err

    assert said.count("ticket=***") >= 2
    assert "SECRET" not in said
