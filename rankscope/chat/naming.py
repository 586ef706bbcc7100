"""Which capture a person means: a print id, or its unique ending."""

from collections.abc import Sequence

LEAST_DIGITS = 3


def resolve_capture(word: str, print_ids: Sequence[str]) -> str | None:
    """Return the capture whose print id is the word, or is the only one that ends with it."""
    if word in print_ids:
        return word
    if len(word) < LEAST_DIGITS or not word.isdecimal():
        return None
    found = [print_id for print_id in print_ids if print_id.endswith(word)]
    return found[0] if len(found) == 1 else None
