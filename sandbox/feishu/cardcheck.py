"""Does the platform take a card? The rules that concern a card as a whole.

Source: card JSON 2.0 structure, the component pages, and the sub-codes of code 230099 on the page
im-v1/message/create: 200 components, 5 levels of containers, 5 tables at the root only, unique
element ids, 4 tables in one markdown, rows that fit their columns, known people and images.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from sandbox.feishu.cardcomponents import CONTAINERS, INTERACTIVE, card
from sandbox.feishu.cardrules import BAD_JSON, Problem
from sandbox.feishu.cardtables import table_problems
from sandbox.feishu.soundness import is_sound

MOST_BYTES: Final = 30 * 1024
MOST_COMPONENTS: Final = 200
MOST_LEVELS: Final = 5
MOST_TABLES: Final = 5
MOST_MARKDOWN_TABLES: Final = 4
LIMIT: Final = 11310
BAD_CHART: Final = 200550
BAD_IMAGE: Final = 200570
NO_NAME: Final = 200530
BAD_PERSON: Final = 100290

Json = dict[str, object]
_TABLE_RULE = re.compile(r"^ {0,3}\|?(?=.*-)(?=.*\|)[ :|-]+\|?\s*$", re.MULTILINE)
_PERSON_IN_TEXT = re.compile(
    r"<(?:at|person)\b[^<>]*?\b(?:ids?|user_id)\s*=\s*['\"]?([\w,@.-]+)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Known:
    """What a card may refer to."""

    people: Collection[str] = ()
    images: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A component with where it is and how many containers are around it."""

    node: Json
    path: str
    level: int
    container: str

    @property
    def tag(self) -> str:
        """The component's tag."""
        return str(self.node.get("tag", ""))


def problems(content: object, known: Known) -> Iterator[Problem]:
    """Yield everything that the platform would refuse, most basic first."""
    if not isinstance(content, dict):
        yield Problem(BAD_JSON, "the card must be a JSON object", "")
        return
    if not is_sound(content):
        yield Problem(BAD_JSON, "the card is nested too deeply or is not valid Unicode", "")
        return
    if content.get("schema") != "2.0":
        yield Problem(BAD_JSON, 'schema must be "2.0"; the emulator knows JSON 2.0 only', "schema")
    yield from _config_problems(content)
    yield from card(content, "")
    found = list(places(content))
    checks = (_counts, _ids, _nesting, _forms, _buttons)
    yield from chain.from_iterable(check(content, found) for check in checks)
    for place in found:
        yield from _component_problems(place, known)
    yield from _people_problems(content, known)


def _config_problems(content: Json) -> Iterator[Problem]:
    config = content.get("config")
    if isinstance(config, dict) and config.get("update_multi") is False:
        yield Problem(BAD_JSON, "update_multi must not be false in JSON 2.0", "config.update_multi")


def _tagged(value: object) -> Iterator[Json]:
    """Yield every object with a tag, wherever it is."""
    if isinstance(value, dict):
        if "tag" in value:
            yield value
        yield from chain.from_iterable(_tagged(item) for item in value.values())
    elif isinstance(value, list):
        yield from chain.from_iterable(_tagged(item) for item in value)


def _children(node: Json) -> Iterator[tuple[str, Json]]:
    for name in ("elements", "columns"):
        children = node.get(name)
        if isinstance(children, list) and node.get("tag") != "table":
            for place, child in enumerate(children):
                if isinstance(child, dict):
                    yield f"{name}[{place}]", child


def places(content: Json) -> Iterator[Place]:
    """Yield every component of a card, outermost first."""
    body = content.get("body")
    if isinstance(body, dict):
        yield from _walk(body, "body", 0, "")


def _walk(parent: Json, path: str, level: int, container: str) -> Iterator[Place]:
    for step, child in _children(parent):
        place = Place(child, f"{path}.{step}", level, container)
        yield place
        inside = place.tag in CONTAINERS
        yield from _walk(child, place.path, level + inside, place.tag if inside else container)


