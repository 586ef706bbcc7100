from bot.page_query import PageQuery, parse_query


def test_anything_strange_means_the_default() -> None:
    strange = {"view": "../etc", "lang": "xx", "sample": "²", "rank": "x" * 9999}

    query = parse_query(strange, "en")

    assert (query.view, query.lang, query.sample) == ("report", "en", None)
    assert len(query.rank) == 200


def test_a_link_keeps_what_it_does_not_change() -> None:
    query = PageQuery(key="k&y", view="stacks", rank="5", sample=0)

    assert query.href(lang="en") == "?key=k%26y&view=stacks&lang=en&rank=5&sample=0"
    assert query.href(view="nccl", rank="", sample=None) == "?key=k%26y&view=nccl&lang=zh"
