"""Decodes a RAS answer in JSON (NCCL 2.28.7 and later), repaired where NCCL wrote it wrongly.

The keys are those of src/ras/client_support.cc (json*) at the tags v2.28.7-1 to v2.30.7-1.
"""

import re
from typing import Final

import msgspec

LOST_COMMA = re.compile(rb'("nvml_dev": -?\d+)(\s+"status")')
"""NCCL 2.28.7 and 2.28.9 forget this comma in every missing rank."""


class RankStatus(msgspec.Struct, frozen=True, gc=False):
    """State of a rank that answered; init_state and async_error: 0 fine, 7 in progress."""

    init_state: int
    async_error: int
    finalize_called: bool
    destroy_flag: bool
    abort_flag: bool


class RankCounts(msgspec.Struct, frozen=True, gc=False, array_like=False):
    """Launches by kind; names as NCCL writes them."""

    broadcast: int = msgspec.field(name="Broadcast")
    reduce: int = msgspec.field(name="Reduce")
    all_gather: int = msgspec.field(name="AllGather")
    reduce_scatter: int = msgspec.field(name="ReduceScatter")
    all_reduce: int = msgspec.field(name="AllReduce")


class Rank(msgspec.Struct, frozen=True, gc=False):
    """A rank that answered; pid -1 and host `unknown` where RAS does not know."""

    rank: int
    host: str
    pid: int
    cuda_dev: int
    nvml_dev: int
    status: RankStatus
    collective_counts: RankCounts


class MissingStatus(msgspec.Struct, frozen=True, gc=False):
    """Why a rank is missing; neither means that it answered but is not a member."""

    unresponsive: bool
    considered_dead: bool


class Missing(msgspec.Struct, frozen=True, gc=False):
    """A rank without data."""

    rank: int
    host: str
    pid: int
    cuda_dev: int
    nvml_dev: int
    status: MissingStatus


class Comm(msgspec.Struct, frozen=True, gc=False):
    """One communicator; hash and secondary_hash together are its unique name."""

    hash: str
    secondary_hash: str
    size: int
    ranks_count: int
    missing_ranks_count: int
    ranks: tuple[Rank, ...]
    missing_ranks: tuple[Missing, ...]


class Collection(msgspec.Struct, frozen=True, gc=False):
    """How the answer was collected; seconds."""

    collection_time_sec: float
    timeouts_count: int


class JsonReport(msgspec.Struct, frozen=True, gc=False):
    """A whole answer; timestamp is local time without a zone."""

    nccl_version: str
    cuda_runtime_version: int
    cuda_driver_version: int
    timestamp: str
    communicators_count: int
    communicators: tuple[Comm, ...]
    ras: Collection


KEYS_OF_RANK: Final = 7 + 5 + 5
KEYS_OF_MISSING: Final = 6 + 2
KEYS_OF_COMM: Final = 7
KEYS_OF_REPORT: Final = 7 + 2
_DECODER = msgspec.json.Decoder(JsonReport)


def decode(raw: bytes) -> JsonReport:
    """Decode an answer; raises msgspec.DecodeError when it is cut or not of this form."""
    try:
        return _DECODER.decode(raw)
    except msgspec.DecodeError:
        repaired = LOST_COMMA.sub(rb"\1,\2", raw)
        if repaired == raw:
            raise
        return _DECODER.decode(repaired)


def unknown_keys(raw: bytes, report: JsonReport) -> tuple[str, ...]:
    """Return keys that are not of this form, for a person to see; counting first keeps it quick."""
    expected = KEYS_OF_REPORT + sum(_keys_of(comm) for comm in report.communicators)
    if raw.count(b'":') == expected:
        return ()
    found = {key.decode() for key in re.findall(rb'"(\w{1,60})"\s*:', raw)}
    return tuple(sorted(found - _KNOWN_KEYS))


def _keys_of(comm: Comm) -> int:
    ranks, missing = len(comm.ranks), len(comm.missing_ranks)
    return KEYS_OF_COMM + ranks * KEYS_OF_RANK + missing * KEYS_OF_MISSING


def _keys(*structs: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(name for struct in structs for name in struct.__struct_encode_fields__)


_KNOWN_KEYS = _keys(
    JsonReport, Comm, Rank, RankStatus, RankCounts, Missing, MissingStatus, Collection
)
