"""Rendezvous at MASTER_ADDR:MASTER_PORT: every rank says where it listens and hears of the others.

Rank 0 serves it, once, in a thread, as PyTorch's TCPStore does. Every rank sends one JSON line and
gets all of them back.
"""

import json
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass

CONNECT_TIMEOUT_S = 60.0
_RETRY_S = 0.1


@dataclass(frozen=True, slots=True)
class Address:
    """Where a rank listens for its neighbour in the ring."""

    host: str
    port: int


def rendezvous(master: Address, rank: int, world_size: int, mine: Address) -> dict[int, Address]:
    """Return the addresses of all ranks, as soon as all have come; raises OSError."""
    if rank == 0:
        server = socket.create_server((master.host, master.port), backlog=world_size)
        threading.Thread(
            target=_serve, args=(server, world_size), name="store", daemon=True
        ).start()
    with _connect(master) as connection, connection.makefile("rw", encoding="utf-8") as stream:
        stream.write(json.dumps({"rank": rank, "host": mine.host, "port": mine.port}) + "\n")
        stream.flush()
        answers: list[dict[str, int | str]] = json.loads(stream.readline())
    return {int(one["rank"]): Address(str(one["host"]), int(one["port"])) for one in answers}


def _serve(server: socket.socket, world_size: int) -> None:
    with server, ExitStack() as opened:
        streams = []
        for _ in range(world_size):
            connection = opened.enter_context(server.accept()[0])
            streams.append(opened.enter_context(connection.makefile("rw", encoding="utf-8")))
        lines = [stream.readline().strip() for stream in streams]
        for stream in streams:
            stream.write(f"[{','.join(lines)}]\n")
            stream.flush()


def _connect(master: Address) -> socket.socket:
    end = time.monotonic() + CONNECT_TIMEOUT_S
    while True:
        try:
            return socket.create_connection((master.host, master.port))
        except ConnectionRefusedError:  # Rank 0 is not there yet.
            if time.monotonic() > end:
                raise
            time.sleep(_RETRY_S)
