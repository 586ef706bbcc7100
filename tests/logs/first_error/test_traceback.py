from rankscope.logs.first_error.model import Line
from rankscope.logs.first_error.traceback import PATIENCE, Raised, Tracebacks

START = "Traceback (most recent call last):"
FRAME = '  File "/p/train.py", line 7, in main'


def read(*texts: str) -> list[Raised]:
    tracebacks = Tracebacks()
    taken = [tracebacks.take(Line(number, text)) for number, text in enumerate(texts, 1)]
    return [one for one in taken if isinstance(one, Raised)]


def test_an_exception_and_its_frames() -> None:
    (raised,) = read(START, FRAME, "    go()", "ValueError: no")

    assert (raised.line.number, raised.text) == (4, "ValueError: no")
    assert [(f.path, f.line, f.function) for f in raised.frames] == [("/p/train.py", 7, "main")]


def test_any_name_directly_below_the_frames_is_an_exception() -> None:
    assert [r.text for r in read(START, FRAME, "    go()", "mylib.Oops: x")] == ["mylib.Oops: x"]
    assert [r.text for r in read(START, FRAME, "INFO: x", "ValueError")] == ["ValueError"]


def test_two_in_one_stream() -> None:
    found = read(START, FRAME, START, FRAME, "KeyError: 1", "ValueError: 2")

    assert [raised.text for raised in found] == ["KeyError: 1", "ValueError: 2"]


def test_a_chain_is_marked() -> None:
    chain = "During handling of the above exception, another exception occurred:"
    first, second = read(START, "KeyError: 1", "", chain, "", START, "ValueError: 2")

    assert (first.chained, second.chained) == (False, True)


def test_an_indented_one_ends_at_its_own_indent() -> None:
    (raised,) = read(
        "  traceback : Traceback (most recent call last):", f"  {FRAME}", "  ValueError: no"
    )

    assert raised.text == "ValueError: no"


def test_boxes_around_frames() -> None:
    (raised,) = read(f"╭── {START} ──╮", "│ /p/x.py:7 in main │", "╰──╯", "ValueError: no")

    assert raised.text == "ValueError: no"


def test_cleanup_frames_are_at_exit() -> None:
    (raised,) = read(START, '  File "/p/x.py", line 1, in __del__', "AttributeError: x")

    assert raised.at_exit


def test_a_cut_traceback_is_given_up() -> None:
    tracebacks = Tracebacks()
    tracebacks.take(Line(1, START))
    for number in range(PATIENCE):
        assert tracebacks.busy
        tracebacks.take(Line(number + 2, "another line"))

    assert not tracebacks.busy
