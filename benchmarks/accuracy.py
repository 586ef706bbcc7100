"""Measures how often the analysis names the right ranks, on made-up and on real jobs (tests/suite).

Beside it stands the floor: the obvious method, which takes ranks whose innermost function is in the
minority for guilty.

Run from the project's root: python -m benchmarks.accuracy [--seeds 12] [--live] [--write]
Fails when a target of docs/accuracy.md is missed. `--live` starts the real torch/gloo jobs anew
and captures them, which needs torch and takes twenty minutes.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rankscope.analysis import analyse
from rankscope.capture_file import parse_capture
from tests.suite import CONDITIONS, KINDS, Case, Condition, case
from tests.suite.floor import floor_suspects
from tests.suite.real import JOBS, RealJob, content_of, stored

DOCUMENT = Path(__file__).parent.parent / "docs" / "accuracy.md"
MARK = "<!-- written by benchmarks/accuracy.py from here on -->"
TOP_1, EXACT = 0.97, 0.90
LARGE_SEEDS = 2
"""A large job takes as long to draw and judge as thirty others."""


@dataclass(frozen=True)
class Outcome:
    """One case, and what both methods made of it."""

    kind: str
    seed: int
    guilty: frozenset[int]
    size: int
    named: tuple[int, ...]
    floor: tuple[int, ...]
    confidence: str
    pattern: str

    @property
    def is_exact(self) -> bool:
        """Whether exactly the guilty ranks are named."""
        return set(self.named) == self.guilty

    @property
    def is_first(self) -> bool:
        """Whether the first one named is guilty."""
        return self.named[:1] != () and self.named[0] in self.guilty


def outcome(
    name: str, seed: int, condition: Condition = "whole", *, is_large: bool = False
) -> Outcome:
    """Draw one case and judge it."""
    drawn: Case = case(name, seed, condition, is_large=is_large)
    report = analyse(parse_capture(drawn.content))
    return Outcome(
        kind=name,
        seed=seed,
        guilty=drawn.job.guilty,
        size=report.summary.ranks_expected or report.summary.ranks_seen,
        named=tuple(suspect.rank for suspect in report.suspects),
        floor=tuple(floor_suspects(drawn.content)),
        confidence=report.verdict.confidence,
        pattern=report.verdict.pattern,
    )


def real_outcomes(*, once: bool = False) -> list[Outcome]:
    """Judge the captures of real torch/gloo jobs; once leaves out all samples but the last."""
    return [_real_outcome(job, once=once) for job in stored()]


def _real_outcome(job: RealJob, *, once: bool) -> Outcome:
    content = content_of(job)
    if once:
        last = f'"sample":{job.samples - 1},'.encode()
        content = [line for line in content if last in line or b'"schema"' in line]
    report = analyse(parse_capture(content))
    return Outcome(
        kind=job.kind,
        seed=0,
        guilty=job.culprits,
        size=job.ranks,
        named=tuple(suspect.rank for suspect in report.suspects),
        floor=tuple(floor_suspects(content)),
        confidence=report.verdict.confidence,
        pattern=report.verdict.pattern,
    )


def outcomes(
    kinds: Iterable[str], seeds: range, condition: Condition = "whole", *, is_large: bool = False
) -> list[Outcome]:
    """Judge cases of every kind."""
    pairs = [(name, seed, condition, is_large) for name in kinds for seed in seeds]
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(_outcome, pairs, chunksize=16))


def _outcome(given: tuple[str, int, Condition, bool]) -> Outcome:
    name, seed, condition, is_large = given
    return outcome(name, seed, condition, is_large=is_large)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 1.0


def _percent(found: Sequence[bool]) -> str:
    return f"{100 * _share(found):.0f} %"


def table(found: Sequence[Outcome], title: str) -> Iterator[str]:
    """Yield the tables of one source of cases as Markdown lines."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for one in found:
        by_kind[one.kind].append(one)
    guilty = {name: some for name, some in by_kind.items() if any(o.guilty for o in some)}
    yield f"## {title}: kinds in which somebody is guilty"
    yield ""
    yield "| kind | cases | top-1 | top-3 | exact set | floor: top-1 | floor: exact |"
    yield "|---|---|---|---|---|---|---|"
    for name, some in (guilty | {"**all**": [o for s in guilty.values() for o in s]}).items():
        yield _guilty_row(name, some)
    yield ""
    yield f"## {title}: kinds in which nobody is guilty"
    yield ""
    yield "| kind | cases | falsely accused | floor: falsely accused |"
    yield "|---|---|---|---|"
    calm = {name: some for name, some in by_kind.items() if name not in guilty}
    for name, some in (calm | {"**all**": [o for s in calm.values() for o in s]}).items():
        accused, floor = (sum(bool(x) for x in xs) for xs in (
            [o.named for o in some], [o.floor for o in some]))  # fmt: skip
        yield f"| {name} | {len(some)} | {accused} | {floor} |"
    yield ""


