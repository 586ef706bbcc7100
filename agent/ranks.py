"""Which rank a process is, from its environment and command line."""

import re
from collections.abc import Mapping, Sequence

# RANK first: torchrun overwrites it, while the launchers' own variables then count nodes.
RANK_VARIABLES = (
    "RANK",
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",
)
LOCAL_RANK_VARIABLES = (
    "LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "SLURM_LOCALID",
)
WORLD_SIZE_VARIABLES = (
    "WORLD_SIZE",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "SLURM_NTASKS",
)
_MAX_RANK = 1 << 24
_LOCAL_RANK_OPTION = re.compile(r"^--local[-_]rank(?:=(\d+))?$")


def rank_of(env: Mapping[str, str]) -> int | None:
    """Return the global rank, or None when the environment names none."""
    return _first_number(env, RANK_VARIABLES)


def world_size_of(env: Mapping[str, str]) -> int | None:
    """Return how many ranks the job has, or None when the environment does not say."""
    return _first_number(env, WORLD_SIZE_VARIABLES)


def local_rank_of(env: Mapping[str, str], cmdline: Sequence[str]) -> int | None:
    """Return the rank on the node, from the environment, else from `--local_rank`."""
    found = _first_number(env, LOCAL_RANK_VARIABLES)
    return found if found is not None else _from_option(cmdline)


def _first_number(env: Mapping[str, str], names: Sequence[str]) -> int | None:
    for name in names:
        value = env.get(name, "")
        if value.isascii() and value.isdigit() and len(value) < 9 and int(value) < _MAX_RANK:
            return int(value)
    return None


def _from_option(cmdline: Sequence[str]) -> int | None:
    for position, argument in enumerate(cmdline):
        match = _LOCAL_RANK_OPTION.match(argument)
        if match:
            following = cmdline[position + 1] if position + 1 < len(cmdline) else ""
            value = match[1] or following
            return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else None
    return None
