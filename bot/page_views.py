"""What each view of the report page shows, gathered for its template; pure."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.page_query import PageQuery
from bot.page_stacks import (
    MOST_PLACES,
    Place,
    matches,
    parse_filter,
    places,
    sample_numbers,
    side_by_side,
    stacks,
    workers_of,
)
from rankscope.analysis import report_text
from rankscope.cards.ranks import control_of, holds, place_of
from rankscope.model.capture import Capture
from rankscope.model.report import Group, Report
from rankscope.model.state import CaptureRecord, Job

MOST_SUSPECTS = 20
MOST_GROUPS = 40
MOST_MISSING = 64
MOST_TEXT = 1_000_000  # Characters; some hundred thousand ranks give more than a phone takes.
MOST_RAW = 200_000  # Characters of one raw answer; a large job's JSON has tens of megabytes.


@dataclass(frozen=True, slots=True)
class Loaded:
    """A finished capture: its report, and a way to its stacks, which are large."""

    record: CaptureRecord
    job: Job | None
    report: Report
    read_capture: Callable[[], Capture]


def report_view(loaded: Loaded, query: PageQuery) -> dict[str, Any]:
    """Return what the Report view shows: the findings, then the report as text for copying."""
    report = loaded.report
    suspects = report.suspects[:MOST_SUSPECTS]
    text = report_text(report, query.lang)
    return {
        "suspects": [(suspect, place_of(report, suspect)) for suspect in suspects],
        "control": control_of(report) if suspects else None,
        "groups": _groups(report)[:MOST_GROUPS],
        "missing": report.missing[:MOST_MISSING],
        "report_text": text[:MOST_TEXT],
        "text_left_out": max(0, len(text) - MOST_TEXT),
    }


def _groups(report: Report) -> list[tuple[Group, bool]]:
    """Return the groups, those of suspects first: what few ranks do tells more."""
    suspected = [suspect.rank for suspect in report.suspects[:MOST_SUSPECTS]]
    marked = [(g, any(holds(g.ranks, rank) for rank in suspected)) for g in report.groups]
    return sorted(marked, key=lambda item: not item[1])


def stacks_view(loaded: Loaded, query: PageQuery) -> dict[str, Any]:
    """Return what the Stacks view shows: suspect and control rank, then the places asked for."""
    capture = loaded.read_capture()
    numbers = sample_numbers(capture)
    sample = query.sample if query.sample in numbers else max(numbers, default=0)
    wanted = parse_filter(query.node, query.rank)
    every = places(capture, sample)
    shown = [place for place in every if matches(place, wanted)]
    return {
        "samples": numbers,
        "sample": sample,
        "workers": workers_of(capture),
        "suspected": {suspect.rank for suspect in loaded.report.suspects},
        "pair": _pair(loaded.report, every, wanted.rank),
        "places": shown[:MOST_PLACES],
        "left_out": max(0, len(shown) - MOST_PLACES),
        "is_narrow": wanted.is_narrow,
        "not_understood": bool(query.rank.strip()) and wanted == parse_filter(query.node, ""),
        "silent": [s for s in capture.samples if s.sample == sample and s.error],
        "stacks": partial(stacks, known={}),
    }


def _pair(report: Report, every: list[Place], asked: int | None) -> dict[str, Any] | None:
    """Return the asked or most suspect rank beside a control rank: never look at one alone."""
    control = control_of(report)
    suspected = [suspect.rank for suspect in report.suspects]
    one = asked if asked is not None else next(iter(suspected), None)
    by_rank = {place.rank: place for place in every if place.trainer}
    if control is None or one is None or one == control.rank:
        return None
    left, right = by_rank.get(one), by_rank.get(control.rank)
    if not (left and right and left.trainer and right.trainer):
        return None
    mains = side_by_side(left.trainer, right.trainer)
    is_suspect = one in suspected
    return mains and {"places": (left, right), "stacks": mains, "is_suspect": is_suspect}


def nccl_view(loaded: Loaded, query: PageQuery) -> dict[str, Any]:
    """Return what the NCCL view shows: the status, and what every node answered."""
    del query
    answers = [
        (one, one.raw[:MOST_RAW], max(0, len(one.raw) - MOST_RAW))
        for one in loaded.read_capture().nccl
    ]
    return {"nccl": loaded.report.nccl, "answers": answers}


VIEW_OF = {"report": report_view, "stacks": stacks_view, "nccl": nccl_view}
