"""Keeps the embedded Redis for the demo: `python -m sandbox.demo.redis_keeper PARENT_PID FOLDER`.

The server is not a child that dies with its parent, so that it can write its file to the end. This
process stops it properly when it is told to, and when the demo is killed.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import click

from rankscope.store.server import start_server
from sandbox.cluster.lifeline import die_with_parent


def main() -> None:
    """Start the server, say so, and stop it at SIGTERM."""
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent(int(sys.argv[1]), signal.SIGTERM)
    server = start_server(Path(sys.argv[2]))
    try:
        click.echo("ready")
        os.waitpid(server.pid, 0) if server.process else signal.pause()
    finally:
        server.stop()


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    sys.exit(0)


if __name__ == "__main__":
    main()
