"""Which of the libraries that tell versions a process has mapped."""

import re

_HINTS = ("/libtorch", "/libnccl", "/libcudart")
_TELLING = re.compile(
    r"/(?:libtorch\w*|libnccl|libcudart(?:-\w+)?)\.so[\w.]*(?: \(deleted\))?$", re.ASCII
)


def telling_libraries(maps: str) -> tuple[str, ...]:
    """Return the paths of torch, NCCL and the CUDA runtime in /proc/PID/maps, sorted.

    Paths are the process's own, to be read below /proc/PID/root.
    """
    # Most lines are of no interest, and a job's processes have hundreds each.
    lines = {line for hint in _HINTS if hint in maps for line in maps.splitlines() if hint in line}
    return tuple(sorted({line.split(None, 5)[5] for line in lines if _TELLING.search(line)}))


def has_torch(libraries: tuple[str, ...]) -> bool:
    """Whether torch is among them."""
    return any("/libtorch" in path for path in libraries)
