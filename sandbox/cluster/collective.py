"""A ring all-reduce over TCP, in plain Python.

Each rank sends to the next and receives from the previous one. A vector is cut into one piece per
rank; after world_size - 1 exchanges every rank holds one complete sum, and after as many again it
holds them all. Nobody can leave before everybody has come, which is what makes a job hang.
"""

import select
import socket
from array import array
from collections.abc import Sequence
from typing import Self, TypeAlias

from sandbox.cluster.store import Address, rendezvous

Piece: TypeAlias = "array[float]"


class RingError(RuntimeError):
    """The sums are wrong, so that the ranks are no longer in the same step."""


class Ring:
    """The process group of one job; every rank calls the same operations in the same order."""

    def __init__(
        self, rank: int, world_size: int, previous: socket.socket, following: socket.socket
    ) -> None:
        self.rank = rank
        self.world_size = world_size
        self._previous = previous
        self._following = following
        self._heard_from = [previous]

    @classmethod
    def connect(cls, master: Address, rank: int, world_size: int, host: str) -> Self:
        """Meet the other ranks and connect to both neighbours; `host` is this node's address."""
        with socket.create_server((host, 0)) as listener:
            mine = Address(host, listener.getsockname()[1])
            everybody = rendezvous(master, rank, world_size, mine)
            neighbour = everybody[(rank + 1) % world_size]
            following = socket.create_connection((neighbour.host, neighbour.port))
            previous, _ = listener.accept()
        following.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(rank, world_size, previous, following)

    def close(self) -> None:
        """Leave the ring."""
        self._following.close()
        self._previous.close()

    def all_reduce(self, values: Sequence[float], step: int) -> list[float]:
        """Return the element-wise sums over all ranks; raises RingError when they cannot be right.

        Each rank adds its number and the step to the vector, so that a wrong partner is noticed.
        """
        pieces = _cut([*values, self.rank + 1.0, float(step)], self.world_size)
        self._reduce_scatter(pieces)
        self._all_gather(pieces)
        joined = [value for piece in pieces for value in piece][: len(values) + 2]
        self._check(joined[-2:], step)
        return joined[:-2]

    def _reduce_scatter(self, pieces: list[Piece]) -> None:
        for turn in range(self.world_size - 1):
            mine = (self.rank - turn) % self.world_size
            theirs = (mine - 1) % self.world_size
            received = self._exchange(pieces[mine])
            pieces[theirs] = array("d", map(sum, zip(pieces[theirs], received, strict=True)))

    def _all_gather(self, pieces: list[Piece]) -> None:
        for turn in range(self.world_size - 1):
            mine = (self.rank + 1 - turn) % self.world_size
            pieces[(mine - 1) % self.world_size] = self._exchange(pieces[mine])

    def _exchange(self, piece: Piece) -> Piece:
        self._send(piece.tobytes())
        received = array("d")
        received.frombytes(self._receive(len(piece) * piece.itemsize))
        return received

    def _send(self, data: bytes) -> None:
        try:
            self._following.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return  # The next rank is gone; as with NCCL, this one then waits for the previous.

    def _receive(self, size: int) -> bytes:
        """Read from the previous rank, and wait for ever when it is gone, as a GPU kernel does."""
        data = bytearray()
        while len(data) < size:
            select.select(self._heard_from, [], [])
            piece = read_from(self._previous, size - len(data))
            data += piece
            if not piece:
                self._heard_from = []
        return bytes(data)

    def _check(self, marks: list[float], step: int) -> None:
        expected = [self.world_size * (self.world_size + 1) / 2, float(self.world_size * step)]
        if marks != expected:
            raise RingError(
                f"rank {self.rank}, step {step}: all_reduce gave {marks}, not {expected}"
            )


def read_from(connection: socket.socket, size: int) -> bytes:
    """Read at most `size` bytes; none when the other side has closed or is gone."""
    try:
        return connection.recv(size)
    except ConnectionResetError:
        return b""


def _cut(values: list[float], count: int) -> list[Piece]:
    length = -(-len(values) // count)
    padded = values + [0.0] * (length * count - len(values))
    return [array("d", padded[start : start + length]) for start in range(0, len(padded), length)]
