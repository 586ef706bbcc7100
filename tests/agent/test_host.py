from pathlib import Path

from agent.host import examine, has_capability
from tests.agent.conftest import agent_settings

STATUS = "Name:\tx\nCapPrm:\t0000000000080004\nCapEff:\t0000000000080004\n"


def test_capabilities_are_bits() -> None:
    assert has_capability(STATUS, 19)
    assert has_capability(STATUS, 2)
    assert not has_capability(STATUS, 21)
    assert not has_capability("", 19)


def test_a_py_spy_that_fails_is_shown_with_its_words(tmp_path: Path) -> None:
    binary = tmp_path / "py-spy"
    binary.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "no luck" >&2; exit 1\n')
    binary.chmod(0o755)
    findings = list(examine(agent_settings(py_spy=str(binary))))
    bad = [finding for finding in findings if finding.required and not finding.ok]
    assert len(bad) == 1
    assert "no luck" in bad[0].text.en
    assert bad[0].advice
