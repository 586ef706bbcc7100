"""What `rankscope demo --once` does in place of a person, and how it judges what it saw."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import click

from rankscope.model.report import Comparison, Report
from rankscope.model.text import Text
from rankscope.store.captures import CaptureStore
from rankscope.text import say
from sandbox.cluster.faults import Fault
from sandbox.demo.card_text import card_text, element_ids
from sandbox.demo.chat import COMPARE, RECAPTURE, Chat, button, is_incident, is_settled, print_id
from sandbox.demo.expect import OOM, is_about_failure, lacks
from sandbox.demo.parts import WORLD_SIZE, Setup
from sandbox.feishu.views import MessageView

_LINE = re.compile(r":\d+(?=\))")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, in the order it was seen; the comparison is there if it was asked for.

    missing is what should have been on a card.
    """

    reports: tuple[Report, ...]
    comparison: Comparison | None = None
    missing: tuple[Text, ...] = ()


class Tour:
    """Takes a job through the chat."""

    def __init__(self, setup: Setup, chat: Chat, store: CaptureStore) -> None:
        self._setup = setup
        self._chat = chat
        self._store = store

    def take(self) -> Outcome:
        """Do all there is to do with this fault."""
        ways = {Fault.NONE: self._healthy, Fault.SLOW: self._slow, Fault.OOM: self._failed}
        return ways.get(self._setup.fault, self._hung)()

    def _healthy(self) -> Outcome:
        return Outcome((self._type_capture(()),))

    def _slow(self) -> Outcome:
        card = self._card("the card of the slow job", (), "slowness")
        missing = tuple(lacks(self._setup, card.content))
        return Outcome((self._report_on(card),), missing=missing)

    def _failed(self) -> Outcome:
        card = self._chat.wait("the first error of the failed job", _shows_failure)
        typed = self._chat.say(f"/errors {self._setup.job_id}")
        reply = self._chat.wait(
            "a reply to /errors", lambda m: m.parent_id == typed.message_id and m.sender.is_bot
        )
        missing = list(lacks(self._setup, card.content))
        if OOM not in card_text(reply.content):
            missing.append(say("demo-card-command"))
        return Outcome((), missing=tuple(missing))

    def _hung(self) -> Outcome:
        first = self._card("the card of the hung job", ())
        self._chat.press(first, RECAPTURE)
        second = self._card("the card of the second capture", (print_id(first),))
        before, after = print_id(first), print_id(second)
        self._chat.press(second, COMPARE)
        self._chat.wait("the comparison", _is_comparison)
        third = self._type_capture((before, after))
        self._type_wrongly()
        reports = self._store.read_report(before), self._store.read_report(after), third
        return Outcome(reports, self._store.read_comparison(before, after))

    def _type_capture(self, known: tuple[str, ...]) -> Report:
        typed = self._chat.say(f"/capture {self._setup.job_id}")
        self._chat.wait("a reply to /capture", lambda m: m.parent_id == typed.message_id)
        return self._report_on(self._card("the card of the capture asked for", known))

    def _type_wrongly(self) -> None:
        typed = self._chat.say("/captrue")
        self._chat.wait("a reply to a wrong command", lambda m: m.parent_id == typed.message_id)

    def _card(self, what: str, known: tuple[str, ...], part: str = "") -> MessageView:
        """Wait for a finished card of a capture that is not known yet, with a part of this id."""

        def fits(message: MessageView) -> bool:
            finished = is_settled(message) and print_id(message) not in ("", *known)
            comparable = not known or button(message, COMPARE) is not None
            has_part = not part or part in element_ids(message.content)
            return is_incident(message) and finished and comparable and has_part

        return self._chat.wait(what, fits)

    def _report_on(self, card: MessageView) -> Report:
        return self._store.read_report(print_id(card))


def _shows_failure(message: MessageView) -> bool:
    return is_about_failure(message.content)


def _is_comparison(message: MessageView) -> bool:
    ids = element_ids(message.content)
    return "verdict" in ids and not is_incident(message)


def problems(setup: Setup, outcome: Outcome) -> Iterator[Text]:
    """Yield everything that is not as it must be; nothing when the demo has succeeded."""
    rank = setup.fault_rank
    for part in outcome.missing:
        yield Text(
            say("demo-lacks", what=part.zh).zh,
            say("demo-lacks", what=part.en).en,
        )
    for number, report in enumerate(outcome.reports, 1):
        named = [suspect.rank for suspect in report.suspects]
        if not _is_right(setup, named):
            yield say("demo-wrong-names", number=number, named=named, expected=expected(setup))
        if setup.fault in {Fault.NONE, Fault.SLOW} and report.verdict.progress == "frozen":
            yield say("demo-wrong-progress", number=number, progress=report.verdict.progress)
    if outcome.comparison:
        change = change_of(outcome.comparison, rank)
        if change not in _true_changes(setup.fault):
            yield say("demo-wrong-comparison", rank=rank, change=change)


def _is_right(setup: Setup, named: list[int]) -> bool:
    """Judge the named ranks; a slow one may stay unnamed, since a photo shows it at work."""
    if setup.fault is Fault.SLOW:
        return set(named) <= {setup.fault_rank}
    return named == expected(setup)


def expected(setup: Setup) -> list[int]:
    """Return the ranks that should be named."""
    return [] if setup.fault is Fault.NONE else [setup.fault_rank]


def _true_changes(fault: Fault) -> set[str]:
    """Return what a comparison may truly say of the rank.

    An endless loop runs, within one function. A killed rank has a stack in neither capture, which
    makes it absent from the comparison.
    """
    if fault is Fault.SPIN:
        return {"frozen", "circling"}
    return {"gone", "absent"} if fault is Fault.KILLED else {"frozen"}


def change_of(comparison: Comparison, rank: int) -> str:
    """Return what a comparison says about a rank.

    It is `circling` when it moved but stayed in one function, `absent` when nothing is said.
    """
    for one in comparison.ranks:
        if one.rank == rank:
            same = function_of(one.before) == function_of(one.after)
            return "circling" if one.change == "moved" and same else one.change
    return "absent"


def function_of(place: str) -> str:
    """Return a place such as `name (file.py:12)` without its lines."""
    return _LINE.sub("", place)


def conclude(setup: Setup, outcome: Outcome) -> Text:
    """Return the last line of a demo that has succeeded."""
    if setup.fault is Fault.OOM:
        return say("demo-named-failed", rank=setup.fault_rank)
    named = outcome.reports[-1].suspects
    if not named:
        kind = "slow" if setup.fault is Fault.SLOW else "none"
        return say(f"demo-nobody-{kind}", rank=setup.fault_rank, ranks=WORLD_SIZE)
    change = change_of(outcome.comparison, setup.fault_rank) if outcome.comparison else "once"
    return say(f"demo-named-{change}", rank=named[0].rank, node=named[0].node)


def print_outcome(setup: Setup, outcome: Outcome) -> bool:
    """Print what was found, the stuck rank last; return whether all is as it must be."""
    wrong = list(problems(setup, outcome))
    click.echo(f"\n{'―' * 60}")
    for problem in wrong:
        click.echo(f"✗ {problem.of(setup.language)}")
    if setup.fault is not Fault.NONE:
        click.echo(say("demo-truth", fault=setup.fault, rank=setup.fault_rank).of(setup.language))
    if not wrong:
        click.echo(f"✓ {conclude(setup, outcome).of(setup.language)}")
    return not wrong
