import pytest

from rankscope.logs.first_error.prefix import LONGEST, joined, last_piece, read_lines

TEXT = "ValueError: no"


@pytest.mark.parametrize(
    ("prefix", "worker", "rank", "local"),
    [
        ("", "", None, None),
        ("[rank3]: ", "", 3, None),
        ("[rank3]:", "", 3, None),
        ("[default7]:", "", None, 7),
        ("7: ", "", 7, None),
        ("[1,5]<stderr>:", "", 5, None),
        ("(RayTrainWorker pid=604, ip=10.0.0.1) ", "", None, None),
        ("(VllmWorker rank=2 pid=251) ", "", 2, None),
        ("pod-0: ", "pod-0", None, None),
        ("gpu31: [rank4]: ", "gpu31", 4, None),
        ("[pod/jo-1-worker-2/train] ", "jo-1-worker-2", None, None),
        ("worker-1  | ", "worker-1", None, None),
        ("2026-03-01 10:00:00.250 jo-1-worker-2 worker-2 | [rank9]: ", "worker-2", 9, None),
        ("stderr: ", "", None, None),
        ("\x1b[31m[rank1]:\x1b[0m ", "", 1, None),
    ],
)
def test_what_stands_before_the_text(
    prefix: str, worker: str, rank: int | None, local: int | None
) -> None:
    (line,) = read_lines(4, f"{prefix}{TEXT}".encode())

    assert (line.number, line.text) == (4, TEXT)
    assert (line.worker, line.rank, line.local) == (worker, rank, local)


@pytest.mark.parametrize(
    "text",
    [
        "| ERROR    | reader:open:31 - stopped",
        "ERROR | reader | stopped",
        "reader.py:31 WARNING | slow",
        "python3: can't open file 'x'",
        "libfoo.so.1: cannot open shared object file",
        "bash: line 1: torchrun: command not found",
        "train.py: error: unrecognized arguments: --x",
    ],
)
def test_a_program_is_no_worker(text: str) -> None:
    assert [line.text for line in read_lines(1, text.encode())] == [text]


def test_times_are_read_from_any_common_form() -> None:
    forms = ("2026-03-01 10:00:00.250 ", "[2026-03-01T10:00:00,250Z] ", "2026-03-01 10:00:00.25: ")
    times = {next(read_lines(1, f"{form}x".encode())).time for form in forms}

    assert len(times) == 1
    assert None not in times


def test_an_impossible_time_is_none() -> None:
    assert next(read_lines(1, b"2026-13-99 10:00:00 x")).time is None


def test_a_rank_inside_the_line_counts() -> None:
    assert next(read_lines(1, b"[E301 x.cpp:632] [Rank 6] Watchdog")).rank == 6


def test_pieces_after_a_carriage_return_keep_the_prefix() -> None:
    raw = b"2026-03-01 10:00:00 i-1 worker-1 | 5/60\rValueError: no\r"
    first, second = read_lines(2, raw)

    assert (first.text, second.text) == ("5/60", TEXT)
    assert (second.worker, second.time, second.number) == ("worker-1", first.time, 2)


def test_a_json_record_is_its_message() -> None:
    raw = b'{"level": "error", "message": "Traceback (most recent call last):\\nValueError: no"}'

    assert [line.text for line in read_lines(1, raw)] == [
        "Traceback (most recent call last):",
        TEXT,
    ]


@pytest.mark.parametrize("raw", [b"{'loss': 2.1}", b"{", b'{"a": 1}', b"[1]"])
def test_what_only_looks_like_json_stays(raw: bytes) -> None:
    assert [line.text for line in read_lines(1, raw)] == [raw.decode()]


def test_a_long_line_keeps_both_ends() -> None:
    (line,) = read_lines(1, b"begin " + b"x" * 3 * LONGEST + b" end")

    assert line.text.startswith("begin")
    assert line.text.endswith("end")
    assert len(line.text) < LONGEST + 10


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    assert next(read_lines(1, b"\xff\xfe ValueError: no")).text.endswith(TEXT)


def test_the_joined_form_shows_every_piece() -> None:
    assert joined(b"a\rb\x1b[0mc") == "a\nbc"
    assert last_piece(b"a\rb\r") == "b"


def test_a_json_record_says_that_it_is_an_error() -> None:
    (line,) = read_lines(1, b'{"level": "ERROR", "event": "stopped"}')

    assert (line.text, line.failed) == ("stopped", True)


@pytest.mark.parametrize(
    ("zone", "seconds"), [("", None), ("Z", 0.0), ("+08:00", 28_800.0), ("-0330", -12_600.0)]
)
def test_the_zone_of_a_time(zone: str, seconds: float | None) -> None:
    (line,) = read_lines(1, f"2026-03-01T10:00:00{zone} {TEXT}".encode())

    assert (line.text, line.zone) == (TEXT, seconds)


@pytest.mark.parametrize("end", ["\x07", "\x1b\\"])
def test_a_terminals_title_is_taken_off(end: str) -> None:
    assert joined(f"\x1b]0;title{end}{TEXT}".encode()) == TEXT


def test_a_title_without_end_takes_nothing_with_it() -> None:
    assert joined(b"\x1b]0;" * 100_000 + TEXT.encode()).endswith(TEXT)
