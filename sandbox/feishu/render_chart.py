"""Charts of cards: lines, areas and bars as SVG, every other type as a table of its values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

Json = Mapping[str, object]
WIDTH: Final = 560
HEIGHT: Final = 200
LEFT: Final = 48
BOTTOM: Final = 26
TOP: Final = 12
MOST_ROWS: Final = 20


@dataclass(frozen=True, slots=True)
class Series:
    """One line or one colour of bars: a value for each place on the x axis, or None."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart's data, ready to be drawn."""

    labels: tuple[str, ...]
    series: tuple[Series, ...]

    @property
    def top(self) -> float:
        """The largest value shown, never 0."""
        return max((v for s in self.series for v in s.values if v is not None), default=0) or 1.0


def render_chart(spec: Json) -> Markup:
    """Return a chart with its title."""
    records = list(_records(spec.get("data")))
    drawn = _drawing(str(spec.get("type", "")), spec, records)
    title = spec.get("title")
    text = title.get("text", "") if isinstance(title, dict) else ""
    caption = Markup("<figcaption>{}</figcaption>").format(text) if text else Markup("")
    return Markup('<figure class="chart">{}{}</figure>').format(caption, drawn)


def _records(data: object) -> Iterator[Json]:
    """Yield the records of {values: […]}, of a list of those, or of a list of records."""
    if isinstance(data, dict):
        yield from _records(data.get("values"))
    elif isinstance(data, list):
        for item in data:
            if isinstance(item, dict) and "values" in item:
                yield from _records(item)
            elif isinstance(item, dict):
                yield item


def _drawing(kind: str, spec: Json, records: Sequence[Json]) -> Markup:
    x, y = _field(spec.get("xField")), _field(spec.get("yField"))
    if kind not in {"line", "area", "bar"} or not (x and y and records):
        return _table(records)
    if spec.get("direction") == "horizontal":
        x, y = y, x
    plot = _plot(records, x, y, _field(spec.get("seriesField")))
    marks = _bars(plot) if kind == "bar" else _lines(plot, filled=kind == "area")
    return Markup(
        '<svg viewBox="0 0 {} {}" role="img" preserveAspectRatio="xMidYMid meet">{}{}</svg>{}'
    ).format(WIDTH, HEIGHT, _axes(plot), marks, _legend(plot))


def _field(value: object) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, str) else ""


def _plot(records: Sequence[Json], x: str, y: str, by: str) -> Plot:
    labels = tuple(dict.fromkeys(str(record.get(x, "")) for record in records))
    named: dict[str, dict[str, float]] = {}
    for record in records:
        value = record.get(y)
        if isinstance(value, int | float):
            series = named.setdefault(str(record.get(by, "")) if by else y, {})
            series[str(record.get(x, ""))] = float(value)
    return Plot(
        labels,
        tuple(Series(n, tuple(map(values.get, labels))) for n, values in named.items()),
    )


def _x(plot: Plot, place: int) -> float:
    room = (WIDTH - LEFT - 12) / max(len(plot.labels), 1)
    return LEFT + room * (place + 0.5)


def _y(plot: Plot, value: float) -> float:
    return HEIGHT - BOTTOM - max(value, 0) / plot.top * (HEIGHT - BOTTOM - TOP)


def _axes(plot: Plot) -> Markup:
    lines = Markup("").join(
        Markup(
            '<line class="axis" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>'
            '<text class="label" x="{3}" y="{4:.1f}" text-anchor="end">{5:g}</text>'
        ).format(LEFT, WIDTH - 12, y, LEFT - 6, y + 4, round(value, 3))
        for value, y in ((v, _y(plot, v)) for v in (0.0, plot.top / 2, plot.top))
    )
    step = max(1, len(plot.labels) // 8)
    names = Markup("").join(
        Markup('<text class="label" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            _x(plot, place), HEIGHT - 8, label[:10]
        )
        for place, label in enumerate(plot.labels)
        if place % step == 0
    )
    return lines + names


def _lines(plot: Plot, *, filled: bool) -> Markup:
    drawn = Markup("")
    for number, series in enumerate(plot.series):
        points = [
            f"{_x(plot, place):.1f},{_y(plot, value):.1f}"
            for place, value in enumerate(series.values)
            if value is not None
        ]
        drawn += Markup('<polyline class="line s{}" points="{}"/>').format(
            number % 6, " ".join(points)
        )
        if filled and points:
            floor = HEIGHT - BOTTOM
            ends = f"{points[-1].split(',')[0]},{floor} {points[0].split(',')[0]},{floor}"
            drawn += Markup('<polygon class="area s{}" points="{} {}"/>').format(
                number % 6, " ".join(points), ends
            )
    return drawn


def _bars(plot: Plot) -> Markup:
    room = (WIDTH - LEFT - 12) / max(len(plot.labels), 1) * 0.7
    width = room / max(len(plot.series), 1)
    return Markup("").join(
        Markup(
            '<rect class="bar s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
        ).format(
            number % 6,
            _x(plot, place) - room / 2 + number * width,
            _y(plot, value),
            width,
            HEIGHT - BOTTOM - _y(plot, value),
        )
        for number, series in enumerate(plot.series)
        for place, value in enumerate(series.values)
        if value is not None
    )


def _legend(plot: Plot) -> Markup:
    if len(plot.series) < 2:
        return Markup("")
    return Markup('<div class="legend">{}</div>').format(
        Markup("").join(
            Markup('<span class="key s{}">{}</span>').format(number % 6, series.name)
            for number, series in enumerate(plot.series)
        )
    )


def _table(records: Sequence[Json]) -> Markup:
    columns = list(dict.fromkeys(key for record in records for key in record))
    head = Markup("").join(Markup("<th>{}</th>").format(name) for name in columns)
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(Markup("<td>{}</td>").format(record.get(name, "")) for name in columns)
        )
        for record in records[:MOST_ROWS]
    )
    return Markup(
        '<div class="scroll"><table class="grid" data-page-size="5"><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(head, rows)
