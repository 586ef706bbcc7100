"""`rankscope compare A B`: what changed from one capture to a later one."""

from pathlib import Path

import click
import msgspec

from rankscope.analysis import compare as compare_captures
from rankscope.analysis.words import tell
from rankscope.capture_file import read_captures
from rankscope.commands.analyze import FILES, LANGUAGES
from rankscope.model.report import Comparison
from rankscope.model.text import Language
from rankscope.settings import settings


@click.command()
@click.argument("before", type=FILES)
@click.argument("after", type=FILES)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.option("--lang", type=LANGUAGES, help="Language; default: the settings'.")
def compare(before: Path, after: Path, as_json: bool, lang: Language | None) -> None:
    """Show, rank by rank, what moved between two captures of a job.

    Exit code 0 whatever moved, 2 when the files cannot be used.
    """
    comparison = compare_captures(read_captures([before]), read_captures([after]))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(comparison)).decode())
    else:
        click.echo("\n".join(_lines(comparison, lang or settings().language)))


def _lines(comparison: Comparison, language: Language) -> list[str]:
    lines = [comparison.text.of(language)]
    for item in comparison.ranks:
        change = tell(f"analysis-change-{item.change}").of(language)
        places = [place for place in dict.fromkeys((item.before, item.after)) if place]
        node = f" ({item.node})" if item.node else ""
        lines.append(f"rank {item.rank}{node}  {change}  {' → '.join(places)}".rstrip())
    return lines
