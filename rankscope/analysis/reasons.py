"""Why a rank is named, in sentences."""

from collections.abc import Iterator

from rankscope.analysis.findings import Accusation, Findings
from rankscope.analysis.inner import Inner, inner_of, inner_text, is_data_worker
from rankscope.analysis.positions import Position, ThreadPlace
from rankscope.analysis.ranges import listed
from rankscope.analysis.scene import Scene
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.views import RankView
from rankscope.analysis.words import doing, largest_group, seconds_text, site_of, somewhere, tell
from rankscope.model.text import Text

_MOST_SITES = 3
_BY_RAS = frozenset({"ras_behind", "ras_lost"})
_SIMPLE = frozenset({"stopped", "vanished", "silent_node"})


def reasons_for(
    accusation: Accusation, findings: Findings, scene: Scene, reader: StackReader
) -> tuple[Text, ...]:
    """Return the reasons, the weightiest first; there is always at least one."""
    found = [_main_reason(accusation, findings, scene)]
    if accusation.rank in findings.ras and findings.ras[accusation.rank] not in found:
        found.append(findings.ras[accusation.rank])
    if accusation.order:
        found.append(tell(f"analysis-reason-{accusation.order}"))
    if accusation.view:
        found += _details(accusation, accusation.view, reader)
    found += _waiting(findings)
    return tuple(found)


def _main_reason(accusation: Accusation, findings: Findings, scene: Scene) -> Text:
    cause, view = accusation.cause, accusation.view
    if cause in _BY_RAS:
        return findings.ras[accusation.rank]
    if cause in _SIMPLE:
        return tell(f"analysis-reason-{cause}")
    if view is None:
        expected = scene.expected or len(scene.views) + len(scene.missing)
        return tell("analysis-reason-missing", expected=expected)
    if cause == "gil":
        return _gil(accusation, view)
    if cause in {"waited_for", "working"}:
        return _stuck(accusation, view, scene)
    facts = {
        "where": somewhere(view.last),
        "error": _sentence(view.last.error),
        "majority": _majority(findings),
    }
    return tell(f"analysis-reason-{cause}", **facts)


def _majority(findings: Findings) -> str | Text:
    others = largest_group(findings.waiting)
    return somewhere(others[0].last) if others else ""


def _sentence(error: str) -> str | Text:
    """Return the first line of an error as a sentence."""
    lines = error.strip().splitlines()
    return f"{lines[0][:200].rstrip('. ')}. " if lines else tell("analysis-unknown-error")


def _stuck(accusation: Accusation, view: RankView, scene: Scene) -> Text:
    inner, span = inner_of(view, scene.reader), seconds_text(scene.seconds)
    if inner:
        return _held_up(view, inner, span)
    return _stayed(accusation, view, somewhere(view.last), span)


def _stayed(accusation: Accusation, view: RankView, where: Text, span: Text) -> Text:
    if not view.is_sampled_twice:
        return tell("analysis-reason-waited_for-once", where=where)
    how = "twice" if view.is_identical else "phase"
    if accusation.cause == "waited_for" and how == "twice":
        return tell("analysis-reason-waited_for-twice", where=where, seconds=span)
    return tell(f"analysis-reason-{accusation.cause}-{how}", where=where)


def _held_up(view: RankView, inner: Inner, span: Text) -> Text:
    """Say what in the rank holds its main thread up, and for how long it was seen to."""
    held = inner_text(inner)
    if not view.is_sampled_twice:
        return tell("analysis-reason-inner-once", inner=held)
    how = "twice" if view.is_identical else "phase"
    return tell(f"analysis-reason-inner-{how}", inner=held, seconds=span)


def _gil(accusation: Accusation, view: RankView) -> Text:
    place = gil_thread(accusation)
    name = _thread_name(place.name if place else "")
    how = "gil" if len(view.positions) > 1 else "gil-once"
    return tell(f"analysis-reason-{how}", thread=name, site=site_of(place.stack if place else None))


def _thread_name(name: str) -> str | Text:
    return f"“{name}”" if name else tell("analysis-unnamed-thread")


def gil_thread(accusation: Accusation) -> ThreadPlace | None:
    """Return the thread that keeps the global lock, where that is the reason."""
    if accusation.view is None or accusation.cause != "gil":
        return None
    return next((p.gil_holder for p in reversed(accusation.view.positions) if p.gil_holder), None)


def _details(accusation: Accusation, view: RankView, reader: StackReader) -> Iterator[Text]:
    last = view.last
    blocked = accusation.cause in {"waited_for", "working"}
    inner = inner_of(view, reader) if blocked else None
    if inner:
        yield tell("analysis-reason-main-thread", where=somewhere(last))
    elif _is_worth_telling(accusation, last):
        yield tell(f"analysis-kernel-{last.wait}")
    if blocked and last.family in {"data", "lock_queue"}:
        yield from _workers(view, last, reader)


def _is_worth_telling(accusation: Accusation, last: Position) -> bool:
    """Whether the kernel's wait is known and not in the main reason already."""
    if accusation.cause == "waited_for":
        return last.wait in {"lock", "poll", "stop"}
    return bool(last.wait) and accusation.cause in {"no_dump", "uninterruptible"}


def _workers(view: RankView, last: Position, reader: StackReader) -> Iterator[Text]:
    """Say how many data workers the rank has, or that they are gone."""
    count = sum(is_data_worker(member.process, reader) for member in view.helpers)
    if count:
        yield tell("analysis-reason-workers", count=count)
    elif last.op == "_try_get_data" and view.helpers == () and _waits_for_a_process(last):
        yield tell("analysis-reason-no-workers")


def _waits_for_a_process(position: Position) -> bool:
    frames = position.stack.frames if position.stack else ()
    return any("_MultiProcessing" in frame.name for frame in frames)


def _waiting(findings: Findings) -> Iterator[Text]:
    """Say who waits, for the two places where most do."""
    groups: dict[tuple[object, ...], list[RankView]] = {}
    for view in findings.waiting:
        groups.setdefault(view.last.site, []).append(view)
    for views in sorted(groups.values(), key=len, reverse=True)[:2]:
        ranks = listed(view.rank for view in views)
        yield tell(
            "analysis-reason-waiting", count=len(views), ranks=ranks, doing=doing(views[0].last)
        )