def conditions(lacking: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Yield the same figures for larger jobs, and for captures that lack something."""
    yield "## Other sizes, and captures that lack something"
    yield ""
    yield "The same kinds. From one sample nobody can tell a slow rank from a stuck one."
    yield ""
    yield "| jobs | top-1 | exact set | named somebody innocent first | falsely accused jobs |"
    yield "|---|---|---|---|---|"
    for condition, found in lacking.items():
        guilty = [o for o in found if o.guilty]
        wrong = sum(bool(o.named) and not o.is_first for o in guilty)
        calm = [o for o in found if not o.guilty]
        accused = sum(bool(o.named) for o in calm)
        yield (
            f"| {condition} | {_percent([o.is_first for o in guilty])} "
            f"| {_percent([o.is_exact for o in guilty])} | {wrong} of {len(guilty)} "
            f"| {accused} of {len(calm)} |"
        )
    yield ""


def _guilty_row(name: str, some: Sequence[Outcome]) -> str:
    cells = (
        [o.is_first for o in some],
        [bool(set(o.named[:3]) & o.guilty) for o in some],
        [o.is_exact for o in some],
        [bool(o.floor) and o.floor[0] in o.guilty for o in some],
        [set(o.floor) == o.guilty for o in some],
    )
    return f"| {name} | {len(some)} | {' | '.join(_percent(cell) for cell in cells)} |"


def calibration(sources: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Yield how often each word for confidence was right, by source of the cases."""
    yield "## Calibration: of the verdicts that name somebody, how many are right"
    yield ""
    yield "A verdict is right when the first rank named is guilty; in brackets, when all are."
    yield ""
    yield f"| confidence | {' | '.join(sources)} | all |"
    yield f"|---|{'---|' * (len(sources) + 1)}"
    every = [list(found) for found in sources.values()]
    for level in ("high", "medium", "low"):
        cells = [_right(found, level) for found in (*every, [o for s in every for o in s])]
        yield f"| {level} | {' | '.join(cells)} |"
    yield ""


def _right(found: Sequence[Outcome], level: str) -> str:
    some = [o for o in found if o.named and o.confidence == level]
    if not some:
        return "–"
    first, exact = sum(o.is_first for o in some), _percent([o.is_exact for o in some])
    return f"{first} of {len(some)}, {_percent([o.is_first for o in some])} ({exact})"


def failures(found: Sequence[Outcome]) -> Iterator[str]:
    """Yield every case in which not exactly the guilty are named."""
    yield "## Every case that is not exact"
    yield ""
    yield "| kind | seed | ranks | guilty | named | pattern | confidence |"
    yield "|---|---|---|---|---|---|---|"
    for o in found:
        if not o.is_exact:
            yield (
                f"| {o.kind} | {o.seed} | {o.size} | {_some(sorted(o.guilty))} "
                f"| {_some(o.named)} | {o.pattern} | {o.confidence} |"
            )
    yield ""


def _some(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:6])) or "nobody"
    return f"{shown}, … ({len(ranks)})" if len(ranks) > 6 else shown


def main() -> None:
    """Judge, print, and write the document when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=12, help="cases per kind")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", help="only kinds whose name holds this text")
    parser.add_argument("--live", action="store_true", help="start the real jobs anew")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/accuracy.md")
    chosen = parser.parse_args()
    kinds = [name for name in KINDS if not chosen.kind or chosen.kind in name]
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    if chosen.live:
        remake()
    found, real = outcomes(kinds, seeds), [] if chosen.kind else real_outcomes()
    text = "\n".join(_document(found, real, kinds, seeds)).rstrip() + "\n"
    print(text)
    if chosen.write:
        head = DOCUMENT.read_text(encoding="utf-8").partition(MARK)[0]
        DOCUMENT.write_text(f"{head}{MARK}\n\n{text}", encoding="utf-8")
    sys.exit(_missed(found) or (_missed(real) if real else None))


def remake() -> None:
    """Start and capture the real jobs; imported here, since only this needs the agent and torch."""
    from benchmarks.torch_captures import make  # noqa: PLC0415

    for job in JOBS.values():
        print(make(job, write=True), file=sys.stderr, flush=True)


def _document(
    found: list[Outcome], real: list[Outcome], kinds: Sequence[str], seeds: range
) -> Iterator[str]:
    large = outcomes(kinds, range(seeds.start, seeds.start + LARGE_SEEDS), is_large=True)
    lacking = {f"made-up, {name}": outcomes(kinds, seeds, name) for name in CONDITIONS[1:]}
    lacking |= {"real, one sample": real_outcomes(once=True)} if real else {}
    yield from table(found, "Made-up jobs")
    if real:
        yield from table(real, "Real torch/gloo jobs")
    yield from calibration(
        {"made-up": found}
        | ({"real": real} if real else {})
        | {"512 to 2,048 ranks": large}
        | {"lacking something": [o for some in lacking.values() for o in some]}
    )
    yield from failures([*found, *real, *large])
    yield from conditions({"made-up, 512 to 2,048 ranks": large} | lacking)


def _missed(found: Sequence[Outcome]) -> str | None:
    guilty = [o for o in found if o.guilty]
    accused = [o for o in found if o.named and not o.guilty]
    first, exact = _share([o.is_first for o in guilty]), _share([o.is_exact for o in guilty])
    if first < TOP_1 or exact < EXACT or accused:
        return f"missed: top-1 {first:.1%}, exact {exact:.1%}, false accusations {len(accused)}"
    return None


if __name__ == "__main__":
    main()
