"""`rankscope analyze CAPTURE…`: a report from files, without any service."""

from pathlib import Path

import click
import msgspec

from rankscope.analysis import analyse, report_text
from rankscope.analysis.report_text import findings_text
from rankscope.analysis.rules import RULES, load_rules
from rankscope.analysis.visible import visible_json
from rankscope.capture_file import read_captures
from rankscope.model.text import Language
from rankscope.settings import settings

FILES = click.Path(path_type=Path)
LANGUAGES = click.Choice(["zh", "en"])


@click.command()
@click.argument("captures", nargs=-1, required=True, type=FILES, metavar="CAPTURE...")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--lang", type=LANGUAGES, help="Language; default: the settings'.")
@click.option(
    "--rules",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of pattern rules of your own, read after rankscope's (docs/patterns.md).",
)
def analyze(
    captures: tuple[Path, ...], as_json: bool, lang: Language | None, rules: Path | None
) -> None:
    """Show where every rank is, and which ranks the others wait for.

    CAPTURE is a capture file (JSON Lines, also zstd), or the text or JSON of `py-spy dump`, or the
    text of faulthandler or pystack, one file per rank: the rank is taken from a name such as rank3/
    or rank_3.txt, else from the order.

    Exit code 0 whatever the report says, 2 when the files cannot be used.
    """
    book = load_rules([RULES, rules]) if rules else None
    report = analyse(read_captures(captures), rules=book)
    if as_json:
        click.echo(visible_json(msgspec.json.format(msgspec.json.encode(report)).decode()))
        return
    language = lang or settings().language
    click.echo(findings_text(report, language))
    click.echo(report_text(report, language), nl=False)
