import pytest

from rankscope.nccl.versions import WALK_BUG, NcclVersion


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.21.5", "2.21.5"),
        ("NCCL_VERSION=2.21.5-1", "2.21.5"),
        ("libnccl2=2.21.5-1+cuda12.4", "2.21.5"),
        ("nvidia-nccl-cu12 2.27.5", "2.27.5"),
        ("nccl: (2, 21, 5)", "2.21.5"),
        ("22105", "2.21.5"),
        ("23203", "2.32.3"),
        ("2.31.0a7", "2.31.0"),
        ("2.30.7-1", "2.30.7"),
    ],
)
def test_versions_as_people_and_programs_write_them(text: str, expected: str) -> None:
    assert str(NcclVersion.parse(text)) == expected


@pytest.mark.parametrize("text", ["", "2.21", "1.2.3.4", "none", "cuda12.4", "123456"])
def test_what_is_no_version(text: str) -> None:
    assert NcclVersion.parse(text) is None


def test_versions_are_ordered_by_number() -> None:
    assert NcclVersion(2, 9, 8) < NcclVersion(2, 24, 3) < NcclVersion(2, 24, 10)
    assert NcclVersion(2, 28, 9).is_within(*WALK_BUG)
    assert not NcclVersion(2, 29, 2).is_within(*WALK_BUG)
