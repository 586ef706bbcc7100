import pytest

from rankscope.analysis.names import Kind, bare, call_site, kind_of, location, package_path, tail
from rankscope.model.capture import Frame


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Queue.get", "get"),
        ("get", "get"),
        ("_exception_logger.<locals>.wrapper", "wrapper"),
        ("Fetcher.fetch.<locals>.<listcomp>", "<listcomp>"),
        ("<module>", "<module>"),
        ("c10d::Reducer::finalize_backward", "c10d::Reducer::finalize_backward"),
        ("0x7f25.1", "0x7f25.1"),
        ("", ""),
    ],
)
def test_bare_names_agree_over_python_versions(name: str, expected: str) -> None:
    assert bare(name) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/opt/conda/lib/python3.10/site-packages/torch/nn/x.py", "torch/nn/x.py"),
        ("/usr/lib/python3/dist-packages/numpy/core.py", "numpy/core.py"),
        ("/usr/local/lib/python3.11/threading.py", "threading.py"),
        ("/proc/1234/root/mnt/project/train.py", "/mnt/project/train.py"),
        ("/var/lib/docker/overlay2/ab12/merged/app/train.py", "/app/train.py"),
        ("<frozen importlib._bootstrap>", "importlib/_bootstrap.py"),
        ("/mnt/project/train.py", "/mnt/project/train.py"),
    ],
)
def test_package_paths_lose_the_images_prefix(path: str, expected: str) -> None:
    assert package_path(path) == expected


@pytest.mark.parametrize(
    ("path", "short", "kind"),
    [
        ("/mnt/project/train.py", "train.py", Kind.USER),
        ("/mnt/project/queue.py", "queue.py", Kind.USER),
        ("train.py", None, Kind.USER),
        ("/opt/v/lib/python3.11/site-packages/megatron/core/x.py", None, Kind.FRAMEWORK),
        ("/opt/v/lib/python3.11/site-packages/deepspeed/x.py", None, Kind.FRAMEWORK),
        ("/opt/v/lib/python3.11/site-packages/torch/x.py", None, Kind.TORCH),
        ("/w/torch/cuda/x.py", "torch/cuda/x.py", Kind.TORCH),
        ("/opt/v/lib/python3.11/site-packages/requests/x.py", None, Kind.LIBRARY),
        ("/usr/lib/python3.11/queue.py", None, Kind.PYTHON),
        ("threading.py", None, Kind.PYTHON),
        ("<frozen runpy>", None, Kind.PYTHON),
        ("/usr/lib/libnccl.so.2", None, Kind.NATIVE),
        (".../Modules/_multiprocessing/semaphore.c", None, Kind.NATIVE),
        ("", None, Kind.NATIVE),
    ],
)
def test_whose_code_a_file_is(path: str, short: str | None, kind: Kind) -> None:
    assert kind_of(path, short) is kind


def test_long_native_paths_are_cut_and_others_are_not() -> None:
    assert (
        location(Frame("f", "/b/py/Modules/_mp/semaphore.c", 352))
        == ".../Modules/_mp/semaphore.c:352"
    )
    assert location(Frame("f", "/mnt/a/b/c/d/train.py", 7)) == "/mnt/a/b/c/d/train.py:7"
    assert location(Frame("f", "libcuda.so", 0)) == "libcuda.so"


def test_a_call_site_is_short() -> None:
    assert call_site(Frame("T.fit", "/mnt/a/b/c/train.py", 7)) == "T.fit (c/train.py:7)"
    assert call_site(Frame("T.fit", "/mnt/a/train.py", 7, "train.py")) == "T.fit (a/train.py:7)"
    assert call_site(Frame("f", "", 0)) == "f"
    assert tail("/proc/1/root/data/x/y/z.py") == tail("/mnt/x/y/z.py")
