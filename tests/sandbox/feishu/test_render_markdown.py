import pytest

from sandbox.feishu.render_markdown import Names, at_millisecond, color_class, render_markdown
from tests.sandbox.feishu.markup import dangers

NAMES = Names({"ou_a": "王<b>伟"})


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**bold** `code`", "<p><strong>bold</strong> <code>code</code></p>"),
        ("<font color='red'>x</font>", '<p><span class="c-red">x</span></p>'),
        ("<font color='red-500'>x</font>", '<p><span class="c-red">x</span></p>'),
        ("<font color='url(x)'>x</font>", '<p><span class="c-default">x</span></p>'),
        ("<text_tag color='blue'>x</text_tag>", '<p><span class="tag t-blue">x</span></p>'),
        ("<at id=all></at>", '<p><span class="at">@所有人</span></p>'),
        ("<at id=ou_a></at>", '<p><span class="at">@王&lt;b&gt;伟</span></p>'),
        ("a<br>b", "<p>a<br>b</p>"),
        ("~~x~~", "<p><s>x</s></p>"),
        ("&#60;b&#62; &#42;&#42;x&#42;&#42;", "<p>&lt;b&gt; **x**</p>"),
    ],
)
def test_feishu_markdown_becomes_html(source: str, html: str) -> None:
    assert render_markdown(source, NAMES).strip() == html


def test_a_time_is_shown_in_chinese_time() -> None:
    source = "<local_datetime millisecond='1732800000000' format_type='date_time'></local_datetime>"

    assert "2024-11-28 21:20" in render_markdown(source, NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "<a href='javascript:alert(1)'>x</a>",
        "<link url='javascript:alert(1)'></link>",
        "<font color='red' onclick='alert(1)'>x</font>",
        '<font color="red"><svg onload=alert(1)>',
        '![x](https://evil.example/x.png" onerror="alert(1))',
        "</span></div><iframe src=//evil></iframe>",
        "<style>body{display:none}</style>",
        "<local_datetime millisecond='1\"><script>'></local_datetime>",
    ],
)
def test_nothing_in_a_text_can_run(source: str) -> None:
    assert dangers(str(render_markdown(source, NAMES))) == []


def test_links_open_elsewhere_and_tell_nothing() -> None:
    html = render_markdown("[x](https://example.com)", NAMES)

    assert 'rel="noopener noreferrer"' in html
    assert 'target="_blank"' in html


def test_tables_are_paged_by_five() -> None:
    assert 'data-page-size="5"' in render_markdown("|a|\n|-|\n|1|", NAMES)


def test_an_impossible_time_is_left_out() -> None:
    assert at_millisecond(1e30, "%Y") == ""


def test_an_unclosed_tag_ends_with_its_paragraph() -> None:
    assert render_markdown("<font color='red'>x", NAMES).count("</span>") == 1


def test_a_colour_is_a_known_class() -> None:
    assert color_class("Grey-600", "t") == "t-grey"
