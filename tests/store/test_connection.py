import os
import signal
import threading
import time
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from rankscope.store.connection import connect
from rankscope.store.server import start_server


def test_a_command_rides_out_a_restart_of_the_server(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("s")
    first = start_server(folder)
    restarted = []

    def restart() -> None:
        time.sleep(0.5)
        restarted.append(start_server(folder))

    with connect(first.url, patience_tries=40) as client:
        client.set("kept", "yes")
        os.kill(first.pid, signal.SIGKILL)
        first.stop()
        thread = threading.Thread(target=restart)
        thread.start()

        assert client.get("kept") == b"yes"

    thread.join()
    restarted[0].stop()


def test_patience_ends(tmp_path: Path) -> None:
    client = connect(f"unix://{tmp_path}/none.sock", patience_tries=2)

    with pytest.raises(RedisConnectionError):
        client.ping()
