"""False alarms and delay of the platform's rule and of the robust rule, on synthetic logs.

Every log is written as Megatron-LM prints it (log interval 1, base 3101 ms a step), with lines
around checkpoints, evaluations and restarts, and read as `rankscope slow` reads it. Half of the
families with checkpoints and evaluations leave those lines out, as some frameworks do.

Run: python benchmarks/slowdown.py [--seeds 20] [--write docs/slow.md]
Fails when the robust rule raises more than 0.1 false alarms per 1,000 steps in any family.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rankscope.logs.slow_report import SlowReport

BASE_MS = 3101.0
STEPS = 1500
STARTS = 700
MOST_FALSE = 0.1
START = "[before the start of training step] datetime: 2026-06-08 03:41:00"
BEGIN, END = "<!-- benchmark begins -->", "<!-- benchmark ends -->"


@dataclass(frozen=True, slots=True)
class Family:
    """What happens in a log besides training; the noise is a coefficient of variation."""

    name: str
    noise: float = 0.02
    checkpoints: int = 0
    evaluations: int = 0
    spikes: float = 0.0
    restarts: int = 0
    collections: int = 0
    batch_grows: bool = False
    announced: bool = True


MIXED = Family("all of it", 0.02, 200, 250, 0.004, 400, 100)
FAMILIES = (
    Family("clean, 0.6 % noise", 0.006),
    Family("clean, 2 % noise"),
    Family("noise 6 %", 0.06),
    Family("noise 15 %", 0.15),
    Family("checkpoint every 200, +40 s", checkpoints=200),
    Family("the same, not announced", checkpoints=200, announced=False),
    Family("evaluation every 250, +90 s", evaluations=250),
    Family("the same, not announced", evaluations=250, announced=False),
    Family("spikes 0.4 %, ×2-6", spikes=0.004),
    Family("garbage collection every 100, +30 %", collections=100),
    Family("restart every 400, 40 steps back", restarts=400),
    Family("batch grows, ×1.9", batch_grows=True),
    MIXED,
    Family("all of it, 6 % noise", 0.06, 200, 250, 0.004, 400, 100),
    Family("all of it, 15 % noise", 0.15, 200, 250, 0.004, 400, 100),
    Family("all of it, not announced", 0.02, 200, 250, 0.004, 400, 100, announced=False),
)
Pace = Callable[[int], float]
SLOW: tuple[tuple[str, Pace], ...] = (
    ("×1.06", lambda _: 1.06),
    ("×1.2", lambda _: 1.2),
    ("×1.8", lambda _: 1.81),
    ("×3.05", lambda _: 3.05),
    ("×3.05, 12 steps long", lambda late: 3.05 if late < 12 else 1.0),
    ("ramp to ×1.5 over 300", lambda late: 1 + 0.5 * min(1.0, late / 300)),
    ("ramp to ×1.3 over 500", lambda late: 1 + 0.3 * min(1.0, late / 500)),
)
GROUNDS = (
    Family("0.6 % noise", 0.006),
    Family("2 % noise"),
    Family("6 % noise", 0.06),
    Family("15 % noise", 0.15),
    MIXED,
)


def log_of(family: Family, seed: int, pace: Pace | None = None) -> Iterator[tuple[str, int]]:
    """Yield the lines of a log, each with the number of steps done so far."""
    chance = random.Random(f"{family.name}{seed}")
    offset = 0
    yield START, 0
    for done in range(1, STEPS + 1):
        ms = _pure_ms(family, chance, done) * (
            pace(done - STARTS - 1) if pace and done > STARTS else 1
        )
        for every, more, words in _events(family):
            if every and done % every == 0:
                ms += more
                yield words if family.announced else "training goes on", done
        grown = family.batch_grows and done > STARTS
        yield _line(done - offset, ms * (1.9 if grown else 1), 128 if grown else 64), done
        if family.restarts and done % family.restarts == 0:
            offset += 40
            yield START, done


def _pure_ms(family: Family, chance: random.Random, done: int) -> float:
    """Return a step's time with noise, warm-up, spikes and garbage collection."""
    ms = BASE_MS * chance.lognormvariate(0, family.noise)
    since = (done - 1) % family.restarts + 1 if family.restarts else done
    ms *= {1: 12.0, 2: 1.5}.get(since, 1.0)
    if chance.random() < family.spikes:
        ms *= chance.uniform(2, 6)
    return ms * 1.3 if family.collections and done % family.collections == 0 else ms


