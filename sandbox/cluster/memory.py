"""The memory of a GPU in miniature: counted, not used, and refused in PyTorch's words."""

GIB = 1024**3
TOTAL = int(79.11 * GIB)
RESIDENT = 56 * GIB
"""Parameters, gradients and optimizer states."""


class OutOfMemoryError(RuntimeError):
    """More memory was asked for than the device has left."""


def allocate(size: int) -> None:
    """Ask for bytes that are given back at once; raises OutOfMemoryError when they are too many."""
    free = TOTAL - RESIDENT
    if size > free:
        raise OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {size / GIB:.2f} GiB. GPU 0 has a total"
            f" capacity of {TOTAL / GIB:.2f} GiB of which {free / GIB:.2f} GiB is free."
        )
