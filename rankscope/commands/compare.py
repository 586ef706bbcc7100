"""`rankscope compare A B`: what changed from one capture to a later one."""

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from rankscope.analysis import compare as compare_captures
from rankscope.analysis.visible import visible, visible_json
from rankscope.analysis.words import tell
from rankscope.capture_file import read_captures
from rankscope.commands.analyze import FILES, LANGUAGES
from rankscope.model.report import Comparison, GroupComparison, RankComparison
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
        content = msgspec.json.format(msgspec.json.encode(comparison)).decode()
        click.echo(visible_json(content))
        return
    for line in _lines(comparison, lang or settings().language):
        click.echo(visible(line))


def _lines(comparison: Comparison, language: Language) -> Iterator[str]:
    yield comparison.text.of(language)
    for item in comparison.ranks:
        yield from _rank(item, language)
    if comparison.groups:
        yield ""
        yield tell("analysis-compare-groups").of(language)
    for group in comparison.groups:
        yield from _group(group, language)


def _rank(item: RankComparison, language: Language) -> Iterator[str]:
    change = tell(f"analysis-change-{item.change}").of(language)
    node = f" ({item.node})" if item.node else ""
    yield f"rank {item.rank}{node}  {change}  {_places(item.before, item.after)}".rstrip()
    if item.reason:
        yield f"    {item.reason.of(language)}"
    for thread in item.threads:
        change = tell(f"analysis-change-{thread.change}").of(language)
        name = thread.name or tell("analysis-unnamed-thread").of(language)
        yield f"    {name}  {change}  {_places(thread.before, thread.after)}".rstrip()


def _places(before: str, after: str) -> str:
    return " → ".join(place for place in dict.fromkeys((before, after)) if place)


def _group(group: GroupComparison, language: Language) -> Iterator[str]:
    head = tell("analysis-compare-group", label=group.label, before=group.before, after=group.after)
    yield f"  - {head.of(language)}"
    for message, ranks in (("came", group.came), ("left", group.left)):
        if ranks:
            yield f"    {tell(f'analysis-compare-{message}', ranks=ranks).of(language)}"
