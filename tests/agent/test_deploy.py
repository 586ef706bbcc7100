"""The files that run the agent agree with each other, with its settings and with its needs."""

import re
from pathlib import Path
from typing import Any

import pytest

from agent.settings import AgentSettings

DEPLOY = Path(__file__).parents[2] / "deploy"
UNIT = (DEPLOY / "systemd/rankscope-agent.service").read_text()
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
NEEDED = {"SYS_PTRACE", "DAC_READ_SEARCH"}


@pytest.fixture
def pod() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    manifest = yaml.safe_load((DEPLOY / "kubernetes/agent-daemonset.yaml").read_text())
    assert manifest["kind"] == "DaemonSet"
    labels = manifest["spec"]["template"]["metadata"]["labels"]
    assert manifest["spec"]["selector"]["matchLabels"].items() <= labels.items()
    spec: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return spec


def test_the_daemonset_has_just_what_the_agent_needs(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    security = container["securityContext"]
    assert pod["hostPID"] is True
    assert security["capabilities"] == {"drop": ["ALL"], "add": sorted(NEEDED, reverse=True)}
    assert security["privileged"] is False
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert not pod["automountServiceAccountToken"]


def test_the_daemonset_sets_settings_that_exist(pod: dict[str, Any]) -> None:
    names = {variable["name"] for variable in pod["containers"][0]["env"]} - {"POD_IP"}
    assert names <= {f"RANKSCOPE_AGENT_{name.upper()}" for name in AgentSettings.model_fields}


def test_the_unit_has_the_same_capabilities() -> None:
    for key in ("AmbientCapabilities", "CapabilityBoundingSet"):
        match = re.search(rf"^{key}=(.*)$", UNIT, re.MULTILINE)
        assert match
        assert set(match[1].split()) == {f"CAP_{name}" for name in NEEDED}


def test_the_images_are_those_that_the_manifests_name(pod: dict[str, Any]) -> None:
    assert f"-t {pod['containers'][0]['image']} " in DOCKERFILE
    stages = re.findall(r"^FROM \S+ AS (\S+)$", DOCKERFILE, re.MULTILINE)
    assert stages == ["build", "agent", "rankscope"]
    assert set(re.findall(r"--from=(\S+)", DOCKERFILE)) <= set(stages)


def test_only_the_agent_s_image_runs_as_root() -> None:
    services = DOCKERFILE.partition("AS rankscope\n")[2]
    assert "\nUSER rankscope\n" in services


def test_every_package_of_the_images_is_hashed() -> None:
    for name in re.findall(r"-r (requirements/\S+)", DOCKERFILE):
        text = (DEPLOY.parent / name).read_text()
        packages = re.findall(r"^[a-zA-Z0-9].*==", text, re.MULTILINE)
        assert packages
        assert text.count("--hash=sha256:") >= len(packages), name
    assert DOCKERFILE.count("pip install") == DOCKERFILE.count("--require-hashes") + 2
