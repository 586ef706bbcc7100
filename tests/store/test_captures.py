import time
from datetime import date, timedelta
from pathlib import Path

import pytest

from rankscope.errors import NotFound, StoreError
from rankscope.model.report import Comparison, Report, Summary, Verdict
from rankscope.model.text import Text
from rankscope.store.captures import CaptureStore, day_of
from tests.conftest import MakeSettings


@pytest.fixture
def store(tmp_path: Path) -> CaptureStore:
    return CaptureStore(tmp_path.as_uri())


def report(print_id: str) -> Report:
    text = Text("没有人", "nobody")
    return Report(
        summary=Summary("jo-1", "2026-06-08 03:49:05 (UTC)", print_id, 8, 8),
        verdict=Verdict("all_alike", "low", "unknown", text),
        suspects=(),
        groups=(),
        functions=(),
        missing=(),
        cautions=(text,),
        next_steps=(),
    )


def test_a_capture_is_stored_once_under_its_day(store: CaptureStore, tmp_path: Path) -> None:
    print_id = "1780890495107774003"

    assert store.write_capture(print_id, [b'{"schema": 1}', b'{"node": "a"}'])
    assert not store.write_capture(print_id, [b"another"])

    assert store.read_capture(print_id) == [b'{"schema": 1}', b'{"node": "a"}']
    assert store.has_capture(print_id)
    assert (tmp_path / "captures/2026/06/08" / f"{print_id}.jsonl.zst").is_file()


def test_a_report_and_a_comparison_come_back_as_they_were(store: CaptureStore) -> None:
    first, second = "1780890495107774003", "1780890500000000000"
    comparison = Comparison("jo-1", first, second, (), Text("一样", "the same"))

    store.write_report(report(first))
    store.write_comparison(comparison)

    assert store.read_report(first) == report(first)
    assert store.read_comparison(first, second) == comparison


def test_what_is_not_there_is_said(store: CaptureStore) -> None:
    print_id = str(time.time_ns())

    assert not store.has_capture(print_id)
    for read in (store.read_capture, store.read_report):
        with pytest.raises(NotFound, match=print_id):
            read(print_id)


@pytest.mark.parametrize("wrong", ["", "../../etc/passwd", "x" * 19, "１" * 19, "1" * 30])
def test_a_wrong_print_id_never_reaches_the_file_system(store: CaptureStore, wrong: str) -> None:
    with pytest.raises(NotFound):
        store.read_capture(wrong)


def test_old_days_are_deleted_and_others_stay(store: CaptureStore) -> None:
    old, new = "1780890495107774003", "1790890495107774003"
    for print_id in (old, new):
        store.write_capture(print_id, [b"{}"])
        store.write_report(report(print_id))
    day = date(2026, 6, 9)

    assert store.delete_before(day - timedelta(days=1)) == 0
    assert store.delete_before(day) == 2
    assert not store.has_capture(old)
    assert store.has_capture(new)


def test_a_store_of_another_kind_is_refused() -> None:
    with pytest.raises(StoreError, match="ftp://"):
        CaptureStore("ftp://host/folder")


def test_a_report_that_is_not_there_is_none(store: CaptureStore) -> None:
    assert store.find_report("1780890495107774003") is None
    store.write_report(report("1780890495107774003"))
    assert store.find_report("1780890495107774003") == report("1780890495107774003")


def test_a_damaged_capture_is_said_to_be(store: CaptureStore, tmp_path: Path) -> None:
    print_id = "1780890495107774003"
    store.write_capture(print_id, [b"{}"])
    file = tmp_path / "captures/2026/06/08" / f"{print_id}.jsonl.zst"
    file.write_bytes(b"no zstd")

    with pytest.raises(StoreError, match="damaged"):
        store.read_capture(print_id)


def test_a_folder_without_space_in_its_way_is_made(make_settings: MakeSettings) -> None:
    settings = make_settings()
    store = CaptureStore.of(settings.model_copy(update={"data_dir": settings.data_dir / "a b"}))

    assert store.write_capture("1780890495107774003", [b"{}"])
    assert list((settings.data_dir / "a b").rglob("*.zst"))


def test_the_day_is_that_of_utc() -> None:
    assert day_of("1780890495107774003") == date(2026, 6, 8)
