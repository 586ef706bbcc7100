"""`rankscope errors LOG…`: the first error of a job, from its logs alone."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click
import msgspec

from rankscope.commands.log_file import FILE, blocks_of
from rankscope.errors import UnusableInput
from rankscope.logs.first_error import (
    RuleBook,
    Scan,
    default_rules,
    first_error,
    load_rules,
    scan_blocks,
)
from rankscope.logs.first_error.report import Report, report_of, report_text
from rankscope.logs.first_error.rules import RULES
from rankscope.logs.triage import JobFacts, hidden_failure_risks, is_hidden_failure, triage
from rankscope.model.text import Language
from rankscope.settings import settings

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("logs", nargs=-1, required=True, type=FILE, metavar="LOG...")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--lang", type=click.Choice(["zh", "en"]), help="Language; default: the settings'.")
@click.option(
    "--exit-code", default=0, metavar="N", help="Exit with N when an error is found (default 0)."
)
@click.option(
    "--state",
    type=click.Choice(["succeeded", "failed"]),
    default=None,
    help="What the platform says; `succeeded` makes an error in the log a hidden failure.",
)
@click.option("--command", default="", help="The start command, checked for what hides failures.")
@click.option(
    "--rules", "rule_folders", multiple=True, type=FOLDER, help="Folder with more rules (*.toml)."
)
def errors(  # noqa: PLR0913 - one parameter per option.
    logs: tuple[Path, ...],
    *,
    as_json: bool,
    lang: Language | None,
    exit_code: int,
    state: Literal["succeeded", "failed"] | None,
    command: str,
    rule_folders: tuple[Path, ...],
) -> None:
    """Find the first error of a job in its logs, and tell it from what only follows.

    LOG is one log of all workers, or one file per worker; plain, gzip or zstd; `-` is standard
    input. Only the last attempt counts: what comes after the last `Bootcheck Finished`.

    Exit code 0 whatever is found (but see --exit-code), 2 when a file cannot be used.
    """
    book = load_rules([RULES, *rule_folders]) if rule_folders else default_rules()
    answer = first_error([_scan(path, book) for path in logs])
    facts = JobFacts(state=state or "", command=command)
    hidden = is_hidden_failure(answer, facts.state, hidden_failure_risks(command))
    report = report_of(answer, triage(facts, answer), hidden_failure=hidden)
    click.echo(_shown(report, lang or settings().language, as_json=as_json), nl=False)
    if report.first_error and exit_code:
        sys.exit(exit_code)


def _shown(report: Report, language: Language, *, as_json: bool) -> str:
    if as_json:
        return msgspec.json.format(msgspec.json.encode(report)).decode() + "\n"
    return report_text(report, language)


def _scan(path: Path, book: RuleBook) -> Scan:
    return scan_blocks(str(path), _of_text(path), book)


def _of_text(path: Path) -> Iterator[bytes]:
    for number, block in enumerate(blocks_of(path)):
        if not number and block.count(0) > len(block) // 10:
            raise UnusableInput(f"{path} is not a text file.", "Give a training log.")
        yield block
