"""Open logs without waiting for anybody: only regular files, also behind links."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading, unbuffered; raises OSError, also when it is no regular file.

    Opening a pipe would wait for its writer, and a device may never end.
    """
    _check(path.stat())  # Before it is opened, since that alone may act on a device or a pipe.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    stream: BinaryIO = os.fdopen(number, "rb", buffering=0)
    try:
        _check(os.fstat(stream.fileno()))
    except OSError:
        stream.close()
        raise
    return stream


def _check(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
