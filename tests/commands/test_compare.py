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
    assert len(lines) == 4
    assert word in lines[1]
    assert "all_reduce" in lines[2]
    assert "barrier" in lines[2]
