"""Settings that help while a problem is looked for and cost speed when they are left on."""

from collections.abc import Iterable, Mapping

from rankscope.model.text import Text
from rankscope.text import say

_ON = frozenset({"1", "true", "yes", "on"})
_SWITCHES = {
    "NCCL_P2P_DISABLE": "transport",
    "NCCL_IB_DISABLE": "transport",
    "NCCL_SHM_DISABLE": "transport",
    "CUDA_LAUNCH_BLOCKING": "blocking",
    "TORCH_NCCL_BLOCKING_WAIT": "blocking",
    "NCCL_BLOCKING_WAIT": "blocking",
    "TORCH_SHOW_CPP_STACKTRACES": "verbose",
}
_VALUES = {
    ("NCCL_DEBUG", "info"): "verbose",
    ("NCCL_DEBUG", "trace"): "verbose",
    ("NCCL_NET_PLUGIN", "none"): "transport",
    ("NCCL_NET", "socket"): "transport",
    ("TORCH_DISTRIBUTED_DEBUG", "detail"): "verbose",
    ("TORCH_CPP_LOG_LEVEL", "info"): "verbose",
}


def check_debug_settings(processes: Iterable[Mapping[str, str]]) -> tuple[Text, ...]:
    """Return the debugging settings that a job's processes carry; remove them before a long run."""
    kinds: dict[str, str] = {}
    for env in processes:
        for name, value in env.items():
            kind = _kind(name, value.strip().lower())
            if kind:
                kinds[f"{name}={value.strip()}"] = kind
    return tuple(
        say(f"triage-debug-{kind}", settings=", ".join(_of_kind(kinds, kind)))
        for kind in ("transport", "blocking", "verbose")
        if kind in kinds.values()
    )


def _of_kind(kinds: Mapping[str, str], kind: str) -> list[str]:
    return sorted(setting for setting, of_kind in kinds.items() if of_kind == kind)


def _kind(name: str, value: str) -> str | None:
    if name == "NCCL_DEBUG_SUBSYS" and value:
        return "verbose"
    if value in _ON and name in _SWITCHES:
        return _SWITCHES[name]
    return _VALUES.get((name, value))
