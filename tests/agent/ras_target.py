"""A trainer that has a made-up NCCL mapped and runs a RAS server, as NCCL would inside it."""

import json
import time
from pathlib import Path

from tests.agent.targets import Targets

ROOT = Path(__file__).parents[2]
TRAINER = """
import ctypes, fcntl, json, mmap, os, socket, struct, sys, threading, time
from dataclasses import replace
sys.path.insert(0, sys.argv[1])
from tests.nccl import jobs
from tests.nccl.ras_server import Behaviour, RasServer

library = open(sys.argv[2], "rb")
mapped = mmap.mmap(library.fileno(), 0, access=mmap.ACCESS_READ)
wanted = json.loads(sys.argv[3])
seen = open(sys.argv[4], "a", buffering=1)

def enter_a_network_of_our_own():
    clone_newnet, set_flags, up = 0x40000000, 0x8914, 1
    assert ctypes.CDLL(None).unshare(clone_newnet) == 0
    with socket.socket() as control:
        fcntl.ioctl(control, set_flags, struct.pack("16sh14x", b"lo", up))

if wanted["own_network"]:
    enter_a_network_of_our_own()

def noted(server):
    told = 0
    while True:
        if (server.connections, len(server.commands)) != told:
            told = server.connections, len(server.commands)
            seen.write(json.dumps([server.connections, server.commands]) + "\\n")
        time.sleep(0.01)

def with_own_pid(job):
    usual = 4000 + int(os.environ["RANK"])
    mine = lambda m: replace(m, pid=os.getpid()) if m.pid == usual else m
    comms = [replace(comm, members=tuple(map(mine, comm.members))) for comm in job.comms]
    return replace(job, comms=tuple(comms))

def all_reduce():
    print("up", flush=True)
    while True:
        time.sleep(0.05)

def init_process_group():
    all_reduce()

host, port = wanted["host"], wanted["port"]
if port:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    made = [jobs.of_version(jobs.CONDITIONS[name], wanted["version"]) for name in wanted["jobs"]]
    server = RasServer(list(map(with_own_pid, made)), Behaviour(**wanted["behaviour"]))
    threading.Thread(target=server.serve, args=(listener,), daemon=True).start()
    threading.Thread(target=noted, args=(server,), daemon=True).start()
init_process_group() if wanted["starts"] else all_reduce()
"""
WITH_RAS = b"NCCL_RAS_ADDR\0set format \0monitor \0"


class RasTarget:
    """Starts trainers with a given NCCL; `asked` is what their RAS servers have seen."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets
        self.log = targets.folder / "asked"
        self.log.touch()

    def library(self, version: str) -> Path:
        """Write a file that holds the strings of that NCCL's library."""
        path = self.targets.folder / "libnccl.so.2"
        features = WITH_RAS if tuple(map(int, version.split("."))) >= (2, 24) else b""
        path.write_bytes(b"\x7fELF\0NCCL version %s+cuda13.0\0" % version.encode() + features)
        return path

    def start(
        self,
        version: str = "2.30.7",
        *jobs: str,
        rank: int = 0,
        host: str = "127.0.0.1",
        port: int = 0,
        starts: bool = False,
        own_network: bool = False,
        behaviour: dict[str, object] | None = None,
        variables: dict[str, object] | None = None,
    ) -> int:
        """Start a trainer; without a port its RAS does not listen."""
        wanted = {
            "version": version,
            "jobs": jobs or ("hang",),
            "host": host,
            "port": port,
            "starts": starts,
            "own_network": own_network,
            "behaviour": behaviour or {},
        }
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        env = {"NCCL_RAS_ADDR": address} if port else {}
        return self.targets.trainer(
            rank,
            TRAINER,
            str(ROOT),
            str(self.library(version)),
            json.dumps(wanted),
            str(self.log),
            **{**env, **(variables or {})},
        )

    def asked(self) -> tuple[int, list[str]]:
        """Return how many connections the servers saw, and the commands of the last one."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return (lines[-1][0], lines[-1][1]) if lines else (0, [])

    def was_left_alone(self) -> bool:
        """Whether no server saw a connection, after the time that noting one takes."""
        time.sleep(0.1)
        return self.asked() == (0, [])
