"""Start commands that hide a failure: the platform sees only how the last command ended.

The table of patterns was tried in bash: `false | tee f` ends with 0 and `set -o pipefail; false |
tee f` with 1; `python x; echo done` and `python x; sleep 3600` end with 0; saving `$?` and leaving
with it keeps the failure, and so does `set -e`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.model.text import Text
from rankscope.text import say

_PIPEFAIL = re.compile(r"set\s+(?:-\w*\s+)*-\w*o\s+pipefail|PIPESTATUS")
_ERREXIT = re.compile(r"(?:^|[;\n]|&&)\s*set\s+-\w*e|set -o errexit|\bbash -\w*e\w* ")
_SAVED = re.compile(r"\w+=\$\?|exit\s+\"?\$\{?\w+|\|\|\s*(?:exit|\w+=)|exit \$\?")
_TEE = re.compile(r"\|\s*(?:&\s*)?tee\b|\|&\s*tee\b")
_TRAIN = re.compile(
    r"\b(?:python[\d.]*|torchrun|deepspeed|accelerate|mpirun|mpiexec|srun|llamafactory-cli|swift|ray"
    r"|bash|sh)\b"
)
_TAIL = re.compile(r"^(?:echo|printf|sleep|true|:|tail -f)\b")
_UPLOAD = re.compile(
    r"^(?:aws|ossutil\w*|rclone|coscli|tosutil|obsutil|s3cmd|cp|mv|rsync|scp|hadoop)\b"
)
_SWALLOW = re.compile(r"\|\|\s*(?:true|:|echo|sleep)(?:\s|$)")
_TRAP = re.compile(r"trap\s+(['\"]).*?\bexit 0\b.*?\1\s+EXIT")
_BACKGROUND = re.compile(r"[^&>]&\s*(?:$|\n|;)|\bnohup\b.*&\s*$", re.MULTILINE)
_WAIT = re.compile(r"\bwait\b")


@dataclass(frozen=True, slots=True)
class Risk:
    """One way in which a start command may hide a failure."""

    name: str
    text: Text


def hidden_failure_risks(command: str) -> tuple[Risk, ...]:
    """Return the patterns of a start command that let a failed training end as a success."""
    return tuple(Risk(name, say(f"triage-command-{name}")) for name in _names(command))


def _names(command: str) -> Iterator[str]:
    kept = _SAVED.search(command) is not None
    if _TEE.search(command) and not _PIPEFAIL.search(command):
        yield "tee"
    if not kept and not _ERREXIT.search(command):
        yield from _after_training(command)
    if _SWALLOW.search(command) and not kept:
        yield "swallow"
    if _TRAP.search(command):
        yield "trap"
    if _BACKGROUND.search(command) and not _WAIT.search(command):
        yield "background"


def _after_training(command: str) -> Iterator[str]:
    """Yield what follows the training on commands that run whether or not it failed."""
    joined = command.replace("\\\n", " ")
    parts = [part.strip() for part in re.split(r";|\n", joined) if part.strip()]
    trained = False
    names: list[str] = []
    for part in parts:
        last = part.rpartition("&&")[2].strip()
        if trained and _TAIL.match(last):
            names.append("sleep" if last.startswith(("sleep", "tail")) else "echo")
        elif trained and _UPLOAD.match(last):
            names.append("upload")
        elif _TRAIN.search(part):
            trained, names = True, []
    yield from dict.fromkeys(names)
