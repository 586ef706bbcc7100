from typing import Any

import pytest

from sandbox.feishu.render_markdown import Names
from sandbox.feishu.render_table import render_cell, render_table
from tests.sandbox.feishu.samples import table

NAMES = Names({"ou_a": "王伟"})


@pytest.mark.parametrize(
    ("column", "value", "html"),
    [
        ({"data_type": "text"}, "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ({"data_type": "number"}, 1024, "1024"),
        ({"data_type": "number", "format": {"separator": True}}, 1024, "1,024"),
        ({"data_type": "number", "format": {"precision": 1, "symbol": "¥"}}, 2, "¥2.0"),
        (
            {"data_type": "date", "date_format": "YYYY-MM-DD HH:mm"},
            1732800000000,
            "2024-11-28 21:20",
        ),
        ({"data_type": "persons"}, ["ou_a"], '<span class="at">王伟</span>'),
        (
            {"data_type": "options"},
            [{"text": "<x>", "color": "red"}],
            '<span class="tag t-red">&lt;x&gt;</span>',
        ),
        ({"data_type": "text"}, None, ""),
    ],
)
def test_a_cell_is_shown_by_its_type(column: dict[str, Any], value: object, html: str) -> None:
    assert render_cell(value, column, NAMES) == html


def test_a_table_has_all_rows_and_its_page_size() -> None:
    html = render_table(table(), NAMES)

    assert html.count("<tr>") == 6
    assert 'data-page-size="2"' in html


def test_a_hostile_width_stays_inside_its_attribute() -> None:
    hostile = table()
    hostile["columns"][0]["width"] = '"><script>alert(1)</script>'

    assert "<script" not in render_table(hostile, NAMES)
