import pytest

from rankscope.chat.naming import resolve_capture

IDS = ["1780890485107774003", "1780890545107774003", "1780890545107799999"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        (IDS[0], IDS[0]),
        ("799999", IDS[2]),
        ("774003", None),
        ("485107774003", IDS[0]),
        ("99", None),
        ("latest", None),
        ("123456", None),
    ],
)
def test_a_capture_is_named_by_its_id_or_its_ending(word: str, found: str | None) -> None:
    assert resolve_capture(word, IDS) == found
