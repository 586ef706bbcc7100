"""The suite itself, and what the analysis must make of it (benchmarks/accuracy.py has more)."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pytest

from rankscope.analysis import analyse
from rankscope.analysis.columns import with_rows
from rankscope.analysis.decode import Decoder
from rankscope.analysis.rules import RULES, default_rules
from rankscope.capture_file import parse_capture
from tests.suite import KINDS, case
from tests.suite.floor import floor_suspects

GUILTY = sorted(name for name in KINDS if case(name, 0).job.guilty)
CALM = sorted(KINDS.keys() - set(GUILTY))
AMBIGUOUS = {"one rank skips a tensor-parallel collective"}


def named(content: list[bytes]) -> list[int]:
    return [suspect.rank for suspect in analyse(parse_capture(content)).suspects]


def nodes(content: list[bytes]) -> list[Any]:
    return [json.loads(line) for line in content[1:]]


def frames(content: list[bytes]) -> Iterator[Any]:
    for node in nodes(content):
        for stack in node.get("stacks", ()):
            yield from stack
        for process in node["processes"]:
            for thread in with_rows(process, node)["threads"]:
                yield from thread.get("frames", ())


def test_there_are_enough_kinds() -> None:
    assert len(GUILTY) >= 25
    assert len(CALM) >= 8


@pytest.mark.parametrize("name", [GUILTY[0], CALM[0]])
def test_a_case_can_be_drawn_again(name: str) -> None:
    assert case(name, 3).content == case(name, 3).content
    assert case(name, 3).content != case(name, 4).content


@pytest.mark.parametrize("name", sorted(set(GUILTY) - AMBIGUOUS))
def test_exactly_the_guilty_are_named(name: str) -> None:
    for seed in (0, 1):
        drawn = case(name, seed)
        assert set(named(drawn.content)) == drawn.job.guilty


@pytest.mark.parametrize("name", CALM)
def test_nobody_is_accused_where_nobody_is_guilty(name: str) -> None:
    for seed in (0, 1, 2):
        assert named(case(name, seed).content) == []


@pytest.mark.parametrize(
    "name",
    ["most ranks read from dead storage", "stopped by a signal", "healthy, at full speed",
     "a pipeline stage stands in a barrier"],
)  # fmt: skip
def test_a_job_of_a_thousand_ranks_is_judged_alike(name: str) -> None:
    drawn = case(name, 0, is_large=True)

    assert len(drawn.job.samples[0]) >= 512
    assert set(named(drawn.content)) == drawn.job.guilty


def test_the_floor_method_accuses_innocent_ranks() -> None:
    assert floor_suspects(case("healthy, at full speed", 0).content)


@pytest.mark.parametrize("name", [name for name in GUILTY[::3] if "serving" not in name])
def test_renaming_the_teams_own_code_changes_nothing(name: str) -> None:
    drawn = case(name, 1)
    folder = next(f["filename"] for f in frames(drawn.content) if "main.py" in f["filename"])
    root = str(PurePosixPath(folder).parent)
    renamed = [line.replace(root.encode(), b"/srv/q/v2") for line in drawn.content]

    assert named(renamed) == named(drawn.content)


def test_rules_name_no_file_or_function_of_the_suite() -> None:
    own: set[str] = set()
    for name in KINDS:
        for frame in frames(case(name, 0).content):
            if "site-packages" not in frame["filename"] and "/lib/python" not in frame["filename"]:
                own |= {frame["name"].rpartition(".")[2], PurePosixPath(frame["filename"]).name}
    # Names that the standard library and frameworks have given the same things before.
    own -= {"main", "main.py", "<module>", "forward", "__next__", "__init__", "run", "model.py"}
    own -= {"report", "finish", "close", "broadcast_data", "_communicate", "fit", "get_batch"}
    own -= {name for name in own if name.startswith(("recv_", "send_"))}

    for path in RULES.glob("*.toml"):
        for rule in tomllib.loads(path.read_text())["rule"]:
            assert own.isdisjoint(rule.get("names", ()))
            assert own.isdisjoint(PurePosixPath(p).name for p in rule.get("paths", ()))


@pytest.mark.parametrize("family", sorted({rule.family.name for rule in default_rules().rules}))
def test_without_one_family_the_others_still_name_a_stopped_rank(family: str) -> None:
    rules = default_rules().without(family)
    found = 0
    for seed in range(4):
        drawn = case("stopped by a signal", seed)
        report = analyse(parse_capture(drawn.content), rules=rules)
        found += {s.rank for s in report.suspects} == drawn.job.guilty
    assert found >= 2


@pytest.mark.parametrize("name", [*GUILTY[::6], *CALM[::6]])
def test_both_decoders_read_the_same(name: str) -> None:
    for line in case(name, 2).content[1:]:
        fast = Decoder().node_line(line)

        assert fast is not None
        assert fast == Decoder().node(msgspec.json.decode(line))
