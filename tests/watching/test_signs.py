import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankscope.watching.signs import Signs, Watched, newest

SPIN = "while True: pass"
SLEEP = "import time; time.sleep(600)"


def nvidia_smi(folder: Path, prints: str, code: int = 0) -> None:
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\nprintf '{prints}'\nexit {code}\n")
    path.chmod(0o755)


def test_nothing_to_look_at_is_unknown() -> None:
    signs = Watched((), (), gpus=False).look()

    assert signs == Signs()
    assert signs.metrics is None


def test_the_newest_checkpoint_counts_however_deep(tmp_path: Path) -> None:
    deep = tmp_path / "iter_10" / "mp_rank_00"
    deep.mkdir(parents=True)
    for path, time in ((tmp_path / "latest.txt", 100), (deep / "model.pt", 200)):
        path.touch()
        os.utime(path, (time, time))

    assert newest((tmp_path, tmp_path / "none")) == 200
    assert newest((tmp_path / "none",)) is None


@pytest.mark.parametrize(
    ("prints", "code", "percent", "used"),
    [("0\\n87\\n", 0, 87, True), ("0\\n3\\n", 0, 3, False), ("[N/A]\\n", 0, None, None),
     ("50\\n", 9, None, None)],
)  # fmt: skip
def test_the_busiest_gpu_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prints: str, code: int, percent: int | None,
    used: bool | None,
) -> None:  # fmt: skip
    nvidia_smi(tmp_path, prints, code)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    signs = Watched((), (), gpus=True).look()

    assert (signs.gpu_percent, signs.metrics) == (percent, used)


@pytest.mark.integration
def test_the_cpu_time_of_a_job_is_that_of_its_processes() -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPIN!r}])"
    commands = [[sys.executable, "-c", code] for code in (child, SLEEP)]
    busy, idle = (subprocess.Popen(one, start_new_session=True) for one in commands)
    try:
        of_busy, of_idle = (Watched((), (one.pid,), gpus=False) for one in (busy, idle))
        while not (of_busy.look().cores or 0) > 0.05:
            pass
        while of_idle.look().metrics:
            pass
        assert not of_busy.is_gone()
    finally:
        os.killpg(busy.pid, 9)
        idle.kill()
        busy.wait()
        idle.wait()
    assert of_busy.is_gone()


def test_a_process_that_was_never_there_is_gone() -> None:
    assert Watched((), (2**22 + 1,), gpus=False).is_gone()
    assert not Watched((), (os.getpid(),), gpus=False).is_gone()
