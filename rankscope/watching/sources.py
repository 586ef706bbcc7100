"""Which files are a job's logs: paths, patterns and folders; new ones are found as they appear."""

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_LOGS = 2000
_SUFFIXES = frozenset({".log", ".out", ".err", ".txt", ".jsonl"})
_NAMES = frozenset({"stdout", "stderr", "log"})
_PACKED = frozenset({".gz", ".zst", ".xz", ".bz2", ".zip"})


@dataclass(frozen=True, slots=True)
class Source:
    """A log and the name of who writes it, which is that of its file in the folder."""

    path: Path
    worker: str


class Sources:
    """What was named on the command line."""

    def __init__(self, named: tuple[str, ...]) -> None:
        self._named = named

    def find(self) -> Iterator[Source]:
        """Yield the logs there are now; a path that was named as such also before it is there."""
        seen: set[Path] = set()
        for name in self._named:
            for source in _found(name):
                path = Path(os.path.abspath(source.path))  # noqa: PTH100 - links stay links.
                if path not in seen and len(seen) < MOST_LOGS:
                    seen.add(path)
                    yield Source(path, source.worker)


def _found(name: str) -> Iterator[Source]:
    path = Path(name)
    if path.is_dir():
        for folder, _, files in sorted(os.walk(path)):
            for file in sorted(files):
                one = Path(folder) / file
                if one.suffix in _SUFFIXES or one.name in _NAMES:
                    yield Source(one, str(one.relative_to(path).with_suffix("")))
    elif glob.has_magic(name) and not path.exists():
        for found in sorted(glob.glob(name, recursive=True)):  # noqa: PTH207 - `**` and `~` too.
            one = Path(found)
            if one.is_file() and one.suffix not in _PACKED:
                yield Source(one, one.stem)
    else:
        yield Source(path, path.stem)
