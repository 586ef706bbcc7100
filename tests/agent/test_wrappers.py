import pytest

from agent.wrappers import program_of, wraps
from tests.agent.builders import proc

WORKER = ("python", "-c", "from multiprocessing.spawn import spawn_main", "--multiprocessing-fork")
TORCH = ("/opt/torch/lib/libtorch_cpu.so",)


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (("python", "-m", "some.launcher", "train.py"), ("python", "train.py")),
        (("python", "-m", "some.launcher", "train.py"), ("/opt/bin/python", "-u", "/a/train.py")),
        (("python", "/opt/bin/run", "-m", "pkg.train"), ("python", "-X", "dev", "-m", "pkg.train")),
        (("python", "run.py", "--", "python", "/a/train.py", "--lr=1"), ("python", "/a/train.py")),
    ],
)
def test_a_wrapper_names_what_it_runs(above: tuple[str, ...], below: tuple[str, ...]) -> None:
    assert wraps(proc(1, cmdline=above), proc(2, cmdline=below))


@pytest.mark.parametrize(
    "below",
    [
        ("python", "train.py", "--lr=1"),  # forked
        ("python", "tool.py"),
        ("python", "-c", "import x"),
        ("python", "-m", "tensorboard"),
        ("python",),
        WORKER,
    ],
)
def test_a_trainer_that_runs_something_wraps_nothing(below: tuple[str, ...]) -> None:
    trainer = proc(1, cmdline=("python", "train.py", "--lr=1"))
    assert not wraps(trainer, proc(2, cmdline=below))


def test_who_alone_has_torch_is_the_trainer() -> None:
    bare, loaded = proc(1, cmdline=("python", "a.py")), proc(2, cmdline=("python", "b.py"))
    trainer = proc(3, cmdline=("python", "c.py", "b.py"), libraries=TORCH)
    assert wraps(bare, proc(2, cmdline=("python", "b.py"), libraries=TORCH))
    assert not wraps(trainer, loaded)
    assert not wraps(bare, proc(2, cmdline=WORKER, libraries=TORCH))


def test_the_program_of_a_command_line() -> None:
    assert program_of(("python", "-W", "error", "-m", "a.b", "c")) == "a.b"
    assert program_of(("python", "-u", "/x/y.py")) == "y.py"
    assert program_of(("python", "-m")) == ""
    assert program_of(()) == ""
