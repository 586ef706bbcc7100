import tomllib
from pathlib import Path

import pytest

from rankscope.analysis.report import analyse
from rankscope.analysis.rules import RULES, default_rules, load_rules
from rankscope.errors import ConfigurationError
from tests.analysis import builders as b
from tests.analysis.builders import At, others, piped, twice
from tests.analysis.scenarios import GUILTY

FAMILIES = sorted({tomllib.loads(p.read_text())["family"] for p in RULES.glob("*.toml")})


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_can_be_missing(family: str) -> None:
    rules = default_rules().without(family)

    for capture, *_ in GUILTY.values():
        assert analyse(capture, rules=rules).verdict.text.zh


def test_without_pipeline_rules_the_collectives_still_work() -> None:
    rules = default_rules().without("p2p")
    capture = twice(others(4, At(b.ALL_REDUCE), r2=piped(b.READ)))

    assert [s.rank for s in analyse(capture, rules=rules).suspects] == [2]


def test_users_add_rules_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(
        'family = "collective"\nwaits_for = "peers"\nstrength = "firm"\n'
        '[[rule]]\npaths = ["atlas/mesh.py"]\nnames = ["meet"]\n'
    )
    meet = At((*b.stack("Mesh.meet ~/mesh.py:9"), *b.LOOP))
    capture = twice(others(4, meet, r1=piped(b.READ), r2=piped(b.READ)))

    report = analyse(capture, rules=load_rules([RULES, tmp_path]))

    assert [s.rank for s in report.suspects] == [1, 2]
    assert "collective meet" in report.suspects[0].reasons[-1].en


@pytest.mark.parametrize(
    "text",
    [
        "family = 3 [",
        'family = "x"',
        'family = "x"\nwaits_for = "peers"\nstrength = "firm"\n[[rule]]\nname = ["f"]',
        'family = "x"\nwaits_for = "peers"\nstrength = "firm"\n[[rule]]\nname_regex = "("',
        'family = "x"\nwaits_for = "peers"\nstrength = "firm"\n[[rule]]\nkinds = ["mine"]',
    ],
)
def test_a_bad_rule_is_a_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.toml").write_text(text)

    with pytest.raises(ConfigurationError, match=r"bad\.toml cannot be used"):
        load_rules([tmp_path])
