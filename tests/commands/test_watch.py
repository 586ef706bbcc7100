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

    def watch(
        *more: str, secret: str = "key", job: str = "jo-1", url: str = "", floor: float = 0.5
    ) -> subprocess.Popen[bytes]:
        logs = [one for one in more if not one.startswith("-")] or [str(log)]
        command = [sys.executable, "-m", "rankscope", "watch", *logs, "--job", job, "--no-gpu"]
        command += ["--url", url or receiver.url, "--floor", str(floor), "--poll", "0.05"]
        command += ["--state-dir", str(tmp_path / "state")]
        command += [one for one in more if one.startswith("-")]
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


def ids(receiver: Receiver) -> list[str]:
    """Return what the bot has heard, each once, without the marks of runs."""
    heard = dict.fromkeys(one.event.id for one in receiver.received)
    return ["-".join(part for part in one.split("-") if len(part) != 8) for one in heard]


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
    while "Told the bot: job.hang" not in (tmp_path / "out").read_text():
        time.sleep(0.02)
    first.terminate()
    first.wait()

    second = start()
    append(log, step(3))
    while "job.resumed" not in receiver.types():
        time.sleep(0.02)
    second.send_signal(signal.SIGINT)

    assert second.wait() == 0
    # On a busy machine the next silence may be told too; what was under way when the first watcher
    # ended comes again with its id, by which the bot knows it.
    assert [one.split("-")[2] for one in ids(receiver)][:3] == ["running", "hang", "resumed"]
    output = (tmp_path / "out").read_text()
    assert "Going on from where an earlier watcher stopped" in output
    assert "Stopped watching job jo-1." in output


@pytest.mark.integration
def test_killed_again_and_again_it_tells_what_one_that_lived_would_have_told(
    start: Start, log: Path, receiver: Receiver
) -> None:
    expected = [
        "jo-1-running-1",
        "jo-1-slow-robust-30",
        "jo-1-slow-32",
        "jo-1-slow_recovered-62",
        "jo-1-slow-107",
    ]
    written, killed = 0, 0
    process = start(floor=600)
    while len(ids(receiver)) < len(expected):
        for _ in range(4):
            if written < 120:
                written += 1
                slow = 27 < written < 50 or written > 105
                append(log, step(written, 900 if slow else 100))
        time.sleep(0.11)
        if written % 16 == 0 and killed < 7:
            killed += 1
            process.kill()
            process.wait()
            process = start(floor=600)

    process.terminate()
    assert process.wait() == 0
    assert ids(receiver) == expected
    assert killed == 7


@pytest.mark.integration
def test_what_a_dead_bot_missed_is_told_when_it_is_back(
    start: Start, log: Path, tmp_path: Path
) -> None:
    with Receiver() as gone:
        url, port = gone.url, gone.port
    first = start(url=url)
    append(log, step(1) + step(2))
    while "No step for" not in (tmp_path / "out").read_text():
        time.sleep(0.02)
    append(log, step(3))
    while "Steps go on" not in (tmp_path / "out").read_text():
        time.sleep(0.02)
    first.kill()
    first.wait()

    with Receiver(port) as back:
        start(url=url)
        wait_for(back, 3)

        assert back.types()[:3] == ["job.state", "job.hang", "job.resumed"]


@pytest.mark.integration
def test_a_job_of_many_logs_hangs_when_all_are_silent(
    start: Start, receiver: Receiver, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    logs = [folder / f"worker-{n}.log" for n in range(3)]
    for one in logs:
        one.touch()
    process = start(str(folder), floor=1.5)
    while (tmp_path / "out").read_text().count("Watching") < len(logs):
        time.sleep(0.02)
    for number in range(1, 30):
        for place, one in enumerate(logs):
            if number < 10 or place == 1:
                append(one, step(number))
        time.sleep(0.1)
    told_meanwhile = wait_for(receiver, 1)

    assert wait_for(receiver, 2) == ["job.state", "job.hang"]
    assert told_meanwhile == ["job.state"]
    assert receiver.received[1].event.labels["step"] == "29"
    process.terminate()
    assert process.wait() == 0


@pytest.mark.integration
def test_a_silent_log_beside_growing_checkpoints_is_no_hang(
    start: Start, log: Path, receiver: Receiver, tmp_path: Path
) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    append(log, step(1) + step(2))
    start(f"--checkpoints={folder}", floor=1.0)
    while len(receiver.received) < 2:
        (folder / "model.pt").write_text(str(time.time()))
        time.sleep(0.05)

    silent, hang = receiver.received[1], None
    wait_for(receiver, 3)
    hang = receiver.received[2]
    assert (silent.event.type, silent.event.state) == ("job.state", "running")
    assert silent.event.labels["checkpoints"] == "changing"
    assert (hang.event.type, hang.event.labels["checkpoints"]) == ("job.hang", "still")


@pytest.mark.integration
def test_a_job_whose_processes_are_gone_does_not_hang(
    start: Start, log: Path, receiver: Receiver
) -> None:
    job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    append(log, step(1) + step(2))
    start(f"--pid={job.pid}", floor=600)
    wait_for(receiver, 1)
    append(log, "[rank3]: KeyError: 'image'\n")
    job.kill()
    job.wait()

    wait_for(receiver, 2)
    event = receiver.received[1].event
    assert event.type == "job.failed"
    assert "KeyError: 'image'" in event.message
    assert event.logs[0].worker == "train"


@pytest.mark.integration
def test_what_a_failed_job_tells_holds_no_secret(
    start: Start, log: Path, receiver: Receiver
) -> None:
    append(log, step(1) + "WANDB_API_KEY=hunter2\n[rank3]: ValueError: bad token=hunter2\n")
    append(log, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n")
    start(floor=600)

    wait_for(receiver, 2)
    failed = receiver.received[1]
    assert failed.event.type == "job.failed"
    assert b"ValueError" in failed.body
    assert b"hunter2" not in failed.body


@pytest.mark.integration
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"secret": ""}, "Set RANKSCOPE_WEBHOOK_SECRET"),
        ({"job": "a job"}, "'a job' is not a job id."),
        ({"url": "nonsense"}, "'nonsense' is not the address of a bot."),
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


@pytest.mark.integration
def test_a_second_watcher_of_the_same_is_refused(
    start: Start, log: Path, receiver: Receiver, tmp_path: Path
) -> None:
    append(log, step(1))
    start(floor=600)
    wait_for(receiver, 1)

    assert start(floor=600).wait() == 2
    assert "Another watcher follows these logs" in (tmp_path / "out").read_text()


@pytest.mark.integration
def test_what_it_prints_moves_no_cursor(start: Start, log: Path, receiver: Receiver) -> None:
    log.write_text(step(1))
    start(floor=60)
    wait_for(receiver, 1)
    error = "RuntimeError: CUDA out of memory \x1b]0;title\x07\x9b2J\u202e"
    append(log, f"{error}\nsrun: error: n1: task 3: Exited with exit code 1\n")
    wait_for(receiver, 2)

    printed = log.with_name("out").read_text(encoding="utf-8")

    assert "CUDA out of memory" in printed
    assert all(line.isprintable() for line in printed.split("\n"))
