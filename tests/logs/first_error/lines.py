"""Short ways to read a log in a test."""

from rankscope.logs.first_error import Answer, Scan, default_rules, first_error, scan_blocks

STEP = " iteration {0:8d}/  5000 | elapsed time per iteration (ms): 100.0 | lm loss: 2.0E+00 |"


def scan(text: str, file: str = "a.log") -> Scan:
    return scan_blocks(file, [text.encode()], default_rules())


def answer(*texts: str) -> Answer:
    return first_error([scan(text, f"{number}.log") for number, text in enumerate(texts)])


def steps(first: int, last: int) -> str:
    return "".join(STEP.format(number) + "\n" for number in range(first, last + 1))
