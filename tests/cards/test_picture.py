import io
from dataclasses import replace

from PIL import Image

from rankscope.cards.picture import FROM_RANKS, draw_ranks, ranks_in
from rankscope.model.report import Group
from tests.cards.builders import hostile_report, large_report, small_report


def image_of(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def colours(image: Image.Image) -> set[object]:
    return {colour for _, colour in image.getcolors(1 << 24) or ()}


def test_the_picture_shows_groups_suspects_and_ranks_without_a_stack() -> None:
    image = image_of(draw_ranks(large_report()))

    assert image.width == 1200
    assert {(86, 180, 233), (0, 158, 115), (212, 0, 0), (128, 134, 139)} <= colours(image)


def test_16384_ranks_fit_into_what_feishu_takes() -> None:
    report = large_report()
    report = replace(
        report,
        summary=replace(report.summary, ranks_expected=16384),
        groups=(Group("all_reduce", "0-16383", 16384, ()),),
    )
    data = draw_ranks(report)
    image = image_of(data)

    assert ranks_in(report) == 16384
    assert len(data) < 1_000_000
    assert max(image.size) < 12_000


def test_hostile_reports_are_drawn() -> None:
    report = replace(
        hostile_report(),
        groups=(Group("💥\n" * 900, "0-99999999", 1, ()), Group("\u202ex", "no,-,7-", 1, ())),
    )

    assert image_of(draw_ranks(report)).width == 1200


def test_a_small_job_needs_no_picture() -> None:
    assert ranks_in(small_report()) == 8 <= FROM_RANKS
