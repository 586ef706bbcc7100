import subprocess
import sys

import pytest
from click.testing import CliRunner

from rankscope import __version__, cli
from rankscope.errors import UnusableInput


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(cli.rankscope, ["--help"])

    assert result.exit_code == 0
    for command in ("agent", "analyze", "bot", "compare", "demo", "emulator", "watch", "worker"):
        assert command in result.output


@pytest.mark.parametrize("command", ["agent", "analyze", "bot", "compare", "demo", "watch"])
def test_every_command_explains_itself(command: str) -> None:
    result = CliRunner().invoke(cli.rankscope, [command, "--help"])

    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_version() -> None:
    result = CliRunner().invoke(cli.rankscope, ["--version"])

    assert __version__ in result.output


def test_an_error_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_options: object) -> None:
        raise UnusableInput("The file is empty.", "Give a capture file.")

    monkeypatch.setattr(cli, "rankscope", fail)

    with pytest.raises(SystemExit) as stopped:
        cli.main()

    assert stopped.value.code == 2
    assert capsys.readouterr().err == "rankscope: The file is empty. Give a capture file.\n"


def test_the_core_starts_without_the_extras() -> None:
    heavy = "{'redis', 'rq', 'fastapi', 'lark_oapi', 'obstore'}"
    code = f"import sys, rankscope.cli; sys.exit(bool({heavy} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
