"""A job's labels are those of its events, bounded."""

from rankscope.incidents.labels import LONGEST_VALUE, MOST, merged_labels


def test_fresh_labels_count_before_known_ones() -> None:
    assert merged_labels({"a": "1", "b": "1"}, {"b": "2", "c": "2"}) == {
        "a": "1",
        "b": "2",
        "c": "2",
    }


def test_too_many_and_too_long_ones_are_left_out() -> None:
    known = {f"k{number}": "v" for number in range(MOST)}
    merged = merged_labels(known, {"team": "llm", "log": "x" * (LONGEST_VALUE + 1)})

    assert len(merged) == MOST
    assert merged["team"] == "llm"
    assert "log" not in merged
