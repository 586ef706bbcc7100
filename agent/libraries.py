"""Which of the libraries that tell versions a process has mapped."""

import re

_TELLING = re.compile(
    r"/(?:libtorch\w*|libnccl|libcudart(?:-\w+)?)\.so[\w.]*(?: \(deleted\))?$", re.MULTILINE
)


def telling_libraries(maps: str) -> tuple[str, ...]:
    """Return the paths of torch, NCCL and the CUDA runtime in /proc/PID/maps, sorted.

    Paths are the process's own, to be read below /proc/PID/root.
    """
    lines = (line for line in maps.splitlines() if _TELLING.search(line))
    return tuple(sorted({line.split(None, 5)[5] for line in lines}))


def has_torch(libraries: tuple[str, ...]) -> bool:
    """Whether torch is among them."""
    return any("/libtorch" in path for path in libraries)
