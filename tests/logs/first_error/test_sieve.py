import pytest

from rankscope.logs.first_error import default_rules
from rankscope.logs.first_error import sieve as module
from rankscope.logs.first_error.sieve import Sieve
from tests.logs.first_error.lines import STEP

QUIET = b"\n".join(b"reading sample %d of the set" % number for number in range(500))


def kept(sieve: Sieve, block: bytes) -> list[int]:
    return [hit.index for hit in sieve.sift(block)]


def test_lines_that_no_rule_can_match_are_left_out() -> None:
    assert kept(Sieve(default_rules()), QUIET + b"\nValueError: no\n" + QUIET) == [500]


def test_harmless_lines_are_left_out() -> None:
    noise = b"x.py:3: FutureWarning: errors are deprecated\nopen(p, errors='ignore')"

    assert kept(Sieve(default_rules()), noise) == []


def test_lines_that_differ_in_digits_only_are_each_looked_at_where_digits_decide() -> None:
    sieve = Sieve(default_rules())

    assert kept(sieve, b"failed (exitcode: 1) local_rank: 0") == [0]
    (hit,) = sieve.sift(b"failed (exitcode: -9) local_rank: 0")
    assert "elastic-killed" in {rule.id for rule in hit.rules}


def test_steps_are_told_from_errors() -> None:
    (hit,) = Sieve(default_rules()).sift(STEP.format(7).encode())

    assert hit.is_step


def test_a_worker_named_like_an_error_is_none() -> None:
    block = b"2026-03-01 10:00:01.000 error-1 error-1 | all fine"

    assert all(not hit.rules for hit in Sieve(default_rules()).sift(block))


def test_it_forgets_before_it_grows_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FORMS", 50)
    sieve = Sieve(default_rules())
    for number in range(40):
        word = bytes([97 + number % 26, 97 + number // 26])
        assert kept(sieve, b"form %s\nValueError: %s" % (word, word)) == [1]
