"""Rank sets as people write them, and the rank to compare a suspect with."""

from dataclasses import dataclass

from rankscope.model.report import Group, Report, Suspect


@dataclass(frozen=True, slots=True)
class Control:
    """A rank that looks like most others, and the group it stands for."""

    rank: int
    group: Group


def spans(ranks: str) -> list[tuple[int, int]]:
    """Return the spans of `0-1,3-7`; parts that are not numbers are left out."""
    found = []
    for part in ranks.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal() and (not last or last.isdecimal()):
            found.append((int(first), int(last or first)))
    return found


def holds(ranks: str, rank: int) -> bool:
    """Whether a compressed rank set holds a rank."""
    return any(first <= rank <= last for first, last in spans(ranks))


def group_of(report: Report, rank: int) -> Group | None:
    """Return the group a rank is in, or None when it has no usable stack."""
    return next((group for group in report.groups if holds(group.ranks, rank)), None)


def place_of(report: Report, suspect: Suspect) -> str:
    """Return where a suspect is, as `name (file:line)`; empty when it has no usable stack."""
    group = group_of(report, suspect.rank)
    return suspect.where or (group.frames[0] if group and group.frames else "")


def control_of(report: Report) -> Control | None:
    """Return the rank to hold beside the suspects, or None when every seen rank is suspected.

    It is the first unsuspected rank of the largest group: never look at one rank alone.
    """
    suspected = {suspect.rank for suspect in report.suspects}
    for group in sorted(report.groups, key=lambda group: -group.count):
        for first, last in spans(group.ranks):
            ranks = range(first, min(last, first + len(suspected)) + 1)
            unsuspected = next((rank for rank in ranks if rank not in suspected), None)
            if unsuspected is not None:
                return Control(unsuspected, group)
    return None
