import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rankscope.commands.slow import slow
from rankscope.errors import UnusableInput


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rows = [(step, 3101.0) for step in range(1, 83)]
    rows += [(step, 9465.0) for step in range(83, 88)]
    rows += [(step, 16704.0) for step in range(88, 93)]
    path = tmp_path / "train.log"
    path.write_text("\n".join(line(step, ms) for step, ms in rows))
    return path


def line(step: int, ms: float) -> str:
    stamp = "2025-04-21 15:25:56" if step < 88 else "2025-04-21 15:27:26"
    return f" [{stamp}] iteration {step}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5"


def run(*arguments: str | Path, stdin: str = "") -> str:
    result = CliRunner().invoke(slow, [str(one) for one in arguments], input=stdin)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_platforms_lines_are_printed_exactly(log: Path) -> None:
    shown = run(log, "--lang", "en")

    assert (
        "2025-04-21 15:25:56 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms),"
        " threshold ratio:2.05. Warning\n"
    ) in shown
    assert (
        "2025-04-21 15:27:26 Smoothed mean (iters 88-92: 16704.00 ms, baseline: 3101.00 ms),"
        " threshold ratio:4.39. Warning\n"
    ) in shown
    assert "205 % slower, 3.05 × baseline" in shown
    assert "Suspected (severe, robust rule)" in shown
    assert "does not by itself mean a hardware fault" in shown


def test_chinese(log: Path) -> None:
    shown = run(log, "--lang", "zh")

    assert "慢 205%，约为基线的 3.05 倍" in shown
    assert "疑似变慢（严重，稳健规则）" in shown


def test_json_has_the_agreed_shape(log: Path) -> None:
    data: dict[str, Any] = json.loads(run(log, "--json"))

    assert {"format", "windows", "alerts", "recovered"} <= set(data)
    assert data["format"] == "megatron-lm"
    assert data["windows"][0] == {
        "iters": [3, 7], "mean_ms": 3101.0, "baseline_ms": 3101.0, "ratio": 0.0, "during": [],
    }  # fmt: skip
    seed = [one for one in data["alerts"] if one["rule"] == "seed"]
    assert [(one["iters"], one["mean_ms"], one["ratio"]) for one in seed] == [
        ([83, 87], 9465.0, 2.0522), ([88, 92], 16704.0, 4.3866),
    ]  # fmt: skip
    assert data["counts"]["steps"] == len(data["steps"]) == 92


def test_carriage_returns_of_bars_and_standard_input() -> None:
    bars = "".join(f"\r  1%|▏ | {s}/900 [00:{2 * s:02d}<1:00, 2.0s/it]" for s in range(25))

    data = json.loads(run("-", "--json", stdin=bars))

    assert (data["format"], data["usual_ms"]) == ("progress-bar", 2000.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No step line of a known format in 0 lines."),
        ("hello\nworld\n", "No step line of a known format in 2 lines."),
        ("{'loss': 1.5, 'epoch': 0.1}", "Format: hf-trainer v4. It gives no step times by itself."),
        (line(1, 5) + "\n" + line(2, 5), "No slow-down found."),
        ("| MnRtt/Rnk: 5.25ms/5 | MxRtt/Rnk: 9.50ms/17 |", "rank 17 (9.50 ms a step; rank 5: 5.25"),
    ],
)
def test_what_is_said_when_nothing_is_slow(text: str, words: str) -> None:
    assert words in run("-", "--lang", "en", stdin=text)


def test_a_slow_down_that_is_over_and_what_happened_meanwhile(tmp_path: Path) -> None:
    rows = [line(step, 1000) for step in range(1, 101)]
    rows += ["saving checkpoint at iteration 100 to /out", line(101, 90_000)]
    rows += [line(step, 1000) for step in range(102, 131)]
    log = tmp_path / "log"
    log.write_text("\n".join(rows))

    english, chinese = run(log, "--lang", "en"), run(log, "--lang", "zh")

    assert "Meanwhile: a checkpoint was saved; for information only." in english
    assert "Recovered (the platform's rule)" in english
    assert "期间保存了 checkpoint，仅供参考。" in chinese


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="none"):
        CliRunner().invoke(slow, [str(tmp_path / "none")], catch_exceptions=False)
