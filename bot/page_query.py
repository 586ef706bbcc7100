"""What the address of a report page asks for; anything strange in it means the default."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast, get_args
from urllib.parse import urlencode

from rankscope.model.text import Language

View = Literal["report", "stacks", "nccl"]
VIEWS: tuple[View, ...] = get_args(View)
LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """The query of a page; `rank` is a rank, or a place such as `worker-0-gpu-0`."""

    key: str
    view: View = "report"
    lang: Language = "zh"
    node: str = ""
    rank: str = ""
    sample: int | None = None

    def href(self, **changes: object) -> str:
        """Return the address of the same page with some things changed; empty ones are left out."""
        changed = asdict(replace(self, **changes))  # type: ignore[arg-type]
        kept = {name: value for name, value in changed.items() if value not in {"", None}}
        return f"?{urlencode(kept)}"


def parse_query(parameters: Mapping[str, str], language: Language) -> PageQuery:
    """Read a page's query; `language` is the default one."""
    view, lang = parameters.get("view", ""), parameters.get("lang", "")
    sample = parameters.get("sample", "")
    return PageQuery(
        key=parameters.get("key", ""),
        view=view if view in VIEWS else "report",
        lang=cast("Language", lang) if lang in get_args(Language) else language,
        node=parameters.get("node", "")[:LONGEST],
        rank=parameters.get("rank", "")[:LONGEST],
        sample=int(sample) if sample.isascii() and sample.isdecimal() and len(sample) < 4 else None,
    )
