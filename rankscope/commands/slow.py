"""`rankscope slow LOG`: step times and slow-downs of a training log, without any service."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click
import msgspec

from rankscope.commands.log_file import FILE, blocks_of
from rankscope.logs.picking import KEPT as LETTERS
from rankscope.logs.slow_report import KEPT, Alert, SlowReport
from rankscope.model.text import Language
from rankscope.settings import settings
from rankscope.text import say

LANGUAGES = click.Choice(["zh", "en"])
LONGEST_LINE = 1 << 16
_END = re.compile(rb"[\r\n]+")


@click.command()
@click.argument("log", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print everything found as JSON.")
@click.option("--lang", type=LANGUAGES, help="Language; default: the settings'.")
def slow(log: Path, as_json: bool, lang: Language | None) -> None:
    """Show how long the steps of a training LOG took, and where they became slow.

    Knows the step lines of Megatron-LM and its forks, DeepSpeed, Hugging Face Trainer,
    LLaMA-Factory (its output and trainer_log.jsonl), ms-swift, NeMo, verl, torchtitan, MMEngine,
    PaddleNLP, and others that name a step and a time. LOG is a file, plain, gzip or zstd, or - for
    standard input.

    Three rules, each named: the platform's own warnings; the platform's rule (the mean of five
    steps is 1.8 times that of the fastest five before); a robust rule, which only suspects.

    Exit code 0 whatever is found, 2 when LOG cannot be read.
    """
    report = SlowReport()
    for line in lines_of(blocks_of(log)):
        report.line(line)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(as_data(report))).decode())
        return
    language = lang or settings().language
    for sentence in sentences(report, language):
        click.echo(sentence)


def lines_of(blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a log, cut to 4096 bytes; bars end theirs with a carriage return."""
    rest = b""
    for block in blocks:
        *whole, rest = _END.split(rest + block)
        yield from (line[:LETTERS].decode(errors="replace") for line in whole if line)
        if len(rest) > LONGEST_LINE:
            rest = rest[:LONGEST_LINE]  # Of a line without end only the beginning counts.
    if rest:
        yield rest[:LETTERS].decode(errors="replace")


def as_data(report: SlowReport) -> dict[str, object]:
    """Return the report as plain data; times in ms, `iters` are the first and last step."""
    return {
        "format": report.format,
        "variant": report.series.variant,
        "unit": report.unit,
        "usual_ms": report.usual_ms,
        "counts": {**report.counts, "restarts": report.series.restarts},
        "kept": KEPT,
        "steps": [
            {"iters": [one.first, one.last], "ms": _short(one.ms), "during": one.marks}
            for one in report.samples
        ],
        "windows": [
            {
                "iters": [one.first, one.last],
                "mean_ms": _short(one.mean_ms),
                "baseline_ms": _short(one.baseline_ms),
                "ratio": _short(one.ratio),
                "during": one.marks,
            }
            for one in report.windows
        ],
        "alerts": [_alert_data(one) for one in report.alerts],
        "recovered": [_alert_data(one) for one in report.recovered],
        "stragglers": list(report.stragglers),
    }


def _alert_data(alert: Alert) -> dict[str, object]:
    return {
        "iters": [alert.first, alert.last],
        "mean_ms": _short(alert.mean_ms),
        "baseline_ms": _short(alert.baseline_ms),
        "ratio": _short(alert.ratio),
        "rule": alert.rule,
        "level": alert.level,
        "tier": alert.tier,
        "during": alert.during,
        "line": alert.line,
    }


def _short(value: float) -> float:
    return round(value, 4)


def sentences(report: SlowReport, language: Language) -> Iterator[str]:
    """Yield the report for people, the platform's lines exactly as it writes them."""
    yield _headline(report, language)
    for alert in report.alerts:
        if alert.line:
            yield alert.line
        yield "  " + _told(alert, language)
    for alert in report.recovered:
        yield say("slow-recovered", **_numbers(alert, language)).of(language)
    if report.stragglers:
        last = report.stragglers[-1]
        yield say(
            "slow-straggler",
            rank=last.rank,
            ms=f"{last.ms:.2f}",
            other=last.quickest_rank,
            other_ms=f"{last.quickest_ms:.2f}",
        ).of(language)
    if report.alerts:
        yield say("slow-caution").of(language)
        yield say("slow-check-events").of(language)
        yield say("slow-check-metrics").of(language)
    elif report.samples:
        yield say("slow-none").of(language)


def _headline(report: SlowReport, language: Language) -> str:
    name = " ".join(filter(None, (report.format, report.series.variant)))
    if not name:
        return say("slow-unknown-format", lines=report.counts["lines"]).of(language)
    if not report.samples:
        return say("slow-no-times", format=name).of(language)
    return say(
        "slow-steps",
        format=name,
        count=report.counts["steps"],
        last=report.samples[-1].last,
        usual=f"{report.usual_ms:.2f}",
        unit=report.unit,
        restarts=report.series.restarts,
    ).of(language)


def _told(alert: Alert, language: Language) -> str:
    told = say(f"slow-by-{alert.rule}", **_numbers(alert, language)).of(language)
    if not alert.during:
        return told
    names = "、" if language == "zh" else ", "
    during = names.join(say(f"slow-during-{mark}").of(language) for mark in alert.during)
    return told + say("slow-during", what=during).of(language)


def _numbers(alert: Alert, language: Language) -> Mapping[str, object]:
    return {
        "first": alert.first,
        "last": alert.last,
        "mean": f"{alert.mean_ms:.2f}",
        "baseline": f"{alert.baseline_ms:.2f}",
        "percent": f"{100 * alert.ratio:.0f}",
        "times": f"{1 + alert.ratio:.2f}",
        "rule": say(f"slow-rule-{alert.rule}").of(language),
        "tier": say(f"slow-tier-{alert.tier}").of(language) if alert.tier else "",
    }
