"""Other spellings of py-spy's text, respelt as `py-spy dump` writes it; pure.

Folded lines are what `py-spy record -f raw` and flame graphs use: frames from the outermost to the
innermost one, joined by semicolons, then how often they were seen. One-line dumps come from log
collectors, which drop line breaks or write them as escapes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

_FOLDED = re.compile(r"^(?P<frames>[^;\n]+(?:;[^;\n]*)+) (?P<count>\d{1,12})$")
_FRAME_LIKE = re.compile(r"[\w>] \([^()\s]{1,1000}\)(?:;|$)")
_PROCESS = re.compile(r"^process (?P<pid>\d{1,10}):\"?(?P<command>.*?)\"?$")
_THREAD = re.compile(r"^thread \((?P<id>0x[0-9A-Fa-f]{1,16}|\d{1,20})\)(?:: (?P<name>.*))?$")
_TOKEN = re.compile(
    r"(?P<head>Process \d{1,10}: |Python v\d|"
    r"Thread (?:0x[0-9A-Fa-f]{1,16}|\d{1,20}) \((?:active|idle)(?:\+gil)?\)(?:: \"[^\"]*\")?)"
    r"|(?P<frame>\S{1,500} \([^()\s]{1,1000}:\d{1,9}\))"
)
_Place = tuple[str, str]
"""The process's and the thread's frame, both empty where the lines have none."""


def respelt(text: str) -> str:
    """Return the text of a dump in py-spy's own spelling; empty when it is in no known one."""
    lines = [line for line in text.splitlines() if line.strip()]
    folded = [match for line in lines if (match := _FOLDED.match(line))]
    known = [match for match in folded if _FRAME_LIKE.search(match["frames"])]
    if known and 2 * len(folded) > len(lines):
        return "\n".join(_of_folded(folded))
    unescaped = text.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
    return "".join(_of_one_line(unescaped))


def _of_one_line(text: str) -> Iterator[str]:
    """Begin a line at every process, thread and frame."""
    end = 0
    for token in _TOKEN.finditer(text):
        yield text[end : token.start()].rstrip() + "\n" + ("    " if token["frame"] else "")
        yield token[0]
        end = token.end()
    yield text[end:]


def _of_folded(folded: list[re.Match[str]]) -> Iterator[str]:
    """Write every thread once, at the place where it was seen most often."""
    best: dict[_Place, dict[str, tuple[int, list[str]]]] = defaultdict(dict)
    for match in folded:
        place, frames = _split(match["frames"].split(";"))
        # Lines that name no thread are told apart by where their stacks begin.
        key, count = "" if place[1] else frames[0], int(match["count"])
        if count > best[place].get(key, (0, []))[0]:
            best[place][key] = (count, frames)
    last = None
    for (process, thread), stacks in best.items():
        if process != last:
            last = process
            yield from _head(process)
        for _, frames in stacks.values():
            yield from _thread(thread, frames)


def _split(frames: list[str]) -> tuple[_Place, list[str]]:
    """Take the frames that name process and thread off a stack, outermost first."""
    process = thread = ""
    while len(frames) > 1 and (_PROCESS.match(frames[0]) or _THREAD.match(frames[0])):
        name, *frames = frames
        process, thread = (name, thread) if _PROCESS.match(name) else (process, name)
    return (process, thread), frames


def _head(process: str) -> Iterator[str]:
    found = _PROCESS.match(process)
    if found:
        yield f"Process {found['pid']}: {found['command']}"


def _thread(thread: str, frames: list[str]) -> Iterator[str]:
    found = _THREAD.match(thread)
    name = f': "{found["name"]}"' if found and found["name"] else ""
    yield f"Thread {found['id'] if found else '0x0'} (idle){name}"
    for frame in reversed(frames):
        yield f"    {frame}" if frame.endswith(")") else f"    {frame} ()"
