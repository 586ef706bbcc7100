"""All adapters. An item goes to the one its address names, or to the first that recognises it."""

from bot.adapters import (
    aistudio,
    alertmanager,
    canonical,
    cloudevents,
    conditions,
    dlrover,
    generic,
    kubernetes,
    nvrx,
    pods,
    slurm,
    volcano,
)
from bot.adapters.adapter import Adapter, Item
from rankscope.errors import NotFound

ADAPTERS: tuple[Adapter, ...] = (
    canonical.ADAPTER,
    cloudevents.ADAPTER,
    alertmanager.ADAPTER,
    pods.ADAPTER,
    kubernetes.ADAPTER,
    conditions.ADAPTER,
    volcano.ADAPTER,
    slurm.ADAPTER,
    dlrover.ADAPTER,
    nvrx.ADAPTER,
    aistudio.ADAPTER,
    generic.ADAPTER,
)
BY_NAME = {name: one for one in ADAPTERS for name in (one.name, *one.aliases)}


def adapter_named(source: str) -> Adapter:
    """Return the adapter of an address; raises NotFound that lists the addresses there are."""
    if source not in BY_NAME:
        known = ", ".join(sorted(BY_NAME))
        raise NotFound(
            f"There is no source {source[:80]!r}.", f"Send to /webhooks/<source>, one of: {known}."
        )
    return BY_NAME[source]


def adapter_for(item: Item, chosen: Adapter) -> Adapter:
    """Return the adapter that reads an item: a pod sent to the address of jobs is still a pod."""
    if chosen.recognises(item):
        return chosen
    return next((one for one in ADAPTERS if one.recognises(item)), chosen)
