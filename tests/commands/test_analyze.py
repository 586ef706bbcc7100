import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rankscope.cli import main
from rankscope.commands.analyze import analyze
from tests.analysis import builders as b
from tests.analysis.builders import At, others, piped, twice
from tests.analysis.test_properties import as_lines


@pytest.fixture
def capture_file(tmp_path: Path) -> Path:
    path = tmp_path / "capture.jsonl"
    stuck = twice(others(4, At(b.ALL_REDUCE), r2=piped(b.READ)))
    path.write_text("\n".join(json.dumps(line) for line in as_lines(stuck)))
    return path


def test_json_has_the_agreed_shape(capture_file: Path) -> None:
    result = CliRunner().invoke(analyze, [str(capture_file), "--json"])
    report: dict[str, Any] = json.loads(result.output)

    assert result.exit_code == 0
    assert list(report) == [
        "summary", "verdict", "suspects", "groups", "functions", "missing", "cautions",
        "next_steps", "nccl",
    ]  # fmt: skip
    assert report["summary"]["ranks_seen"] == 4
    assert report["verdict"]["progress"] == "frozen"
    assert set(report["verdict"]["text"]) == {"zh", "en"}
    assert [(s["rank"], s["node"]) for s in report["suspects"]] == [(2, "node-0")]
    assert set(report["suspects"][0]["reasons"][0]) == {"zh", "en"}
    assert [(g["ranks"], g["count"]) for g in report["groups"]] == [("0-1,3", 3), ("2", 1)]
    assert report["nccl"] is None


@pytest.mark.parametrize(("language", "word"), [("zh", "结论"), ("en", "Verdict")])
def test_text_has_the_verdict_first_and_then_the_report(
    capture_file: Path, language: str, word: str
) -> None:
    result = CliRunner().invoke(analyze, [str(capture_file), "--lang", language])

    assert result.exit_code == 0
    assert result.output.startswith(word)
    assert "\nStack Trace Analysis Report\n\nSummary\nJob ID: jo-7\n" in result.output


def test_unusable_input_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("hello")
    monkeypatch.setattr("sys.argv", ["rankscope", "analyze", str(tmp_path / "x")])

    with pytest.raises(SystemExit) as exit_:
        main()

    assert exit_.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
