"""Cards that the tests send."""

import json
from typing import Any

Json = dict[str, Any]


def plain(content: str) -> Json:
    return {"tag": "plain_text", "content": content}


def markdown(content: str, **more: Any) -> Json:
    return {"tag": "markdown", "content": content, **more}


def button(text: str, **more: Any) -> Json:
    behaviors = [{"type": "callback", "value": {"act": text}}]
    return {"tag": "button", "text": plain(text), "behaviors": behaviors, **more}


def card(*elements: Json, **more: Any) -> Json:
    return {
        "schema": "2.0",
        "config": {"update_multi": True},
        "header": {"title": plain("Title"), "template": "red"},
        "body": {"elements": list(elements)},
        **more,
    }


def table(rows: list[Json] | None = None) -> Json:
    return {
        "tag": "table",
        "page_size": 2,
        "columns": [
            {"name": "rank", "display_name": "Rank", "data_type": "number"},
            {"name": "node", "display_name": "节点", "data_type": "text"},
            {"name": "state", "display_name": "状态", "data_type": "options"},
        ],
        "rows": rows
        if rows is not None
        else [
            {"rank": rank, "node": f"gpu-{rank:02}", "state": [{"text": "卡住", "color": "red"}]}
            for rank in range(5)
        ],
    }


def column(*elements: Json, **more: Any) -> Json:
    return {"tag": "column", "elements": list(elements), **more}


def panel(title: str, *elements: Json, **more: Any) -> Json:
    header = {"title": plain(title)}
    return {"tag": "collapsible_panel", "header": header, "elements": list(elements), **more}


RICH = card(
    markdown(
        "**嫌疑：** <text_tag color='red'>rank 3</text_tag> node-1 读管道不返回\n"
        "<font color='grey'>自 <local_datetime millisecond='1732800000000' "
        "format_type='date_time'></local_datetime> 起，8 个 rank 中 7 个在 all-reduce</font>",
        element_id="summary",
    ),
    table(),
    {
        "tag": "chart",
        "chart_spec": {
            "type": "line",
            "title": {"text": "每步耗时 (s)"},
            "data": {"values": [{"step": str(n), "s": 8 + n % 3} for n in range(12)]},
            "xField": "step",
            "yField": "s",
        },
    },
    panel("堆栈（3 组）", markdown("```python\nos.read data.py:88\nnext_batch data.py:40\n```")),
    {"tag": "hr"},
    {
        "tag": "column_set",
        "flex_mode": "flow",
        "horizontal_spacing": "8px",
        "columns": [
            column(button("重新采集", type="primary_filled", element_id="recapture"), width="auto"),
            column(
                button(
                    "结束作业",
                    type="danger",
                    confirm={"title": plain("结束作业？"), "text": plain("不能撤销")},
                ),
                width="auto",
            ),
            column(button("对比", disabled=True, disabled_tips=plain("需要两次")), width="auto"),
        ],
    },
    markdown("<font color='grey'>这是某一时刻的快照</font>", text_size="notation"),
    header={
        "title": plain("job-42 训练卡住"),
        "subtitle": plain("cluster-a · 8 GPU"),
        "template": "red",
        "text_tag_list": [{"tag": "text_tag", "text": plain("P1"), "color": "red"}],
    },
    config={"update_multi": True, "summary": {"content": "[卡住] job-42 rank 3"}},
)


def dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