def _events(family: Family) -> Iterator[tuple[int, float, str]]:
    yield family.checkpoints, 40_000.0, "saving checkpoint at iteration 200 to /out"
    yield family.evaluations, 90_000.0, " validation loss at iteration 250 | lm loss value: 2.5E+00"


def _line(step: int, ms: float, batch: int) -> str:
    return (
        f" iteration {step:8d}/ {STEPS:8d} | consumed samples: {64 * step:12d} | elapsed time per"
        f" iteration (ms): {ms:.1f} | learning rate: 1.500E-04 | global batch size: {batch:5d} |"
        " lm loss: 2.463556E+00 | number of skipped iterations:   0 |"
    )


def alarms(lines: Iterator[tuple[str, int]]) -> dict[str, list[int]]:
    """Return, by rule, after how many steps each slow-down was found.

    The platform's rule warns again with every window; windows in a row are one alarm.
    """
    report = SlowReport()
    warned = -1
    found: dict[str, list[int]] = {"seed": [], "robust": []}
    seen = 0
    for line, done in lines:
        report.line(line)
        new = report.counts["alerts"] - seen
        seen += new
        for alert in list(report.alerts)[-new:] if new else ():
            goes_on = alert.rule == "seed" and alert.first == warned + 1
            warned = alert.last if alert.rule == "seed" else warned
            if not goes_on:
                found[alert.rule].append(done)
    return found


def false_alarms(family: Family, seeds: int) -> tuple[float, float]:
    """Return the false alarms per 1,000 steps: of the platform's rule, of the robust one."""
    all_found = [alarms(log_of(family, seed)) for seed in range(seeds)]
    steps = seeds * STEPS / 1000
    seed, robust = (sum(len(one[rule]) for one in all_found) / steps for rule in ("seed", "robust"))
    return seed, robust


def delay(ground: Family, pace: Pace, seeds: int, rule: str) -> str:
    """Return how many slow-downs were found and the median delay in steps, as text."""
    firsts = []
    for seed in range(seeds):
        found = alarms(log_of(ground, seed, pace))[rule]
        late = [done - STARTS for done in found if done > STARTS]
        firsts += late[:1]
    share = f"{100 * len(firsts) / seeds:.0f} %"
    return f"{share}, {median(firsts):.0f}" if firsts else share


def tables(seeds: int) -> tuple[str, float]:
    """Return both tables as Markdown, and the robust rule's worst rate of false alarms."""
    rows = ["| log without a slow-down | platform's rule | robust |", "| --- | ---: | ---: |"]
    worst = 0.0
    for family in FAMILIES:
        seed, robust = false_alarms(family, seeds)
        worst = max(worst, robust)
        rows.append(f"| {family.name} | {seed:.2f} | {robust:.2f} |")
    rows += ["", "| slow-down | in | platform's rule | robust |", "| --- | --- | ---: | ---: |"]
    for name, pace in SLOW:
        for ground in GROUNDS:
            both = [delay(ground, pace, seeds, rule) for rule in ("seed", "robust")]
            rows.append(f"| {name} | {ground.name} | {both[0]} | {both[1]} |")
    return "\n".join(rows), worst


def main() -> None:
    """Print the tables, write them into a page when asked to, fail above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--write", type=Path, help="Markdown page with the two marks.")
    chosen = parser.parse_args()
    text, worst = tables(chosen.seeds)
    print(text)
    if chosen.write:
        page = chosen.write.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        chosen.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    if worst > MOST_FALSE:
        sys.exit(f"more than {MOST_FALSE} false alarms per 1,000 steps: {worst:.2f}")


if __name__ == "__main__":
    main()
