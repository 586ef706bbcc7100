import pytest

from agent.ranks import local_rank_of, rank_of, world_size_of


@pytest.mark.parametrize(
    ("env", "rank"),
    [
        ({"RANK": "3", "OMPI_COMM_WORLD_RANK": "0", "SLURM_PROCID": "0"}, 3),
        ({"OMPI_COMM_WORLD_RANK": "5", "SLURM_PROCID": "0"}, 5),
        ({"PMI_RANK": "6"}, 6),
        ({"MV2_COMM_WORLD_RANK": "7"}, 7),
        ({"SLURM_PROCID": "8"}, 8),
        ({"RANK": "-1"}, None),
        ({"RANK": "٣"}, None),
        ({"RANK": "9" * 30}, None),
        ({}, None),
    ],
)
def test_rank(env: dict[str, str], rank: int | None) -> None:
    assert rank_of(env) == rank


@pytest.mark.parametrize(
    ("env", "cmdline", "local_rank"),
    [
        ({"LOCAL_RANK": "1"}, ["--local_rank=2"], 1),
        ({"SLURM_LOCALID": "4"}, [], 4),
        ({}, ["python", "train.py", "--local-rank=2"], 2),
        ({}, ["python", "train.py", "--local_rank", "3"], 3),
        ({}, ["python", "train.py", "--local_rank"], None),
        ({}, [], None),
    ],
)
def test_local_rank(env: dict[str, str], cmdline: list[str], local_rank: int | None) -> None:
    assert local_rank_of(env, cmdline) == local_rank


def test_world_size() -> None:
    assert world_size_of({"WORLD_SIZE": "16", "SLURM_NTASKS": "2"}) == 16
    assert world_size_of({}) is None
