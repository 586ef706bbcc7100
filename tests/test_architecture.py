"""The rules of docs/architecture.md that a machine can check."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("rankscope", "agent", "bot", "workers", "sandbox")
PURE = ("analysis", "logs", "cards", "chat", "model")
INPUT_OUTPUT = {"httpx", "redis", "rq", "socket", "subprocess", "lark_oapi", "requests", "asyncio"}
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    forbidden = set(PACKAGES) - {package, "rankscope"}

    assert not [module for module in imports(path) if module.split(".")[0] in forbidden]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_analysis_logs_cards_and_chat_do_no_input_or_output(path: Path) -> None:
    parts = path.relative_to(ROOT).parts
    if parts[0] != "rankscope" or parts[1] not in PURE:
        return

    assert not [module for module in imports(path) if module.split(".")[0] in INPUT_OUTPUT]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_holds_more_than_one_idea(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
