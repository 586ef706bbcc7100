"""Names a team might give to its own files, classes and functions; drawn anew for every job."""

from dataclasses import dataclass
from random import Random

_FOLDERS = (
    "/mnt/work/orca",
    "/home/ana/code/lynx",
    "/workspace",
    "/data/u12/exp/heron",
    "/code/ibex",
)
_CLASSES = ("Runner", "Session", "Campaign", "Coach", "Workflow", "Experiment", "Pilot")
_FIT = ("fit", "run", "go", "learn", "loop", "run_epochs")
_STEP = ("step", "advance", "one_batch", "iterate", "do_update", "tick")
_FILES = ("runner", "core", "engine2", "session", "workflow", "learner")
_SHARE = ("mean_gradients", "combine", "merge_grads", "average", "settle", "exchange")
_READ = ("take", "pull", "fetch_rows", "next_rows", "grab", "get_text")
_FEED = ("Feeder", "Corpus", "Rows", "TextSource", "Stream")
_NET = ("Encoder", "Tower", "Mixer", "Layer", "Unit")
_ASIDE = {
    "evaluate": ("evaluate", "validate", "run_eval", "eval_epoch", "validation_loop"),
    "save": ("save_model", "checkpoint", "save_state", "write_checkpoint", "save_checkpoint"),
    "log": ("log_metrics", "report", "write_log", "publish_metrics", "log_samples"),
    "prepare": ("build_index", "prepare_data", "tokenize_all", "make_cache"),
    "close": ("finish", "close", "wrap_up", "teardown"),
}


@dataclass(frozen=True)
class Words:
    """The vocabulary of one job."""

    folder: str
    loop: str
    fit: str
    step: str
    file: str
    share: str
    read: str
    feed: str
    net: str
    evaluate: str
    save: str
    log: str
    prepare: str
    close: str


def words(random: Random) -> Words:
    """Draw a vocabulary."""
    pick = random.choice
    return Words(
        folder=pick(_FOLDERS), loop=pick(_CLASSES), fit=pick(_FIT), step=pick(_STEP),
        file=pick(_FILES), share=pick(_SHARE), read=pick(_READ), feed=pick(_FEED), net=pick(_NET),
        **{what: pick(names) for what, names in _ASIDE.items()},
    )  # fmt: skip
