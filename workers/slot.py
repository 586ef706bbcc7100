"""One RQ worker process, started by the supervisor: `python -m workers.slot QUEUE URL_FD …`."""

import importlib
import os
import sys

from rankscope.analysis.rules import default_rules
from rankscope.json_logs import configure_logging
from rankscope.lifeline import die_with
from rankscope.queueing import Queue
from rankscope.store.connection import WORKER_TRIES, connect
from rankscope.text import load_catalogue
from workers.hard_worker import make_worker

URL_VARIABLE = "RANKSCOPE_WORKER_REDIS_URL"
"""How the supervisor passes the URL, which may hold a password: not as an argument for `ps`."""

PRELOADED = {
    Queue.CHAT: ("workers.jobs", "rankscope.feishu.sdk"),
    Queue.WORK: ("workers.jobs",),
}
"""Loaded before jobs are forked, so that they start at once; lark-oapi alone takes 2 s."""


def main(arguments: list[str]) -> None:
    """Serve one queue until told to stop; with `--burst`, until it is empty."""
    queue, parent_pid = Queue(arguments[0]), int(arguments[1])
    die_with(parent_pid)
    configure_logging()
    for module in PRELOADED[queue]:
        importlib.import_module(module)
    load_catalogue()
    default_rules()
    redis = connect(os.environ.pop(URL_VARIABLE), patience_tries=WORKER_TRIES)
    make_worker(redis, queue).work(burst="--burst" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
