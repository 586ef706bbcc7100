import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.cluster.collective import Ring, RingError, read_from
from sandbox.cluster.launch import free_port
from sandbox.cluster.store import Address

RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # l_onoff, l_linger: close sends RST at once


def make_ring(size: int) -> list[Ring]:
    master = Address("127.0.0.1", free_port("127.0.0.1"))
    with ThreadPoolExecutor(size) as pool:
        made = [pool.submit(Ring.connect, master, rank, size, "127.0.0.1") for rank in range(size)]
        return [one.result() for one in made]


def reduce_all(ring: list[Ring], vectors: list[list[float]], steps: list[int]) -> list[list[float]]:
    with ThreadPoolExecutor(len(ring)) as pool:
        return list(pool.map(Ring.all_reduce, ring, vectors, steps))


@pytest.fixture
def trio() -> Iterator[list[Ring]]:
    ring = make_ring(3)
    yield ring
    for one in ring:
        one.close()


@pytest.mark.parametrize("size", [1, 2, 3, 8])
@pytest.mark.parametrize("length", [0, 1, 7, 64])
def test_every_rank_gets_the_sums(size: int, length: int) -> None:
    ring = make_ring(size)
    vectors = [[float(rank * 100 + index) for index in range(length)] for rank in range(size)]
    expected = [sum(column) for column in zip(*vectors, strict=True)]

    results = reduce_all(ring, vectors, [5] * size)

    for one in ring:
        one.close()
    assert results == [expected] * size


def test_a_rank_in_another_step_is_noticed(trio: list[Ring]) -> None:
    with pytest.raises(RingError, match="step"):
        reduce_all(trio, [[1.0]] * 3, [7, 7, 8])


def test_the_others_wait_for_a_rank_that_is_gone() -> None:
    ring = make_ring(3)  # Ranks 0 and 2 are never closed, since their threads wait for ever.
    ring[1].close()
    threads = [
        threading.Thread(target=ring[rank].all_reduce, args=([1.0], 1), daemon=True)
        for rank in (0, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(0.3)

    assert all(thread.is_alive() for thread in threads)


def test_a_reset_connection_counts_as_gone() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as near,
    ):
        far, _ = server.accept()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        far.close()

        assert read_from(near, 8) == b""
