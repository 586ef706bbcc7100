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
        "next_steps", "nccl", "side_by_side",
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


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_foreign_text_cannot_move_the_cursor(capture_file: Path, options: list[str]) -> None:
    evil = "\x1b[2J\x1b]8;;x\x07\u009b1A\u202e\n\nVerdict\nnobody"
    content = capture_file.read_text()
    for name in ("node-0", "Feeder.read", "jo-7"):
        content = content.replace(json.dumps(name), json.dumps(name + evil))
    capture_file.write_text(content)

    output = CliRunner().invoke(analyze, [str(capture_file), "--lang", "en", *options]).output

    assert "Feeder.read" in output
    assert {"\x1b", "\x07", "\u009b", "\u202e"}.isdisjoint(output)
    assert output.splitlines().count("nobody") == 0


def test_json_with_escapes_is_still_the_same_json(capture_file: Path) -> None:
    node = "a\u009b\u202e\U000e0001b"
    content = capture_file.read_text().replace('"node-0"', json.dumps(node))
    capture_file.write_text(content)

    output = CliRunner().invoke(analyze, [str(capture_file), "--json"]).output

    assert json.loads(output)["suspects"][0]["node"] == node


def test_the_suspect_stands_beside_a_rank_that_only_waits(capture_file: Path) -> None:
    output = CliRunner().invoke(analyze, [str(capture_file), "--lang", "en"]).output

    beside = output.partition("Side by Side\n")[2].partition("\n\n")[0].splitlines()
    assert "outer call(s) are the same" in beside[0]
    assert beside[1].split("|")[0].strip() == "rank 2 (node-0)"
    assert beside[1].split("|")[1].strip() == "rank 1 (node-0)"
    assert any("Feeder.read" in line.split("|")[0] for line in beside)
    assert "all_reduce" in beside[-1].split("|")[1]
