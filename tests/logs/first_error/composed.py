"""Composed logs: the line that begins with `» ` is the first error.

Each family stands in a text file of blocks: `== name | layer | rank`, then the log.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "» "
_BLOCK = re.compile(r"^== (?=.* \| )", re.MULTILINE)


@dataclass(frozen=True)
class Composed:
    name: str
    layer: str
    rank: int | None
    line: int | None
    log: bytes


def cases(folder: Path) -> Iterator[Composed]:
    for path in sorted(folder.glob("*.txt")):
        for block in _BLOCK.split(path.read_text(encoding="utf-8"))[1:]:
            head, _, body = block.partition("\n")
            yield case(head, body.rstrip("\n"))


def case(head: str, body: str) -> Composed:
    name, layer, rank = (part.strip() for part in head.split("|"))
    lines = body.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if line.startswith(MARK)]
    text = "\n".join(line.removeprefix(MARK) for line in lines)
    log = text.replace("<CR>", "\r").replace("<ESC>", "\x1b") + "\n"
    return Composed(
        name, layer, int(rank) if rank else None, marked[0] if marked else None, log.encode()
    )
