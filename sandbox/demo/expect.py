"""What must stand on the card of a fault, beside the ranks that a capture names."""

from collections.abc import Iterator

from rankscope.model.text import Text
from rankscope.text import say
from sandbox.cluster.faults import Fault
from sandbox.demo.card_text import Json, card_text, element_ids
from sandbox.demo.parts import Setup

OOM = "CUDA out of memory"
STAGE = "triage-after-check-title"


def is_about_failure(card: Json) -> bool:
    """Whether a card shows the first error of the demo's failed job."""
    return "first_error" in element_ids(card) and OOM in card_text(card)


def lacks(setup: Setup, card: Json) -> Iterator[Text]:
    """Yield what a card should have and has not."""
    parts, text = element_ids(card), card_text(card)
    if setup.fault is Fault.SLOW:
        wanted = {"slowness": "slowness" in parts, "chart": "step_times" in parts}
    elif setup.fault is Fault.OOM:
        wanted = {
            "error": OOM in text,
            "rank": f"rank {setup.fault_rank}" in text,
            "stage": say(STAGE).of(setup.language) in text,
        }
    else:
        wanted = {}
    for name, there in wanted.items():
        if not there:
            yield say(f"demo-card-{name}")
