"""The captures of real torch/gloo jobs: what they hold, and what the analysis makes of them."""

import importlib.util
import os
import re
import tomllib
from pathlib import PurePosixPath

import msgspec
import pytest

from rankscope.analysis import analyse
from rankscope.analysis.decode import Decoder
from rankscope.analysis.rules import RULES, default_rules
from rankscope.capture_file import parse_capture
from tests.suite.real import CAPTURES, JOBS, RealJob, content_of, path_of

PROGRAMS = CAPTURES.parent / "programs"
FAULTY = sorted(name for name, job in JOBS.items() if job.culprits)
CALM = sorted(JOBS.keys() - set(FAULTY))
HAS_TORCH = importlib.util.find_spec("torch") is not None


def named(lines: list[bytes]) -> set[int]:
    return {suspect.rank for suspect in analyse(parse_capture(lines)).suspects}


def test_there_are_enough_kinds_and_each_has_its_capture() -> None:
    assert len({JOBS[name].kind for name in FAULTY}) >= 12
    assert len({JOBS[name].kind for name in CALM}) >= 5
    assert {path.name for path in CAPTURES.iterdir()} == {
        path_of(job).name for job in JOBS.values()
    }
    assert sum(path.stat().st_size for path in CAPTURES.iterdir()) < 1 << 20


@pytest.mark.parametrize("name", JOBS)
def test_a_capture_names_no_place_of_the_machine_that_made_it(name: str) -> None:
    text = b"\n".join(content_of(JOBS[name])).decode()

    places = set(re.findall(r"[\"/](?:tmp|work|home|root|mnt|var)/", text))
    assert not places
    assert "jo-real-" not in text


@pytest.mark.parametrize("name", JOBS)
def test_a_capture_is_as_agents_write_it(name: str) -> None:
    job, (_, *nodes) = JOBS[name], content_of(JOBS[name])

    assert len(nodes) == job.nodes * job.samples
    for line in nodes:
        assert Decoder().node_line(line) == Decoder().node(msgspec.json.decode(line))


@pytest.mark.parametrize("name", FAULTY)
def test_exactly_the_guilty_are_named(name: str) -> None:
    assert named(content_of(JOBS[name])) == JOBS[name].culprits


@pytest.mark.parametrize("name", CALM)
def test_nobody_is_accused_where_nobody_is_guilty(name: str) -> None:
    assert named(content_of(JOBS[name])) == set()


@pytest.mark.parametrize("family", sorted({rule.family.name for rule in default_rules().rules}))
def test_without_one_family_the_others_work_and_nobody_innocent_is_accused(family: str) -> None:
    rules = default_rules().without(family)
    found = {
        name: {s.rank for s in analyse(parse_capture(content_of(job)), rules=rules).suspects}
        for name, job in JOBS.items()
    }

    assert [name for name in CALM if found[name]] == []
    assert sum(found[name] == JOBS[name].culprits for name in FAULTY) >= 0.6 * len(FAULTY)


def test_rules_name_no_function_or_file_of_the_programs() -> None:
    own = {path.name for path in PROGRAMS.glob("*.py")}
    for path in PROGRAMS.glob("*.py"):
        own |= set(re.findall(r"def (\w+)", path.read_text()))
    # What every model, data set and command line calls so.
    own -= {"__init__", "__len__", "__getitem__", "forward", "main", "run", "train", "save"}
    own -= {"evaluate", "prepare", "report", "close", "finish", "join"}

    for path in RULES.glob("*.toml"):
        for rule in tomllib.loads(path.read_text())["rule"]:
            assert own.isdisjoint(rule.get("names", ()))
            assert own.isdisjoint(PurePosixPath(p).name for p in rule.get("paths", ()))


@pytest.mark.integration
@pytest.mark.torch
@pytest.mark.skipif(
    not HAS_TORCH and os.environ.get("RANKSCOPE_REQUIRE_TORCH") != "1",
    reason="torch is not installed (pip install 'rankscope[torch]')",
)
@pytest.mark.parametrize("job", [JOBS["data_read"], JOBS["alike_storage"]], ids=("read", "alike"))
def test_a_job_that_is_started_now_is_judged_alike(job: RealJob) -> None:
    from tests.suite.real.maker import capture  # noqa: PLC0415 (needs what the agent needs)

    assert named(capture(job)) == job.culprits
