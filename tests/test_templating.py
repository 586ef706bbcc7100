from pathlib import Path

import pytest
from jinja2 import UndefinedError

from rankscope.errors import ConfigurationError
from rankscope.templating import environment, shipped_templates


def test_our_templates_are_found_in_a_checkout() -> None:
    assert (shipped_templates() / "cards" / "incident.json.j2").is_file()


def test_our_templates_are_found_in_an_installed_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankscope.templating._INSTALLED", tmp_path)

    assert shipped_templates() == tmp_path


def test_a_users_folder_replaces_single_templates(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "note.json.j2").write_text("mine", encoding="utf-8")

    found = environment(tmp_path)

    assert found.get_template("cards/note.json.j2").render() == "mine"
    assert found.get_template("cards/incident.json.j2")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        environment(tmp_path / "absent")


def test_html_is_escaped_and_a_missing_value_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.html.j2").write_text("{{ name }}", encoding="utf-8")
    page = environment(tmp_path).get_template("page.html.j2")

    assert page.render(name="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        page.render()
