import os
from pathlib import Path

import pytest

from rankscope.watching.sources import Sources


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("run/0/stdout.log", "run/1/stdout.log", "run/1/core.bin", "run/1/stdout.log.1.gz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def found(*named: str) -> list[tuple[str, str]]:
    here = Path.cwd()
    return [(str(one.path.relative_to(here)), one.worker) for one in Sources(named).find()]


def test_a_path_is_followed_before_it_is_there() -> None:
    assert found("later.log") == [("later.log", "later")]


def test_a_folder_holds_the_logs_of_workers_by_their_places() -> None:
    assert found("run") == [("run/0/stdout.log", "0/stdout"), ("run/1/stdout.log", "1/stdout")]


def test_a_pattern_finds_what_is_there_now(folder: Path) -> None:
    assert found("worker-*.log") == []

    (folder / "worker-7.log").touch()

    assert found("worker-*.log", "run/*/*.log*") == [
        ("worker-7.log", "worker-7"),
        ("run/0/stdout.log", "stdout"),
        ("run/1/stdout.log", "stdout"),
    ]


def test_each_log_is_found_once(folder: Path) -> None:
    assert found("run", "run/0/stdout.log", os.fspath(folder / "run")) == found("run")


def test_a_name_with_signs_of_a_pattern_is_a_name(folder: Path) -> None:
    (folder / "log[1].txt").touch()

    assert found("log[1].txt") == [("log[1].txt", "log[1]")]
