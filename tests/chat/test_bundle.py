import io
import json
import zipfile
from typing import Any

import pytest

from rankscope.chat.bundle import Evidence, bundle_name, make_bundle
from rankscope.model.capture import NcclAnswer, NcclOutcome
from rankscope.model.diagnosis import Diagnosis, LogError
from rankscope.model.state import Deed, Job, JobState
from rankscope.model.text import Text
from tests.cards.builders import HOSTILE, LINK, PRINT_ID, hostile_report, small_report
from tests.changing import replace
from tests.chat.test_places import CAPTURE

JOB = Job(
    id="jo-7f3a91c2",
    state=JobState.FAILED,
    message="CUDA error, mail ming@example.com",
    image="reg/llama:3",
    command="torchrun train.py --token abc123",
    output_path="/out/x",
    world_size=8,
)
NOTHING = Text("", "")
SUSPECT = replace(small_report().suspects[0], rank=2)
EVIDENCE = Evidence(
    job=JOB,
    report=replace(small_report(), suspects=(SUSPECT,)),
    capture=replace(
        CAPTURE, nccl=(NcclAnswer("a", NcclOutcome.ANSWERED, raw="Job summary\n=====\n"),)
    ),
    diagnosis=Diagnosis(
        event="",
        stage="running",
        title=NOTHING,
        first_check=NOTHING,
        logs=("worker-3.log",),
        first=LogError(
            file="worker-3.log", line=17, text="CUDA error: mail it", advice=NOTHING, rank=3
        ),
        certain=True,
    ),
    deeds=[Deed(who="李雷", what="ack", job_id=JOB.id, outcome="done", at=1780890600.0)],
    link=LINK,
    language="en",
)


def files(evidence: Evidence) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(make_bundle(evidence))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.parametrize(
    "said",
    [
        "Job id: jo-7f3a91c2",
        "State: failed",
        "First error: CUDA error: mail it (worker-3.log:17, rank 3)",
        "Last message: CUDA error, mail ***",
        "Fault-tolerance log: (missing)",
        "Resources: 8 ranks",
        "Image: reg/llama:3",
        "Start command: torchrun train.py",
        "Output path: /out/x",
        f"Print ID: {PRINT_ID}",
        "Captured: 2026-06-08 03:49:05 (UTC)",
        "Stack Trace Analysis Report",
        "Suspect rank 2",
        "Control rank 0",
        "read (app/data.py:6)",
        "NCCL 2.21.5",
        "Missing: the job's logs around 2026-06-08",
        "李雷 ack: done",
    ],
)
def test_the_bundle_has_all_that_support_asks_for(said: str) -> None:
    assert said in files(EVIDENCE)["bundle.md"]


def test_report_and_nccl_answers_are_there_as_they_are() -> None:
    found = files(EVIDENCE)

    assert json.loads(found["report.json"])["summary"]["print_id"] == PRINT_ID
    assert "Job summary" in found["nccl.txt"]


def test_secrets_and_addresses_do_not_leave() -> None:
    everything = "".join(files(EVIDENCE).values())

    assert "abc123" not in everything
    assert "ming@example.com" not in everything


def test_what_is_missing_is_said() -> None:
    bare = replace(EVIDENCE, job=Job(id="jo-1"), capture=None, deeds=[], link="")
    found = files(bare)

    assert "Image: (missing)" in found["bundle.md"]
    assert found["nccl.txt"].strip() == "(missing)"


def test_hostile_names_neither_break_the_file_nor_its_name() -> None:
    hostile = replace(EVIDENCE, job=Job(id=HOSTILE), report=hostile_report())

    assert json.loads(files(hostile)["report.json"])
    assert "/" not in bundle_name(replace(hostile, report=EVIDENCE.report))


def test_equal_evidence_makes_equal_files() -> None:
    assert make_bundle(EVIDENCE) == make_bundle(EVIDENCE)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"certain": False}, "First error: perhaps CUDA error: mail it"),
        ({"first": None}, "First error: none found in the logs that came: worker-3.log"),
        ({"first": None, "logs": ()}, "First error: not known, as no log of the job has come"),
    ],
)
def test_what_is_not_known_of_the_first_error_is_said(changes: dict[str, Any], said: str) -> None:
    found = replace(EVIDENCE, diagnosis=replace(EVIDENCE.diagnosis, **changes))

    assert said in files(found)["bundle.md"]
