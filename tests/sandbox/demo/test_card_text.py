from sandbox.demo.card_text import Button, buttons, card_text, element_ids, markdown_text

PRINT_ID = "1780890495107774003"
CARD: dict[str, object] = {
    "schema": "2.0",
    "header": {
        "title": {"tag": "plain_text", "content": "Training hung"},
        "subtitle": {"tag": "plain_text", "content": "jo-1"},
        "text_tag_list": [{"tag": "text_tag", "text": {"tag": "plain_text", "content": "frozen"}}],
    },
    "body": {
        "elements": [
            {
                "tag": "markdown",
                "element_id": "suspects",
                "content": "**Look here**\n<text_tag color='red'>rank 5</text_tag> node&#45;b",
            },
            {
                "tag": "table",
                "columns": [
                    {"name": "rank", "display_name": "Rank"},
                    {"name": "change", "display_name": "Change"},
                ],
                "rows": [{"rank": "5 (1)", "change": [{"text": "frozen", "color": "red"}]}],
            },
            {"tag": "hr"},
            {
                "tag": "column_set",
                "columns": [
                    {
                        "tag": "column",
                        "elements": [
                            {
                                "tag": "button",
                                "element_id": "b_recapture",
                                "text": {"tag": "plain_text", "content": "Re-capture"},
                                "behaviors": [
                                    {
                                        "type": "callback",
                                        "value": {"act": "recapture", "incident": "in-1", "rev": 3},
                                    }
                                ],
                            }
                        ],
                    },
                    {
                        "tag": "column",
                        "elements": [
                            {
                                "tag": "button",
                                "text": {"tag": "plain_text", "content": "Compare"},
                                "disabled": True,
                            }
                        ],
                    },
                ],
            },
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": "Open report"},
                "behaviors": [
                    {
                        "type": "open_url",
                        "default_url": f"http://127.0.0.1:1/captures/{PRINT_ID}?key=k",
                    }
                ],
            },
            {
                "tag": "collapsible_panel",
                "header": {"title": {"tag": "plain_text", "content": "Next (1)"}},
                "elements": [{"tag": "markdown", "content": "1. look"}],
            },
        ]
    },
}


def test_a_card_reads_line_by_line() -> None:
    assert card_text(CARD).split("\n") == [
        "■ Training hung [frozen]",
        "  jo-1",
        "Look here",
        "[rank 5] node-b",
        "  Rank | Change",
        "  5 (1) | frozen",
        "―" * 24,
        "[Re-capture]  (Compare)",
        "▸ Next (1)",
        "  1. look",
        "[Open report]",
    ]


def test_another_message_gives_its_text() -> None:
    assert card_text({"text": "words\nmore"}) == "words\nmore"
    assert card_text({}) == ""


def test_buttons_carry_what_the_bot_put_into_them() -> None:
    recapture, compare, report = buttons(CARD)

    assert recapture == Button("b_recapture", "Re-capture", "recapture", 3, "", disabled=False)
    assert compare.disabled
    assert report.print_id == PRINT_ID
    assert recapture.print_id == ""


def test_elements_are_found_by_id() -> None:
    assert element_ids(CARD) == {"suspects", "b_recapture"}


def test_marks_are_taken_off() -> None:
    assert markdown_text("<font color='grey'>**a** &#42;b</font><br>c") == "a *b\nc"


def test_people_are_shown_by_name() -> None:
    says = {"tag": "markdown", "content": "<at id=ou_1></at> and <at id='ou_2'></at>"}

    text = card_text({"body": {"elements": [says]}}, {"ou_1": "Li Na"})

    assert text.endswith("@Li Na and @ou_2")


def test_odd_shapes_do_no_harm() -> None:
    assert card_text({"body": {"elements": ["text", {"tag": "img"}, None]}}) == "■ "
    assert buttons({"body": [{"tag": "button", "behaviors": ["odd"]}]})[0].label == ""
