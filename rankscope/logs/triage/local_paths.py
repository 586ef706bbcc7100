"""Output paths on a worker's own disk, which is gone when the job ends."""

import re
from collections.abc import Iterable

from rankscope.model.text import Text
from rankscope.text import say

MOST_SHOWN = 5
LOCAL = ("/tmp", "/root", "/workspace")  # noqa: S108 - looked for, not written to.
_OPTION = re.compile(
    r"(?i)(?:--?|\b)(?P<name>[\w.-]*(?:output|out_dir|save|ckpt|checkpoint|log_?dir|logging_dir"
    r"|tensorboard|result|export)[\w.-]*)[= ]['\"]?(?P<path>/[^\s'\"|;&]+)"
)
_TEE = re.compile(r"\btee (?:-a )?['\"]?(?P<path>/[^\s'\"|;&]+)")
_RUN_ID = re.compile(
    r"(?i)\$\{?\w*(?:run|job|task)_?(?:id|name)|\$\(date|\d{8}|\d{4}-\d\d-\d\d|\$RANDOM"
)


def is_local(path: str) -> bool:
    """Whether a path is on a worker's own disk, as far as its name tells."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in LOCAL)


def output_paths(command: str) -> tuple[str, ...]:
    """Return the paths a start command writes results to."""
    found = [match["path"] for match in _OPTION.finditer(command)]
    found += [match["path"] for match in _TEE.finditer(command)]
    return tuple(dict.fromkeys(found))


def check_output_paths(
    command: str = "", output_path: str = "", logged: Iterable[str] = ()
) -> tuple[Text, ...]:
    """Return what is wrong with where the job writes: the disk of a worker, or no name of its own.

    logged are output paths that the log mentions.
    """
    paths = [*output_paths(command), *([output_path] if output_path else []), *logged]
    local = [path for path in dict.fromkeys(paths) if is_local(path)]
    found: list[Text] = []
    if local:
        found.append(say("triage-path-local", paths=", ".join(local[:MOST_SHOWN])))
    shared = [path for path in output_paths(command) if not is_local(path)]
    if shared and not _RUN_ID.search(command):
        found.append(say("triage-path-no-run-id", path=shared[0]))
    return tuple(found)
