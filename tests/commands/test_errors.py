import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner, Result

from rankscope.commands.errors import errors
from rankscope.errors import ConfigurationError, UnusableInput

LOG = "[rank2]: KeyError: 'image'\n[rank0]: BrokenPipeError: [Errno 32] Broken pipe\n"


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    words = [str(one) for one in arguments]
    return CliRunner().invoke(errors, words, input=stdin, catch_exceptions=False)


def shown(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.log"
    path.write_text(LOG, encoding="utf-8")
    return path


def test_the_json(log: Path) -> None:
    found = shown(log)
    first = found["first_error"]

    assert (first["file"], first["line"], first["text"]) == (str(log), 1, "KeyError: 'image'")
    assert (first["rank"], first["layer"], first["rule"]) == (2, "code", "missing-key")
    assert set(first["advice"]) == {"zh", "en"}
    assert found["second"] is None
    assert [one["rule"] for one in found["consequences"]] == ["peer-gone-pipe"]
    assert found["hidden_failure"] is False
    assert found["stage"] == "after_check"


def test_a_log_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("iteration 1/ 9 | lm loss: 2 |\n", encoding="utf-8")
    found = shown(path)

    assert found["first_error"] is None
    assert found["notes"]
    assert run(path, "--exit-code", "3").exit_code == 0


@pytest.mark.parametrize(
    ("lang", "words"), [("zh", "首个错误："), ("en", "First error: ")], ids=["zh", "en"]
)
def test_the_text_begins_with_the_line(log: Path, lang: str, words: str) -> None:
    result = run(log, "--lang", lang)

    assert result.stdout.startswith(f"{words}{log}:1\n    KeyError: 'image'\n")


def test_the_exit_code_can_tell(log: Path) -> None:
    assert run(log).exit_code == 0
    assert run(log, "--exit-code", "4").exit_code == 4


def test_a_success_with_an_error_is_a_hidden_failure(log: Path) -> None:
    assert shown(log, "--state", "succeeded")["hidden_failure"] is True
    assert shown(log, "--state", "failed")["hidden_failure"] is False
    found = shown(log, "--command", "python train.py | tee a.log")
    assert found["hidden_failure"] is True
    assert any("pipefail" in text["en"] for text in found["triage"]["findings"])


def test_several_files_and_standard_input(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.log"
    other.write_text("step 1 loss 2\n", encoding="utf-8")

    assert shown(other, log)["first_error"]["file"] == str(log)
    assert json.loads(run("-", "--json", stdin=LOG).stdout)["first_error"]["file"] == "-"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_packed_logs(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "a.log.packed"
    path.write_bytes(pack(LOG.encode()))

    assert shown(path)["first_error"]["line"] == 1


def test_rules_of_ones_own(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "mine.toml").write_text(
        'layer = "platform"\n[[rule]]\nid = "ours"\nwords = ["keyerror"]\n'
        "pattern = '''KeyError: 'image''''\n"
        'match = ["KeyError: \'image\'"]\nno_match = ["x"]\nsource = "us"\n'
        'advice = { zh = "问我们", en = "Ask us" }\n',
        encoding="utf-8",
    )
    first = shown(log, "--rules", folder)["first_error"]

    assert (first["rule"], first["layer"], first["advice"]["en"]) == ("ours", "platform", "Ask us")
    with pytest.raises(ConfigurationError, match="no folder"):
        run(log, "--rules", tmp_path / "nowhere")


@pytest.mark.parametrize("what", ["missing", "folder", "binary", "cut"])
def test_a_file_that_cannot_be_used(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.log"
    if what == "folder":
        path.mkdir()
    elif what == "binary":
        path.write_bytes(bytes(1000))
    elif what == "cut":
        path.write_bytes(gzip.compress(LOG.encode() * 100)[:40])

    with pytest.raises(UnusableInput, match=r"a\.log"):
        run(path)


def test_the_text_moves_no_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b]0;b\n.log"
    path.write_text("KeyError: 'x\x08\x9b2J\u202ey'\n", encoding="utf-8")

    text = run(path).stdout

    assert r"x\x08\x9b2J\u202ey" in text
    assert r"a\x1b]0;b\n.log:1" in text
    assert all(line.isprintable() for line in text.split("\n"))