def _counts(content: Json, found: list[Place]) -> Iterator[Problem]:
    count = sum(1 for _ in _tagged(content))
    if count > MOST_COMPONENTS:
        what = f"card element number over limit, {count} > {MOST_COMPONENTS}"
        yield Problem(LIMIT, what, "body")
    tables = sum(place.tag == "table" for place in found)
    if tables > MOST_TABLES:
        yield Problem(LIMIT, f"card table number over limit, {tables} > {MOST_TABLES}", "body")


def _ids(content: Json, found: list[Place]) -> Iterator[Problem]:
    del found
    ids = Counter(str(node["element_id"]) for node in _tagged(content) if "element_id" in node)
    for name, times in ids.items():
        if times > 1:
            yield Problem(BAD_JSON, f"element_id {name} is used {times} times", "body")


def _nesting(content: Json, found: list[Place]) -> Iterator[Problem]:
    del content
    for place in found:
        if place.tag in CONTAINERS and place.level >= MOST_LEVELS:
            yield Problem(LIMIT, f"more than {MOST_LEVELS} levels of containers", place.path)
        if place.tag in {"table", "form"} and place.level:
            yield Problem(BAD_JSON, f"{place.tag} is allowed at the root only", place.path)
        if place.tag == "chart" and place.container == "form":
            yield Problem(BAD_JSON, "chart is not allowed inside a form", place.path)


def _forms(content: Json, found: list[Place]) -> Iterator[Problem]:
    del content
    names: Counter[str] = Counter()
    for form in (place for place in found if place.tag == "form"):
        inside = [p for p in found if p.path.startswith(f"{form.path}.") and p.tag in INTERACTIVE]
        for place in inside:
            name = str(place.node.get("name", ""))
            names[name] += 1
            if not name:
                yield Problem(NO_NAME, "an item of a form needs a name", place.path)
            elif names[name] > 1:
                yield Problem(BAD_JSON, f"the name {name} is used twice", place.path)
        if not any(place.node.get("form_action_type") == "submit" for place in inside):
            yield Problem(BAD_JSON, "a form needs a button that submits it", form.path)


def _buttons(content: Json, found: list[Place]) -> Iterator[Problem]:
    del content
    for place in found:
        if place.tag == "button" and not (place.node.get("text") or place.node.get("icon")):
            yield Problem(BAD_JSON, "a button needs a text or an icon", place.path)


def _component_problems(place: Place, known: Known) -> Iterator[Problem]:
    node = place.node
    if place.tag == "table":
        yield from table_problems(node, place.path)
    elif place.tag == "chart":
        spec = node.get("chart_spec")
        if not (isinstance(spec, dict) and isinstance(spec.get("type"), str)):
            yield Problem(BAD_CHART, "chart_spec is invalid: it needs a type", place.path)
    elif place.tag == "markdown":
        tables = len(_TABLE_RULE.findall(str(node.get("content", ""))))
        if tables > MOST_MARKDOWN_TABLES:
            yield Problem(LIMIT, f"{tables} tables in one markdown, at most 4", place.path)
    for key in _image_keys(node):
        if key not in known.images:
            yield Problem(BAD_IMAGE, f"the image key {key} is not valid", place.path)


def _image_keys(node: Mapping[str, object]) -> Iterator[str]:
    if node.get("tag") == "img":
        yield str(node.get("img_key", ""))
    listed = node.get("img_list")
    if isinstance(listed, list):
        yield from (str(item.get("img_key", "")) for item in listed if isinstance(item, dict))


def _people_problems(content: Json, known: Known) -> Iterator[Problem]:
    for node in _tagged(content):
        for open_id in _people_in(node):
            if open_id not in known.people:
                what = "There is an invalid user resource(at/person) in your card"
                yield Problem(BAD_PERSON, f"{what}: {open_id}", str(node["tag"]))


def _people_in(node: Json) -> Iterator[str]:
    if node["tag"] in {"markdown", "lark_md"}:
        for ids in _PERSON_IN_TEXT.findall(str(node.get("content", ""))):
            yield from (one for one in ids.split(",") if one and one != "all")
    elif node["tag"] == "person":
        yield str(node.get("user_id", ""))
    persons = node.get("persons")
    if isinstance(persons, list) and not node.get("drop_invalid_user_id"):
        yield from (str(person.get("id", "")) for person in persons if isinstance(person, dict))
