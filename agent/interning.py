"""Send identical stacks of a node once (docs/agent-api.md, "Interned stacks"); pure."""

from typing import Any

import msgspec


def interned(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample with `stacks`, and threads that name theirs by number as `stack`."""
    numbers: dict[bytes, int] = {}
    stacks: list[object] = []

    def number(frames: object) -> int:
        key = msgspec.json.encode(frames)
        if key not in numbers:
            numbers[key] = len(stacks)
            stacks.append(frames)
        return numbers[key]

    def thread(raw: dict[str, Any]) -> dict[str, Any]:
        rest = {name: value for name, value in raw.items() if name != "frames"}
        return {**rest, "stack": number(raw.get("frames") or [])}

    processes = [
        {**process, "threads": [thread(raw) for raw in process["threads"]]}
        for process in sample["processes"]
    ]
    return {**sample, "stacks": stacks, "processes": processes}
