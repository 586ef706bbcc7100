import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankscope.model.text import Text
from sandbox.cluster.launch import free_port
from sandbox.demo.processes import HALF_LINE, Part, PartFailed, Supervisor, ending, tail

SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
STUBBORN = (
    "import signal, time; signal.signal(15, lambda *_: print('no')); print('up'); time.sleep(9)"
)
SUPERVISE = """
import os, sys, time
from pathlib import Path
from sandbox.demo.processes import Part, Supervisor
supervisor = Supervisor(Path(sys.argv[1]), print)
supervisor.start(Part(name="sleeper", command=("sleep", "600"), env=dict(os.environ)))
print(supervisor.pid_of("sleeper"), flush=True)
time.sleep(600)
"""


def check_for_ever(supervisor: Supervisor) -> None:
    while True:
        supervisor.check()


@pytest.fixture
def told() -> list[Text]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, told: list[Text]) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs", told.append) as supervisor:
        yield supervisor


def part(name: str, *command: str, health_url: str = "", restarts: bool = False) -> Part:
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return Part(name=name, command=command, env=env, health_url=health_url, restarts=restarts)


def wait_for(supervisor: Supervisor, name: str, word: str) -> None:
    while word not in supervisor.log_of(name).read_text():
        time.sleep(0.02)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    while is_there(pid):
        time.sleep(0.02)


@pytest.mark.integration
def test_a_part_is_ready_when_its_health_check_answers(supervisor: Supervisor) -> None:
    port = free_port("127.0.0.1")
    url = f"http://127.0.0.1:{port}/healthz"

    supervisor.start(part("server", sys.executable, "-c", SERVER, str(port), health_url=url))

    supervisor.wait_ready()
    supervisor.check()


@pytest.mark.integration
def test_a_part_that_does_not_get_ready_is_named_with_its_log(supervisor: Supervisor) -> None:
    url = f"http://127.0.0.1:{free_port('127.0.0.1')}/"
    supervisor.start(part("silent", "sh", "-c", "echo working; sleep 600", health_url=url))
    wait_for(supervisor, "silent", "working")

    with pytest.raises(PartFailed, match=r"silent is not ready after 0 s.*(.|\n)*working"):
        supervisor.wait_ready(0.2)


@pytest.mark.integration
def test_a_part_that_ends_is_named_with_the_end_of_its_log(supervisor: Supervisor) -> None:
    supervisor.start(part("brief", "sh", "-c", "echo last words; exit 3"))

    with pytest.raises(PartFailed, match=r"brief ended by itself \(exit code 3\)") as raised:
        check_for_ever(supervisor)

    assert "last words" in raised.value.next_step


@pytest.mark.integration
def test_a_part_that_may_restart_is_started_again_and_that_is_said(
    supervisor: Supervisor, told: list[Text]
) -> None:
    supervisor.start(part("worker", "sleep", "600", restarts=True))
    first = supervisor.pid_of("worker")
    os.kill(first, signal.SIGKILL)

    while not told:
        supervisor.check()

    assert "worker ended (SIGKILL)" in told[0].en
    assert is_there(supervisor.pid_of("worker"))
    assert supervisor.pid_of("worker") != first


@pytest.mark.integration
def test_a_part_that_may_be_lost_is_missed_once_and_the_others_go_on(
    supervisor: Supervisor, told: list[Text]
) -> None:
    supervisor.start(replace(part("agent", "sleep", "600"), may_be_lost=True))
    supervisor.start(part("worker", "sleep", "600"))
    os.kill(supervisor.pid_of("agent"), signal.SIGKILL)

    while not told:
        supervisor.check()
    supervisor.check()

    (message,) = told
    assert "agent ended (SIGKILL)" in message.en
    assert is_there(supervisor.pid_of("worker"))


@pytest.mark.integration
def test_a_part_that_says_it_cannot_work_is_not_started_again(supervisor: Supervisor) -> None:
    supervisor.start(part("worker", "sh", "-c", "exit 2", restarts=True))

    with pytest.raises(PartFailed, match="exit code 2"):
        check_for_ever(supervisor)


@pytest.mark.integration
def test_parts_are_stopped_in_the_reverse_order(tmp_path: Path) -> None:
    order = tmp_path / "order"
    script = f"trap 'echo $NAME >> {order}; exit' TERM; echo up; while :; do sleep 0.05; done"
    with Supervisor(tmp_path, print) as supervisor:
        for name in ("first", "second", "third"):
            env = {**os.environ, "NAME": name}
            supervisor.start(Part(name=name, command=("sh", "-c", script), env=env))
            wait_for(supervisor, name, "up")

    assert order.read_text().split() == ["third", "second", "first"]


@pytest.mark.integration
def test_one_that_will_not_stop_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.demo.processes.STOP_S", 0.2)
    with Supervisor(tmp_path, print) as supervisor:
        supervisor.start(part("stubborn", sys.executable, "-c", STUBBORN))
        wait_for(supervisor, "stubborn", "up")
        supervisor.start(part("parent", "sh", "-c", "sleep 600 & echo $!; exec sleep 600"))
        wait_for(supervisor, "parent", "\n")
        child = int(supervisor.log_of("parent").read_text())
        pids = supervisor.pid_of("stubborn"), supervisor.pid_of("parent"), child

    for pid in pids:
        wait_until_gone(pid)


@pytest.mark.integration
def test_parts_end_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SUPERVISE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        while Path(f"/proc/{pid}/comm").read_text().strip() != "sleep":
            time.sleep(0.02)
        process.kill()

    wait_until_gone(pid)


def test_the_end_of_a_log_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"{number}\n" for number in range(100)))
    empty = tmp_path / "empty"
    empty.touch()

    assert tail(log, 2) == "98\n99"
    assert tail(empty) == "(empty)"


def test_a_long_line_is_shown_without_its_middle(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"{'a' * 5000}{'b' * 5000}\n")

    assert tail(log) == f"{'a' * HALF_LINE} … {'b' * HALF_LINE}"


def test_endings_are_described() -> None:
    assert (ending(2), ending(-9)) == ("exit code 2", "SIGKILL")
