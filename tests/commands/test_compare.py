import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.compare import compare
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others
from tests.analysis.test_properties import as_lines


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    before = job(others(3, At(b.ALL_REDUCE)))
    after = job(others(3, At(b.ALL_REDUCE), r1=At(b.BARRIER)))
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, capture in zip(paths, (before, after), strict=True):
        path.write_text("\n".join(json.dumps(line) for line in as_lines(capture)))
    return [str(path) for path in paths]


def test_json_says_what_each_rank_did(files: list[str]) -> None:
    result = CliRunner().invoke(compare, [*files, "--json"])

    ranks = json.loads(result.output)["ranks"]
    assert result.exit_code == 0
    assert [item["change"] for item in ranks] == ["frozen", "moved", "frozen"]


@pytest.mark.parametrize(("language", "word"), [("zh", "未移动"), ("en", "stands still")])
def test_text_has_a_line_per_rank(files: list[str], language: str, word: str) -> None:
    result = CliRunner().invoke(compare, [*files, "--lang", language])

    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert len([line for line in lines if line.startswith("rank ")]) == 3
    assert word in lines[1]
    assert "all_reduce" in lines[2]
    assert "barrier" in lines[2]


def test_groups_that_changed_follow_the_ranks(files: list[str]) -> None:
    result = CliRunner().invoke(compare, [*files, "--lang", "en"])

    groups = result.output.partition("Groups that changed\n")[2]
    assert "all_reduce ← Runner.mean_gradients (runner.py): 3 → 2\n    left: 1\n" in groups


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_foreign_text_cannot_move_the_cursor(files: list[str], options: list[str]) -> None:
    path = Path(files[1])
    evil = "\x1b]0;x\x07\u009b2J\u202e\nrank 9  moved"
    path.write_text(path.read_text().replace('"node-0"', json.dumps(evil)))

    output = CliRunner().invoke(compare, [*files, "--lang", "en", *options]).output

    assert {"\x1b", "\x07", "\u009b", "\u202e"}.isdisjoint(output)
    assert not any(line.startswith("rank 9") for line in output.splitlines())
