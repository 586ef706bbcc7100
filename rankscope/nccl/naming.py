"""How communicators, ranks and processes are called in sentences, in both languages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from rankscope.model.text import Language, Text
from rankscope.nccl.model import Communicator, JobProcess, RasAnswer, RasProcess
from rankscope.nccl.places import Places
from rankscope.text import say

LANGUAGES: tuple[Language, Language] = ("zh", "en")
FULLY_NAMED = 4
"""So many ranks are named with node, pid and GPU; of more only the numbers are given."""


def spans(numbers: Iterable[int]) -> str:
    """Compress numbers, as in `0-3,7`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def joined(texts: Sequence[Text], separator: str = "nccl-and") -> Text:
    """Join names or sentences with the separator of each language."""
    between = say(separator)
    return Text(between.zh.join(t.zh for t in texts), between.en.join(t.en for t in texts))


def sentences(texts: Iterable[Text]) -> Text:
    """Put sentences one after another; English ones need a space between them."""
    shown = list(texts)
    return Text("".join(text.zh for text in shown), " ".join(text.en for text in shown))


def say_both(message_id: str, **facts: object) -> Text:
    """Say a sentence some of whose facts are in both languages themselves."""
    zh, en = (
        {name: f.of(language) if isinstance(f, Text) else f for name, f in facts.items()}
        for language in LANGUAGES
    )
    # A full-width bracket brings its own space.
    return Text(say(message_id, **zh).zh.replace("） ", "）"), say(message_id, **en).en)


def communicator(comm: Communicator) -> Text:
    """Name a communicator by its size and hash, or by its size alone."""
    if comm.hash:
        return say("nccl-comm", hash=comm.hash, size=comm.size)
    return say("nccl-comms", count=comm.alike, size=comm.size)


def where(process: RasProcess | None, node: str | None) -> str:
    """Say where a process runs, the same in both languages; empty when unknown."""
    if process is None:
        return node or ""
    gpu = "" if process.gpu is None else f", GPU {process.gpu}"
    host = f"{node} {process.host}" if node else process.host
    return f"{host}, pid {process.pid}{gpu}"


def ranks(comm: Communicator, numbers: Sequence[int], places: Places) -> Text:
    """Name ranks of a communicator, few of them with their place."""
    if len(numbers) > FULLY_NAMED:
        own = [places.of(comm, number).rank for number in numbers]
        known = [number for number in own if number is not None]
        if len(known) == len(numbers):
            return say("nccl-ranks", ranks=spans(known))
        return say("nccl-ranks-local", ranks=spans(numbers))
    return joined([rank(comm, number, places) for number in numbers])


def rank(comm: Communicator, number: int, places: Places) -> Text:
    """Name one rank by its global number where that is known."""
    place = places.of(comm, number)
    at = where(place.process, place.node)
    name = "nccl-rank" if place.rank is not None else "nccl-rank-local"
    shown = number if place.rank is None else place.rank
    return say(f"{name}-at", rank=shown, where=at) if at else say(name, rank=shown)


def processes(found: Sequence[JobProcess], answer: RasAnswer, places: Places) -> Text:
    """Name processes by the global ranks they hold where those are known."""
    ranks_of: dict[tuple[str, int], set[int]] = defaultdict(set)
    for comm in answer.communicators:
        for lost in comm.missing:
            number = places.of(comm, lost.rank).rank
            if lost.process and number is not None:
                ranks_of[lost.process.host, lost.process.pid].add(number)
    named = [_process(p, ranks_of[p.host, p.pid], places) for p in found[:FULLY_NAMED]]
    more = len(found) - FULLY_NAMED
    shown = joined(named, "nccl-semicolon")
    return say_both("nccl-processes-more", who=shown, count=more) if more > 0 else shown


def _process(process: JobProcess, numbers: Collection[int], places: Places) -> Text:
    gpus = f", GPU {spans(process.gpus)}" if process.gpus else ""
    at = where(RasProcess(process.host, process.pid), places.nodes.get(process.host)) + gpus
    return say("nccl-rank-at", rank=spans(numbers), where=at) if numbers else Text(at, at)
