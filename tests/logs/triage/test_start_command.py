"""Which start commands hide a failure; bash itself is asked whether they do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from rankscope.logs.triage import hidden_failure_risks

BASH = shutil.which("bash")

HIDING = {
    "python train.py | tee train.log": "tee",
    "python train.py 2>&1 | tee -a train.log": "tee",
    "python train.py; echo done": "echo",
    "torchrun train.py\nsleep 3600": "sleep",
    "python train.py; cp -r out saved": "upload",
    "python train.py || true": "swallow",
    "trap 'exit 0' EXIT; python train.py": "trap",
    "nohup python train.py &": "background",
}
SOUND = [
    "python train.py",
    "set -o pipefail; python train.py | tee train.log",
    "set -euo pipefail\npython train.py | tee train.log",
    "set -e; python train.py; echo done",
    "python train.py && cp -r out saved",
    "rc=0; python train.py || rc=$?; [ $rc -ne 0 ] && sleep 0; exit $rc",
    "python train.py; rc=$?; echo done; exit $rc",
    "echo start; python train.py",
    "python train.py & wait $!",
    "cd /mnt/proj && torchrun --nproc_per_node 8 train.py",
]


@pytest.mark.parametrize(("command", "name"), HIDING.items())
def test_a_command_that_hides_a_failure(command: str, name: str) -> None:
    (risk,) = hidden_failure_risks(command)

    assert risk.name == name
    assert risk.text.zh
    assert risk.text.en


@pytest.mark.parametrize("command", SOUND)
def test_a_command_that_does_not(command: str) -> None:
    assert hidden_failure_risks(command) == ()


def status(command: str, folder: Path) -> int:
    for program in ("python", "torchrun"):
        path = folder / program
        path.write_text("#!/bin/sh\nexit 3\n")
        path.chmod(0o755)
    (folder / "sleep").write_text("#!/bin/sh\n")
    (folder / "sleep").chmod(0o755)
    (folder / "out").mkdir()
    return subprocess.run(
        [str(BASH), "-c", command.replace("cd /mnt/proj", "true")],
        cwd=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        check=False,
    ).returncode


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("command", HIDING)
def test_bash_ends_well_though_the_training_failed(command: str, tmp_path: Path) -> None:
    assert status(command, tmp_path) == 0


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("command", SOUND)
def test_bash_passes_the_failure_on(command: str, tmp_path: Path) -> None:
    assert status(command, tmp_path) == 3
