"""Turn the watcher's memory into plain data and back, so that it outlives the process.

Only classes of `rankscope.logs` are made again, without calling anything of theirs; their fields
must be those of the class as it is now. Anything else raises Unreadable: then the logs are read
from the beginning, which gives the same events under the same ids.
"""

import sys
from collections import Counter, deque
from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec

from rankscope.errors import RankscopeError

_HOME = "rankscope.logs."


class Unreadable(RankscopeError):
    """The data is not a snapshot of the classes as they are now."""


def freeze(value: object) -> object:
    """Return a value as data that JSON can hold."""
    if value is None or (
        isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)
    ):
        return value
    if isinstance(value, list):
        return [freeze(one) for one in value]
    for name, (kind, parts) in _CONTAINERS.items():
        if type(value) is kind:
            return {"_": name, "of": [freeze(one) for one in parts(value)]}
    if isinstance(value, Enum):
        return {"_": _name_of(type(value)), "is": value.value}
    return {"_": _name_of(type(value)), "has": {k: freeze(v) for k, v in _fields(value).items()}}


def thaw(data: object) -> object:
    """Return the value of frozen data; raises Unreadable."""
    try:
        return _thaw(data)
    except (LookupError, TypeError, ArithmeticError, ValueError, AttributeError) as error:
        raise Unreadable(f"The snapshot does not fit: {error}") from None
    except (RecursionError, MemoryError):
        raise Unreadable("The snapshot is too deep or too large.") from None


def _thaw(data: object) -> object:
    if isinstance(data, list):
        return [_thaw(one) for one in data]
    if not isinstance(data, dict):
        return data
    name = data["_"]
    if name in _MAKE:
        return _MAKE[name]([_thaw(one) for one in data["of"]])
    kind = _class_of(name)
    if "is" in data:
        return _enum(kind, data["is"])
    has = {key: _thaw(value) for key, value in data["has"].items()}
    if issubclass(kind, msgspec.Struct):
        return kind(**has)
    made: object = object.__new__(kind)
    for key, value in has.items():
        object.__setattr__(made, key, value)
    _check_fields(kind, made)
    return made


def _enum(kind: type, value: object) -> Enum:
    if not issubclass(kind, Enum):
        raise Unreadable(f"{kind.__name__} is no enumeration.")
    return kind(value)


def _check_fields(kind: type, made: object) -> None:
    """Compare with a fresh object, where one can be made; a newer version may have more fields."""
    slots = set(_slots(kind))
    if slots:
        missing = {name for name in slots if not hasattr(made, name)}
    else:
        missing = set(vars(kind())) ^ set(vars(made)) if _needs_nothing(kind) else set()
    if missing:
        raise Unreadable(f"{kind.__name__} has other fields now: {', '.join(sorted(missing))}.")
    _check_types(kind, made)


def _check_types(kind: type, made: object) -> None:
    """Compare with the types of a fresh object's fields, as far as it has values in them."""
    if not _needs_nothing(kind):
        return
    fresh, found = _fields(kind()), _fields(made)
    for name, value in fresh.items():
        one = found.get(name)
        # None stands for what may be anything, or is not yet known.
        same = value is None or one is None or _form(one) is _form(value)
        if not same:
            raise Unreadable(f"{kind.__name__}.{name} is of another type.")


def _form(value: object) -> type:
    return float if type(value) is int else type(value)


def _needs_nothing(kind: type) -> bool:
    try:
        kind()
    except TypeError:
        return False
    return True


def _fields(value: object) -> dict[str, object]:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    slots = _slots(type(value))
    return {name: getattr(value, name) for name in slots} if slots else dict(vars(value))


def _slots(kind: type) -> list[str]:
    return [name for one in kind.__mro__ for name in getattr(one, "__slots__", ())]


def _name_of(kind: type) -> str:
    if not kind.__module__.startswith(_HOME):
        raise Unreadable(f"{kind.__module__}.{kind.__name__} cannot be kept.")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class_of(name: str) -> type:
    module, _, cls = name.partition(":")
    if not module.startswith(_HOME) or "." in cls:
        raise Unreadable(f"{name} is none of ours.")
    found: object = getattr(sys.modules[module], cls)
    if not isinstance(found, type):
        raise Unreadable(f"{name} is no class.")
    return found


def _made_deque(parts: list[Any]) -> deque[Any]:
    return deque(parts[1:], maxlen=parts[0])


_CONTAINERS: dict[str, tuple[type, Callable[[Any], list[object]]]] = {
    "tuple": (tuple, list),
    "set": (set, list),
    "deque": (deque, lambda value: [value.maxlen, *value]),
    "dict": (dict, lambda value: [[key, one] for key, one in value.items()]),
    "counter": (Counter, lambda value: [[key, one] for key, one in value.items()]),
}
_MAKE: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "set": set,
    "deque": _made_deque,
    "dict": dict,
    "counter": lambda parts: Counter(dict(parts)),
}
