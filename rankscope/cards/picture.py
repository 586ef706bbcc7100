"""A picture of all ranks, coloured by group: at a glance who is where, however large the job is."""

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from rankscope.cards.ranks import spans
from rankscope.model.report import Group, Report

FROM_RANKS = 64
"""Fewer ranks are told better by the table of groups alone."""
MOST_RANKS = 65_536
WIDTH = 1200
LEGEND_LETTERS = 110
_LABELS = 64
_MARGIN = 12
_LINE = 24

# Okabe and Ito's colours, which the colour-blind can tell apart, and four more; the last is "all
# other groups". Red is kept for suspects.
_PALETTE = (
    "#56b4e9",
    "#009e73",
    "#f0e442",
    "#cc79a7",
    "#e69f00",
    "#0072b2",
    "#9aa0a6",
    "#8c6bb1",
    "#a6d854",
    "#5f6368",
)
_SUSPECT = "#d40000"
_NO_STACK = "#e8eaed"
_CROSS = "#80868b"
_INK = "#202124"


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where each rank's square is; rows hold whole nodes of eight as far as that goes."""

    ranks: int

    @property
    def columns(self) -> int:
        return max(8, 8 * math.ceil(math.sqrt(self.ranks) * 1.2 / 8))

    @property
    def rows(self) -> int:
        return math.ceil(self.ranks / self.columns)

    @property
    def cell(self) -> int:
        return max(4, min(32, (WIDTH - _LABELS - 2 * _MARGIN) // self.columns))

    @property
    def width(self) -> int:
        return WIDTH

    @property
    def height(self) -> int:
        return self.rows * self.cell + 2 * _MARGIN

    def box(self, rank: int) -> tuple[int, int, int, int]:
        row, column = divmod(rank, self.columns)
        left, top = _MARGIN + _LABELS + column * self.cell, _MARGIN + row * self.cell
        return left, top, left + self.cell - 2, top + self.cell - 2


def ranks_in(report: Report) -> int:
    """Return how many ranks the picture of a report shows."""
    last = [end for group in report.groups for _, end in spans(group.ranks)[-1:]]
    return min(MOST_RANKS, max([report.summary.ranks_expected or 0, *(end + 1 for end in last)]))


def draw_ranks(report: Report) -> bytes:
    """Return a PNG with one square for each rank and a legend of the largest groups."""
    grid = _Grid(max(1, ranks_in(report)))
    legend = list(_legend(report))
    height = grid.height + _LINE * len(legend) + _MARGIN
    image = Image.new("RGB", (grid.width, height), "white")
    draw = ImageDraw.Draw(image)
    colours = _colours(report, grid.ranks)
    for rank in range(grid.ranks):
        _square(draw, grid.box(rank), colours.get(rank))
    for suspect in report.suspects:
        if suspect.rank < grid.ranks:
            left, top, right, bottom = grid.box(suspect.rank)
            frame = (left - 1, top - 1, right + 1, bottom + 1)
            draw.rectangle(frame, outline=_SUSPECT, width=max(2, grid.cell // 6))
    _row_labels(draw, grid)
    _draw_legend(draw, grid.height, legend)
    packed = io.BytesIO()
    image.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def _by_size(report: Report) -> list[Group]:
    return sorted(report.groups, key=lambda group: -group.count)


def _colours(report: Report, count: int) -> dict[int, str]:
    """Return the colour of every rank that has a stack."""
    return {
        rank: _PALETTE[min(number, len(_PALETTE) - 1)]
        for number, group in enumerate(_by_size(report))
        for first, last in spans(group.ranks)
        for rank in range(first, min(last + 1, count))
    }


def _square(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], colour: str | None) -> None:
    draw.rectangle(box, fill=colour or _NO_STACK)
    if colour is None:
        left, top, right, bottom = box
        draw.line((left, top, right, bottom), fill=_CROSS)
        draw.line((left, bottom, right, top), fill=_CROSS)


def _row_labels(draw: ImageDraw.ImageDraw, grid: _Grid) -> None:
    every = math.ceil(18 / grid.cell)
    font = ImageFont.load_default(13)
    for row in range(0, grid.rows, every):
        left, top, _, _ = grid.box(row * grid.columns)
        draw.text((left - 8, top - 1), str(row * grid.columns), _INK, font, anchor="ra")


def _legend(report: Report) -> Iterator[tuple[str, str]]:
    groups, most = _by_size(report), len(_PALETTE) - 1
    for colour, group in zip(_PALETTE, groups[:most], strict=False):
        yield colour, _latin(f"{group.label} ({group.count}): {group.ranks}")
    if len(groups) > most:
        rest = sum(group.count for group in groups[most:])
        yield _PALETTE[-1], f"+ {len(groups) - most} groups ({rest})"


def _latin(text: str) -> str:
    """Return what the font can draw of a foreign text, on one short line."""
    shown = " ".join(text.replace("←", "<-").split()).encode("latin-1", "replace").decode("latin-1")
    return shown if len(shown) <= LEGEND_LETTERS else f"{shown[: LEGEND_LETTERS - 3]}..."


def _draw_legend(draw: ImageDraw.ImageDraw, top: int, entries: list[tuple[str, str]]) -> None:
    font = ImageFont.load_default(16)
    for number, (colour, text) in enumerate(entries):
        y = top + number * _LINE
        draw.rectangle((_MARGIN, y + 3, _MARGIN + 16, y + 19), fill=colour)
        draw.text((_MARGIN + 26, y), text, _INK, font)
