"""Jinja2 environment of cards, pages and reports; a user's folder may replace single templates."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from rankscope.errors import ConfigurationError
from rankscope.settings import settings

_CHECKOUT = Path(__file__).parents[1] / "templates"
_INSTALLED = Path(__file__).parent / "_templates"


# Marks that turn the direction of text around: `exe.png` may really be called `gnp.exe`.
_DIRECTION_MARKS = dict.fromkeys(
    (0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)


def _one_direction(value: object) -> object:
    return value.translate(_DIRECTION_MARKS) if isinstance(value, str) else value


def shipped_templates() -> Path:
    """Return the folder of our own templates: in an installed wheel, or in a source checkout."""
    return _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


@cache
def environment(folder: Path | None = None) -> Environment:
    """Return an environment that looks into `folder` first; raises ConfigurationError without it.

    HTML is escaped automatically; JSON templates put every value through `tojson`.
    """
    if folder is not None and not folder.is_dir():
        raise ConfigurationError(
            f"The templates folder {folder} does not exist.",
            "Create it, or remove RANKSCOPE_TEMPLATES_DIR.",
        )
    folders = [shipped_templates()] if folder is None else [folder, shipped_templates()]
    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=select_autoescape(enabled_extensions=("html.j2",), default=False),
        undefined=StrictUndefined,
        finalize=_one_direction,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def templates() -> Environment:
    """Return the environment of this process, with the folder of its settings."""
    return environment(settings().templates_dir)
