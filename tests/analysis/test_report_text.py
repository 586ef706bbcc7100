from datetime import UTC, datetime
from pathlib import Path

import pytest

from rankscope.analysis import analyse, report_text
from rankscope.analysis.report_text import findings_text
from rankscope.model.capture import NcclAnswer, NcclOutcome, NodeSample, Role
from rankscope.model.text import Language
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, twice

GOLDEN = Path(__file__).parent / "golden"
CONDA = "/opt/conda/lib/python3.11"
AT = datetime(2026, 6, 8, 3, 49, 5, tzinfo=UTC)


def test_the_platforms_layout_to_the_letter() -> None:
    idle = At(
        b.stack(
            "_multiprocessing_SemLock_acquire_impl /tmp/b/Modules/_multiprocessing/semaphore.c:352",
            f"get {CONDA}/multiprocessing/queues.py:102",
            f"main {CONDA}/site-packages/torch/_inductor/compile_worker/main.py:41",
        ),
        role=Role.COMPILE,
    )
    text = report_text(analyse(job(others(2, idle)), AT), "en")

    assert text.startswith(
        "Stack Trace Analysis Report\n"
        "\n"
        "Summary\n"
        "Job ID: jo-7\n"
        "Analysis Time: 2026-06-08 03:49:05 (UTC)\n"
        "Print ID: 1780890495107774003\n"
        "\n"
        "Function Call Statistics\n"
        "_multiprocessing_SemLock_acquire_impl .../Modules/_multiprocessing/semaphore.c:352\n"
        "  Call Count: 2\n"
        "  Sources: node-0-rank0, node-0-rank1\n"
        "\n"
        "get /opt/conda/lib/python3.11/multiprocessing/queues.py:102\n"
        "  Call Count: 2\n"
        "  Sources: node-0-rank0, node-0-rank1\n"
        "\n"
        "main /opt/conda/lib/python3.11/site-packages/torch/_inductor/compile_worker/main.py:41\n"
        "  Call Count: 2\n"
        "  Sources: node-0-rank0, node-0-rank1\n"
        "\n"
        "Verdict\n"
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_whole_report_as_recorded(language: Language) -> None:
    capture = job(
        *[others(4, At(b.ALL_REDUCE), r2=piped(b.READ))] * 2,
        world=4,
        extra=[NodeSample("node-9", 0, error="connection refused")],
        nccl=(NcclAnswer("node-0", NcclOutcome.UNSUPPORTED, nccl_version="2.21.5"),),
    )
    golden = GOLDEN / f"report.{language}.txt"

    assert report_text(analyse(capture, AT), language) == golden.read_text(encoding="utf-8")


def test_functions_of_one_rank_come_before_those_of_many() -> None:
    functions = analyse(twice(others(4, At(b.ALL_REDUCE), r2=piped(b.READ)))).functions

    alone = [entry for entry in functions if len(entry.sources) == 1]
    assert [entry.function for entry in alone][:2] == ["Feeder.read", "Feeder.next"]
    assert list(functions[: len(alone)]) == alone
    counts = [entry.call_count for entry in functions[len(alone) :]]
    assert counts == sorted(counts, reverse=True)
    assert max(counts) == 4


def test_an_unknown_line_is_not_shown() -> None:
    native = (b.frame("cuStreamSynchronize", "/usr/lib/libcuda.so", 0), *b.SYNC)

    locations = {entry.location for entry in analyse(job(others(2, At(native)))).functions}

    assert "/usr/lib/libcuda.so" in locations


def test_findings_come_short_and_say_nobody() -> None:
    text = findings_text(analyse(twice(others(4, At(b.ALL_REDUCE)))), "en")

    assert "nobody" in text
    assert "Function Call Statistics" not in text
