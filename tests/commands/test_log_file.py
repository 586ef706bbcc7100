import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner

from rankscope.commands.errors import errors
from rankscope.commands.log_file import blocks_of
from rankscope.commands.slow import slow
from rankscope.errors import UnusableInput

Pack = Callable[[bytes], bytes]
PACKS: list[Pack] = [gzip.compress, zstandard.ZstdCompressor().compress]
TEXT = "".join(
    f" iteration {n}/ 90000 | elapsed time per iteration (ms): {900 + n * n % 97}.5 | loss: {n} |\n"
    for n in range(1, 20_000)
).encode()


def read(path: Path) -> bytes:
    return b"".join(blocks_of(path))


@pytest.mark.parametrize("pack", PACKS)
def test_packed_logs_of_several_parts(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "train.log.packed"
    path.write_bytes(pack(TEXT) + pack(b"more\n"))

    assert read(path) == TEXT + b"more\n"


@pytest.mark.parametrize("pack", PACKS)
def test_a_cut_log_is_read_as_far_as_it_goes_and_called_cut(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "train.log.packed"
    packed = pack(TEXT)
    path.write_bytes(packed[: len(packed) // 2])

    for command in (slow, errors):
        done = CliRunner().invoke(command, [str(path), "--json"])
        assert done.exit_code == 0
        assert path.name in done.stderr
        assert json.loads(done.stdout)
    assert TEXT.startswith(read(path))
    assert len(read(path)) > 100_000


@pytest.mark.parametrize("pack", PACKS)
def test_a_log_of_which_nothing_can_be_read_is_no_empty_log(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "train.log.packed"
    path.write_bytes(pack(TEXT)[:14])

    with pytest.raises(UnusableInput, match="cut or damaged"):
        read(path)


@pytest.mark.parametrize("pack", PACKS)
def test_slow_reads_packed_logs(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "train.log.packed"
    path.write_bytes(pack(TEXT))

    done = CliRunner().invoke(slow, [str(path), "--json"])

    assert json.loads(done.stdout)["counts"]["steps"] == 19_999
