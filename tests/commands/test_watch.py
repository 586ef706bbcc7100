import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.watching.receiver import Receiver

Start = Callable[..., subprocess.Popen[bytes]]


def step(number: int, ms: float = 100.0) -> str:
    return f" iteration {number}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5\n"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


@pytest.fixture
def start(tmp_path: Path, log: Path, receiver: Receiver) -> Iterator[Start]:
    started = []

    def watch(secret: str = "key", job: str = "jo-1") -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "rankscope", "watch", str(log), "--job", job]
        command += ["--url", receiver.url, "--floor", "0.5", "--poll", "0.05"]
        env = {**os.environ, "RANKSCOPE_WEBHOOK_SECRET": secret, "RANKSCOPE_LANGUAGE": "en"}
        output = (tmp_path / "out").open("ab")
        with output:
            process = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=output, stderr=output)
        started.append(process)
        return process

    yield watch
    for process in started:
        process.kill()
        process.wait()


def wait_for(receiver: Receiver, count: int) -> list[str]:
    while len(receiver.received) < count:
        time.sleep(0.02)
    return receiver.types()


def append(log: Path, text: str) -> None:
    with log.open("a") as stream:
        stream.write(text)


@pytest.mark.integration
def test_a_job_runs_hangs_resumes_and_slows_down(
    start: Start, log: Path, receiver: Receiver
) -> None:
    process = start()
    append(log, "".join(step(number) for number in range(1, 13)))
    assert wait_for(receiver, 2) == ["job.state", "job.hang"]

    append(log, "".join(step(number, 500) for number in range(13, 18)))

    types = wait_for(receiver, 4)
    process.terminate()
    assert process.wait() == 0
    assert types[2:4] == ["job.resumed", "job.slow"]
    (run,) = {one.event.id.split("-")[3] for one in receiver.received[:4]}
    assert [one.event.id.replace(f"-{run}-", "-") for one in receiver.received[:4]] == [
        "jo-1-running-1",
        "jo-1-hang-12",
        "jo-1-resumed-12",
        "jo-1-slow-17",
    ]


@pytest.mark.integration
def test_a_restart_repeats_nothing(
    start: Start, log: Path, receiver: Receiver, tmp_path: Path
) -> None:
    append(log, step(1) + step(2))
    first = start()
    wait_for(receiver, 2)
    first.kill()
    first.wait()

    second = start()
    # That it was told is printed after the bot has answered.
    while "The bot knew already: job.hang" not in (tmp_path / "out").read_text():
        time.sleep(0.02)
    second.send_signal(signal.SIGINT)

    assert second.wait() == 0
    assert len({one.event.id for one in receiver.received}) == 2
    output = (tmp_path / "out").read_text()
    assert "Stopped watching job jo-1." in output


@pytest.mark.integration
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"secret": ""}, "Set RANKSCOPE_WEBHOOK_SECRET"),
        ({"job": "a job"}, "'a job' is not a job id."),
    ],
)
def test_what_cannot_work_is_said_at_once(
    start: Start, tmp_path: Path, options: dict[str, str], words: str
) -> None:
    process = start(**options)

    assert process.wait() == 2
    assert words in (tmp_path / "out").read_text()


@pytest.mark.integration
def test_a_refusal_ends_it_with_the_bots_words(
    start: Start, log: Path, receiver: Receiver, tmp_path: Path
) -> None:
    receiver.answers = [(401, {"error": "The signature does not match.", "next_step": "Check it."})]
    append(log, step(1))

    assert start().wait() == 2
    assert "The signature does not match. Check it." in (tmp_path / "out").read_text()
