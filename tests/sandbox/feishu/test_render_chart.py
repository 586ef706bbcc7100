from typing import Any

import pytest

from sandbox.feishu.render_chart import render_chart

VALUES = [{"x": "a", "y": 1, "who": "r0"}, {"x": "b", "y": 3, "who": "r1"}]


def spec(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"values": VALUES}, "xField": "x", "yField": "y", **more}


@pytest.mark.parametrize(
    ("kind", "mark"), [("line", "<polyline"), ("area", "<polygon"), ("bar", "<rect")]
)
def test_common_charts_are_drawn(kind: str, mark: str) -> None:
    assert mark in render_chart(spec(kind))


def test_series_get_their_own_line_and_a_legend() -> None:
    html = render_chart(spec("line", seriesField="who"))

    assert html.count("<polyline") == 2
    assert ">r1</span>" in html


@pytest.mark.parametrize("kind", ["pie", "radar"])
def test_other_charts_are_a_table_of_their_values(kind: str) -> None:
    html = render_chart(spec(kind))

    assert "<table" in html
    assert "<td>3</td>" in html


def test_data_may_be_a_list_of_sets() -> None:
    html = render_chart({**spec("bar"), "data": [{"id": "d", "values": VALUES}]})

    assert html.count("<rect") == 2


def test_a_chart_without_data_is_empty() -> None:
    assert "<td>" not in render_chart({"type": "line"})


def test_texts_are_escaped() -> None:
    hostile = spec("line", title={"text": "<script>"})
    hostile["data"] = {"values": [{"x": "<svg onload=x>", "y": 1}]}

    html = render_chart(hostile)

    assert "<script" not in html
    assert "<svg onload" not in html
