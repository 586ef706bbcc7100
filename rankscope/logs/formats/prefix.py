"""What launchers and collectors put in front of a line: who printed it. Also colours.

Known: torchrun (`[default7]:`, `[rank3]:`, `[trainer0|0]:`), Ray (`(TaskRunner pid=4250)`), the
platform (`jo-1-worker-0 worker-0 | `), `srun -l` (`12: `), Open MPI (`[1,3]<stdout>:`),
`kubectl logs --prefix` (`[pod/a/b]`), and names with worker, master, rank, node or the like before
a colon, a bar or in brackets.
"""

import re

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_ROLE = r"[\w./-]*(?:worker|master|launcher|rank|node|pod|head|chief)[\w./-]*"
_BEFORE_BAR = rf"{_ROLE}(?= +{_ROLE} *\||\s*[|:])"
_WHO = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s+)?"
    r"(?P<who>\[default\d+\]|\[trainer\d*\|\d+\]|\[\d+,\d+\](?:<\w+>)?"
    rf"|\(\w[\w. ]*\bpid=\d+[^)]*\)|\[{_ROLE}\]|{_BEFORE_BAR}|\d{{1,5}}(?=: ))[:|\s]*",
    re.IGNORECASE,
)
DEEPEST = 3


def plain(line: str) -> str:
    """Return a line without colours and cursor movements."""
    return _ANSI.sub("", line) if "\x1b" in line else line


def who_printed(text: str) -> str:
    """Return who printed a line, the same for all its lines; empty when it does not say."""
    return " ".join(found["who"] for found in _prefixes(text))


def without_prefix(text: str) -> str:
    """Return a line without who printed it."""
    prefixes = _prefixes(text)
    return text[prefixes[-1].end() :] if prefixes else text


# What a prefix begins with, after blanks: a bracket that holds no date, a word, a short number.
_MAY_BEGIN = re.compile(
    r"\s*(?:\[(?!\d{4})|\(|\d{4}-|\d{1,5}: |[\w./-]{0,200}(?:worker|master|launcher|rank|node|pod"
    r"|head|chief))",
    re.IGNORECASE,
)


_NO_PREFIX = frozenset("{'\"<*#%|")


def _prefixes(text: str) -> list[re.Match[str]]:
    if text[:1] in _NO_PREFIX or _MAY_BEGIN.match(text) is None:
        return []
    found: list[re.Match[str]] = []
    for _ in range(DEEPEST):
        one = _WHO.match(text, found[-1].end() if found else 0)
        if one is None:
            break
        found.append(one)
    return found
