from typing import Any

from sandbox.feishu.soundness import is_sound


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else "x"


def test_deep_values_are_not_sound() -> None:
    assert is_sound(nested(100))
    assert not is_sound(nested(101))
    assert not is_sound({"a": nested(100)})


def test_a_lone_surrogate_is_not_sound() -> None:
    assert is_sound("\U0001f600")
    assert not is_sound({"a": ["\ud83d"]})
