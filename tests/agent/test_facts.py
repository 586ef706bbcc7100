"""Versions are read from files laid out as torch's wheels lay them out."""

import os
import threading
from pathlib import Path

import pytest

from agent import facts as facts_module
from agent.facts import FactFinder, Facts, read_facts
from tests.agent.builders import proc

VERSION_PY = """\
from typing import Optional

__all__ = ['__version__', 'debug', 'cuda']
__version__ = '2.7.1+cu126'
debug = False
cuda: Optional[str] = '12.6'
"""
NCCL = b"\0NCCL version 2.26.2+cuda12.2\0"
ME = os.getpid()


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    (tmp_path / "torch/lib").mkdir(parents=True)
    return tmp_path


def torch_of(packages: Path) -> str:
    return str(packages / "torch/lib/libtorch_cpu.so")


def test_torch_tells_its_version_and_cuda(packages: Path) -> None:
    (packages / "torch/version.py").write_text(VERSION_PY)
    assert read_facts(ME, (torch_of(packages),)) == Facts("2.7.1+cu126", "12.6")


def test_a_build_without_cuda(packages: Path) -> None:
    text = VERSION_PY.replace("'12.6'", "None").replace("+cu126", "+cpu")
    (packages / "torch/version.py").write_text(text)
    assert read_facts(ME, (torch_of(packages),)) == Facts("2.7.1+cpu")


def test_without_version_py_the_installed_name_serves(packages: Path) -> None:
    (packages / "torch-2.4.0.dist-info").mkdir()
    assert read_facts(ME, (torch_of(packages),)) == Facts("2.4.0")


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("libcudart.so.12", "12"),
        ("libcudart.so.12.4.127", "12.4.127"),
        ("libcudart-d0da41ae.so.11.0", "11.0"),
    ],
)
def test_the_cuda_runtime_is_told_by_its_name(name: str, version: str) -> None:
    assert read_facts(ME, (f"/opt/lib/{name}",)).cuda == version


def test_files_that_are_no_files_tell_nothing(packages: Path) -> None:
    os.mkfifo(packages / "torch/version.py")
    assert read_facts(ME, (torch_of(packages), "/gone/torch/lib/libtorch.so")) == Facts()
    assert read_facts(ME, ()) == Facts()


def finder_waits_for(finder: FactFinder, *pids: int) -> list[Facts]:
    procs = [proc(pid, libraries=("/opt/torch/lib/libtorch.so",)) for pid in pids]
    finder.want(procs)
    finder.wait(procs, 5)
    return [finder.of(each) for each in procs]


def test_what_is_known_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def reader(pid: int, _: tuple[str, ...]) -> Facts:
        read.append(pid)
        return Facts(str(pid))

    monkeypatch.setattr(facts_module, "read_facts", reader)
    finder = FactFinder()
    for _ in range(3):
        assert finder_waits_for(finder, 1, 2) == [Facts("1"), Facts("2")]
    assert read == [1, 2]
    # What is no longer wanted is forgotten.
    finder_waits_for(finder, 2)
    assert finder.of(proc(1, libraries=("/opt/torch/lib/libtorch.so",))) == Facts()


def test_a_disk_that_hangs_costs_only_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def reader(pid: int, _: tuple[str, ...]) -> Facts:
        if pid == 1:
            gate.wait()
        return Facts(str(pid))

    monkeypatch.setattr(facts_module, "read_facts", reader)
    monkeypatch.setattr(facts_module, "PATIENCE_S", -1.0)
    finder = FactFinder()
    hung, other = (proc(pid, libraries=("/opt/torch/lib/libtorch.so",)) for pid in (1, 2))
    finder.want([hung, other])
    finder.wait([hung, other], 0.05)
    assert finder.of(hung) == Facts()
    assert finder_waits_for(finder, 1, 2) == [Facts(), Facts("2")]
    gate.set()
    assert finder_waits_for(finder, 1, 2) == [Facts(), Facts("2")]
