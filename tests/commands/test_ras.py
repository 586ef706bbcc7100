import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankscope.commands import ras as command
from rankscope.commands.ras import ras
from rankscope.errors import UnusableInput
from tests.nccl import jobs
from tests.nccl.answers import as_text
from tests.nccl.jobs import of_version
from tests.nccl.json_answers import as_json
from tests.nccl.ras_server import free_port, serving
from tests.nccl.test_read import EXCERPT
from tests.nccl.test_unavailable import REFUSED

LATER = "2026-03-04 05:06:17"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(ras, [str(one) for one in arguments], catch_exceptions=False)


def shown(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_json_of_one_answer(tmp_path: Path) -> None:
    found = shown(write(tmp_path, "answer.txt", as_text(jobs.DEAD)))

    assert (found["outcome"], found["nccl_version"], found["reliable"]) == (
        "answered",
        "2.30.7",
        True,
    )
    assert found["problems"] == []
    assert (found["job"]["nodes"], found["job"]["gpus"]) == (2, 8)
    assert found["dead_processes"] == 1
    whole = found["communicators"][0]
    assert whole["hash"] == "0000000000007a11"
    assert (whole["size"], whole["status"], whole["errors"]) == (8, "RUNNING", ["INCOMPLETE"])
    assert whole["ranks_answered"] == 7
    assert whole["missing"] == [
        {"rank": 5, "dead": True, "host": "10.0.0.2", "pid": 4005, "gpu": 1}
    ]
    assert set(found["text"]) == {"zh", "en"}
    assert "progress" not in found


def test_behind_ahead_and_counts(tmp_path: Path) -> None:
    found = shown(write(tmp_path, "answer.json", as_json(jobs.TWO_AHEAD)))
    (comm,) = found["communicators"]

    assert (comm["behind"], comm["ahead"]) == ([0, 1, 2, 3, 4, 5], [6, 7])
    assert comm["counts"]["AllReduce"] == {
        "min": 100,
        "max": 101,
        "groups": [
            {"count": 100, "number": 6, "ranks": "0-5"},
            {"count": 101, "number": 2, "ranks": "6-7"},
        ],
    }


@pytest.mark.parametrize("form", [as_text, as_json])
def test_two_answers_of_a_hang(tmp_path: Path, form: Any) -> None:
    before = write(tmp_path, "t0", form(jobs.HANG))
    after = write(tmp_path, "t10", form(replace(jobs.HANG, at=LATER)))
    found = shown(before, after)

    assert found["progress"] == "frozen"
    assert found["verdict"]["kind"] == "stalled"
    assert [one["process"]["pid"] for one in found["verdict"]["culprits"]] == [4005]
    assert [one["progress"] for one in found["compared"]["communicators"]].count("frozen") >= 2
    assert found["earlier"]["reliable"]


def test_the_excerpt_of_a_document(tmp_path: Path) -> None:
    found = shown(write(tmp_path, "answer.txt", EXCERPT))

    assert found["dead_processes"] == 1
    assert found["communicators"][0]["errors"] == ["INCOMPLETE"]
    assert found["communicators"][0]["ranks_answered"] == 7
    assert found["job"]["processes"] == 8


@pytest.mark.parametrize(
    ("version", "outcome", "words"),
    [
        ("2.21.5-1", "unsupported", "2.21.5"),
        ("2.26.3", "refused", "switched off"),
        ("", "refused", "below 2.24"),
    ],
)
def test_a_refused_connection(tmp_path: Path, version: str, outcome: str, words: str) -> None:
    path = write(tmp_path, "answer.err", REFUSED)
    found = shown(path, *(["--nccl-version", version] if version else []))

    assert found["outcome"] == outcome
    assert words in found["text"]["en"]


def test_people_get_text_in_their_language(tmp_path: Path) -> None:
    path = write(tmp_path, "answer.txt", as_text(jobs.DEAD))

    assert "DEAD" in run(path, "--lang", "zh").stdout
    assert "What next:" in run(path, "--lang", "en").stdout
    assert "接下来：" in run(path, "--lang", "zh").stdout


def test_a_cut_answer_is_no_error_but_shown_as_unreliable(tmp_path: Path) -> None:
    path = write(tmp_path, "answer.txt", as_text(jobs.DEAD)[:700])
    result = run(path, "--lang", "en")

    assert result.exit_code == 0
    assert "unreliable" in result.stdout
    assert shown(path)["reliable"] is False


def test_control_characters_of_a_damaged_answer_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = write(tmp_path, "answer.txt", as_text(jobs.DEAD) + "\x1b[2Jgone\n")

    assert "\x1b" not in run(path, "--lang", "en").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-file"],
        ["."],
        ["a:1", "b:2", "c:3"],
        ["host:99999"],
        ["localhost:1", "--nccl-version", "old"],
    ],
)
def test_unusable_input_is_one_clear_line(arguments: list[str]) -> None:
    with pytest.raises(UnusableInput) as error:
        run(*arguments)

    assert "\n" not in str(error.value)


def test_a_file_of_something_else_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="not an answer of NCCL RAS"):
        run(write(tmp_path, "train.py", "import torch\n"))


def test_a_file_too_large_is_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_BYTES", 10)

    with pytest.raises(UnusableInput, match="too large"):
        run(write(tmp_path, "answer.txt", as_text(jobs.DEAD)))


def test_a_running_job_is_asked() -> None:
    with serving(jobs.ONE_BEHIND) as (server, port):
        found = shown(f"localhost:{port}")

    assert (found["outcome"], found["format"]) == ("answered", "json")
    assert found["communicators"][0]["behind"] == [5]
    assert "VERBOSE STATUS" not in server.commands


def test_a_running_job_is_asked_twice_on_request() -> None:
    with serving(jobs.ONE_BEHIND, of_version(jobs.HEALTHY, "2.30.7")) as (server, port):
        found = shown(f"127.0.0.1:{port}", "--again", "1")

    assert server.connections == 2
    assert "progress" in found


def test_a_job_with_a_dangerous_version_is_not_asked() -> None:
    with serving(jobs.ONE_BEHIND) as (server, port):
        found = shown(f"127.0.0.1:{port}", "--nccl-version", "2.26.5")

    assert (found["outcome"], found["reason"]) == ("unsafe", "dangerous")
    assert server.connections == 0


def test_a_steady_job_may_be_asked_in_spite_of_it() -> None:
    with serving(of_version(jobs.ONE_BEHIND, "2.26.5")) as (_, port):
        found = shown(f"127.0.0.1:{port}", "--nccl-version", "2.26.5", "--steady")

    assert (found["outcome"], found["format"]) == ("answered", "text")


def test_nobody_listens() -> None:
    assert shown(f"[::1]:{free_port()}")["outcome"] == "refused"
