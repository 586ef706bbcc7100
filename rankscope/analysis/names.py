"""Names of functions and files, made comparable over Python versions, images and nodes."""

import re
import sys
from enum import StrEnum
from functools import lru_cache

from rankscope.model.capture import Frame

_INSTALLED = re.compile(r"^.*/(?:site|dist)-packages/")
_STDLIB = re.compile(r"^.*/lib(?:64)?/(?:python|pypy)\d+(?:\.\d+)*/")
_CONTAINER = re.compile(
    r"^/proc/\d+/root(?=/)"
    r"|^/(?:var/lib|run|data)/(?:docker|containerd|containers|crio)/.*?/(?:merged|rootfs|diff|fs)(?=/)"
)
_FROZEN = re.compile(r"^<frozen ([\w.]+)>$")
_NATIVE = re.compile(r"\.(?:so(?:\.[\d.]+)?|c|cc|cpp|cxx|h|hpp|cu|cuh|rs|pyx)$")
_LOCALS = re.compile(r"^(?:.*\.)?(<\w+>|[^.<>]+)$")
_TAIL = 3
_SPOKEN = 2

# Packages of the standard library that nobody names a folder of his own project after.
_STDLIB_PACKAGES = frozenset(
    {"asyncio", "concurrent", "ctypes", "http", "importlib", "json", "multiprocessing", "re"}
    | {"unittest", "urllib"}
)
# Installed packages that hold the training loop itself; their frames count as the user's code.
_FRAMEWORKS = frozenset(
    {"accelerate", "axolotl", "composer", "deepspeed", "detectron2", "fairseq", "fairseq2"}
    | {"lightning", "llamafactory", "maxtext", "megatron", "mmengine", "nemo", "peft"}
    | {"pytorch_lightning", "ray", "sglang", "swift", "torchtitan", "torchtune", "transformers"}
    | {"trl", "verl", "vllm"}
)


class Kind(StrEnum):
    """Whose code a frame is; user and framework frames tell where a rank is in its program."""

    USER = "user"
    FRAMEWORK = "framework"
    LIBRARY = "library"
    TORCH = "torch"
    PYTHON = "python"
    NATIVE = "native"

    @property
    def is_program(self) -> bool:
        """Whether the frame is in the training program rather than in a library below it."""
        return self in {Kind.USER, Kind.FRAMEWORK}


@lru_cache(maxsize=65536)
def bare(name: str) -> str:
    """Return a function's name without its class, so that 3.10 and 3.11 agree.

    Python 3.11 reports `Queue.get` and `fetch.<locals>.<listcomp>`, 3.10 `get` and `<listcomp>`.
    """
    if "::" in name or name.startswith("0x"):
        return name
    found = _LOCALS.match(name)
    return found[1] if found else name


@lru_cache(maxsize=65536)
def package_path(filename: str) -> str:
    """Return a path without the image's prefix: what follows site-packages or lib/python3.x."""
    path = _CONTAINER.sub("", filename.replace("\\", "/"))
    frozen = _FROZEN.match(path)
    if frozen:
        return frozen[1].replace(".", "/") + ".py"
    for prefix in (_INSTALLED, _STDLIB):
        shorter = prefix.sub("", path)
        if shorter != path:
            return shorter
    return path


@lru_cache(maxsize=65536)
def tail(filename: str) -> str:
    """Return the last parts of a path, which are the same on nodes that mount it elsewhere."""
    return "/".join(package_path(filename).strip("/").split("/")[-_TAIL:])


@lru_cache(maxsize=65536)
def kind_of(filename: str, short: str | None) -> Kind:
    """Return whose code a file is, from its path alone."""
    path = package_path(filename)
    if _NATIVE.search(path) or filename in {"", "?"}:
        return Kind.NATIVE
    if filename.startswith("<frozen "):
        return Kind.PYTHON
    installed = bool(_INSTALLED.match(filename))
    if not installed and _STDLIB.match(filename):
        return Kind.PYTHON
    relative = path if installed or not path.startswith("/") else (short or "")
    return _kind_of_relative(relative, installed=installed, exact=relative == path)


def _kind_of_relative(path: str, *, installed: bool, exact: bool) -> Kind:
    top, _, rest = path.partition("/")
    top = top.removesuffix(".py")
    if top == "torch" and rest:
        return Kind.TORCH
    if top in _FRAMEWORKS:
        return Kind.FRAMEWORK
    if installed:
        return Kind.LIBRARY
    if (rest and top in _STDLIB_PACKAGES) or (exact and not rest and _is_stdlib_module(top)):
        return Kind.PYTHON
    return Kind.USER


def _is_stdlib_module(name: str) -> bool:
    return name in sys.stdlib_module_names


def frame_kind(frame: Frame) -> Kind:
    """Return whose code a frame is."""
    return kind_of(frame.filename, frame.short_filename)


def location(frame: Frame) -> str:
    """Return `path:line` with the full path; line 0 is unknown and left out.

    Paths of the sources of native code are cut to `.../` and three parts, as the platform does.
    """
    path = frame.filename
    parts = path.strip("/").split("/")
    if _NATIVE.search(path) and ".so" not in path and len(parts) > _TAIL and "..." not in path:
        path = ".../" + "/".join(parts[-_TAIL:])
    return f"{path}:{frame.line}" if frame.line > 0 else path


def call_site(frame: Frame) -> str:
    """Return `name (file:line)` as people read it in one line.

    The program's files are shown by their last two parts, those of libraries by three.
    """
    parts = tail(frame.filename).split("/")
    path = "/".join(parts[-_SPOKEN:] if frame_kind(frame) is Kind.USER else parts)
    where = f"{path}:{frame.line}" if frame.line > 0 else path
    return f"{frame.name} ({where})" if where else frame.name
