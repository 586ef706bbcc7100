"""Tell trainers from everything they were started by and have started; pure.

RANK is inherited by dataloader workers, compile workers and shells, and in some pods it is the
node's index and not a rank at all, so that a variable alone proves nothing. The evidence, best
first:

1. thread names: a process group's threads are not inherited by fork;
2. launchers, dataloader and compile workers, and Python's own helpers are known by name;
3. a process whose descendants carry other ranks has launched them;
4. a process whose command line names what its descendant of the same rank runs wraps it;
5. of those left with a rank, the topmost of each chain is the trainer.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from agent.jobs import job_of
from agent.ranks import local_rank_of, rank_of, world_size_of
from agent.scan import Key, Proc
from agent.wrappers import wraps
from rankscope.model.capture import Role

_GROUP_THREAD = re.compile(r"^(?:pt_nccl_watchdg|pt_nccl_heartbt|pt_gloo_runloop|gloo_tcp_loop)$")
_LAUNCHER = re.compile(
    r"torch\.distributed\.(?:run|launch)\b|(?:^|/)torchrun\b|accelerate\.commands\.launch"
    r"|(?:^|/)accelerate launch\b|deepspeed\.launcher|(?:^|/)deepspeed\b"
)
_COMPILE = "torch/_inductor/compile_worker", "torch._inductor.compile_worker"
_PYTHON_HELPERS = "multiprocessing.resource_tracker", "multiprocessing.forkserver"


@dataclass(frozen=True, slots=True)
class Member:
    """A process of a job; owner is the trainer it works for (its own key for a trainer).

    `error` is set for those that cannot be dumped, and says why.
    """

    proc: Proc
    role: Role
    job_id: str
    rank: int | None = None
    local_rank: int | None = None
    world_size: int | None = None
    owner: Key | None = None
    error: str | None = None

    @property
    def key(self) -> Key:
        """The PID and start time."""
        return self.proc.key


def classify(
    procs: Mapping[int, Proc], job_variables: tuple[str, ...], orphans: Mapping[Key, Member]
) -> list[Member]:
    """Return the members of all jobs; orphans are known helpers whose trainer is gone."""
    return list(_Classifier(procs, job_variables, orphans).members())


class _Classifier:
    def __init__(
        self,
        procs: Mapping[int, Proc],
        job_variables: tuple[str, ...],
        orphans: Mapping[Key, Member],
    ) -> None:
        self.procs = procs
        self.orphans = orphans
        self.pythons = {pid: p for pid, p in procs.items() if p.python is not None and p.alive}
        self.rank = {pid: rank_of(p.env) for pid, p in self.pythons.items()}
        self.job = {pid: job_of(p.env, p.cgroup, job_variables) for pid, p in self.pythons.items()}
        self.above = {pid: tuple(self._ancestors(pid)) for pid in procs}
        self.role: dict[int, Role] = {}

    def _ancestors(self, pid: int) -> Iterator[int]:
        seen = {pid}
        parent = self.procs[pid].stat.ppid
        while parent in self.procs and parent not in seen:
            seen.add(parent)
            yield parent
            parent = self.procs[parent].stat.ppid

    def members(self) -> Iterator[Member]:
        """Decide all roles, then describe every process that has one and a job."""
        self._known_by_name()
        self._launchers_by_descendants()
        self._wrappers()
        self._topmost()
        self._bystanders()
        trainers = {pid: self._trainer(pid) for pid in self._with(Role.TRAINER)}
        trainers = {pid: member for pid, member in trainers.items() if member.job_id}
        yield from trainers.values()
        yield from self._launchers(trainers)
        yield from self._helpers(trainers)

    def _with(self, role: Role) -> list[int]:
        return [pid for pid, given in self.role.items() if given is role]

    def _known_by_name(self) -> None:
        for pid, proc in self.pythons.items():
            role = role_by_name(proc)
            if role:
                self.role[pid] = role
        for pid in self._with(Role.TRAINER):
            above = [a for a in self.above[pid] if self.rank.get(a) == self.rank[pid]]
            if any(self.role.get(a) is Role.TRAINER for a in above):
                self.role[pid] = Role.HELPER
            for wrapper in above:
                self.role.setdefault(wrapper, Role.LAUNCHER)

    def _launchers_by_descendants(self) -> None:
        for pid in self.pythons:
            rank = self.rank[pid]
            for ancestor in self.above[pid] if rank is not None else ():
                other = self.rank.get(ancestor)
                if other is not None and other != rank:
                    self.role.setdefault(ancestor, Role.LAUNCHER)

    def _open_cases(self) -> list[int]:
        """Return those with a rank and no role yet, the topmost first."""
        cases = [p for p in self.pythons if p not in self.role and self.rank[p] is not None]
        return sorted(cases, key=lambda pid: len(self.above[pid]))

    def _wrappers(self) -> None:
        cases = self._open_cases()
        for pid in cases:
            for above in set(self.above[pid]).intersection(cases):
                if self.rank[above] == self.rank[pid] and wraps(self.procs[above], self.procs[pid]):
                    self.role[above] = Role.LAUNCHER

    def _topmost(self) -> None:
        for pid in self._open_cases():
            self.role[pid] = Role.HELPER if self._has_owner_above(pid) else Role.TRAINER

    def _has_owner_above(self, pid: int) -> bool:
        if self.procs[pid].key in self.orphans:
            return True
        not_owner = {None, Role.LAUNCHER}
        return any(
            self.rank.get(a) == self.rank[pid] and self.role.get(a) not in not_owner
            for a in self.above[pid]
        )

    def _bystanders(self) -> None:
        """Demote what carries a pod's RANK beside the real trainer of that rank (tensorboard)."""
        launched = {p for p in self._with(Role.TRAINER) if self._is_launched(p)}
        proven = {(self.job[p], self.rank[p]) for p in launched}
        for pid in self._with(Role.TRAINER):
            if pid not in launched and (self.job[pid], self.rank[pid]) in proven:
                self.role[pid] = Role.HELPER

    def _is_launched(self, pid: int) -> bool:
        under_launcher = any(self.role.get(a) is Role.LAUNCHER for a in self.above[pid])
        return under_launcher or role_by_name(self.procs[pid]) is Role.TRAINER

    def _trainer(self, pid: int) -> Member:
        proc = self.procs[pid]
        local = local_rank_of(proc.env, proc.cmdline)
        size = world_size_of(proc.env)
        job = self.job[pid]
        return Member(proc, Role.TRAINER, job, self.rank[pid], local, size, proc.key)

    def _launchers(self, trainers: Mapping[int, Member]) -> Iterator[Member]:
        jobs = {a: t.job_id for pid, t in trainers.items() for a in self.above[pid]}
        for pid in self._with(Role.LAUNCHER):
            job = jobs.get(pid) or self.job[pid]
            if job:
                yield Member(self.procs[pid], Role.LAUNCHER, job)

    def _helpers(self, trainers: Mapping[int, Member]) -> Iterator[Member]:
        for pid, proc in self.procs.items():
            if self.role.get(pid) in {Role.TRAINER, Role.LAUNCHER}:
                continue
            known = self.orphans.get(proc.key)
            owner = next((trainers[a] for a in self.above[pid] if a in trainers), known)
            if owner:
                role = self.role.get(pid, known.role if known else Role.HELPER)
                yield replace(owner, proc=proc, role=role)
            elif self.role.get(pid) and self.job[pid]:
                yield self._of_no_trainer(pid)
            else:
                yield from self._dead_child(pid)

    def _of_no_trainer(self, pid: int) -> Member:
        return Member(self.procs[pid], self.role[pid], self.job[pid], self.rank[pid])

    def _dead_child(self, pid: int) -> Iterator[Member]:
        """Yield a zombie that a launcher left: a rank, but which one died with its environment."""
        proc = self.procs[pid]
        parent = proc.stat.ppid
        if not proc.alive and self.role.get(parent) is Role.LAUNCHER and self.job[parent]:
            yield Member(proc, Role.DEAD, self.job[parent])


def role_by_name(proc: Proc) -> Role | None:
    """Return the role that thread names and the command line alone prove."""
    if any(_GROUP_THREAD.match(comm) for comm in proc.comms):
        return Role.TRAINER
    command = " ".join(proc.cmdline)
    if "pt_elastic" in proc.comms or _LAUNCHER.search(command):
        return Role.LAUNCHER
    if proc.stat.comm == "pt_data_worker":
        return Role.DATALOADER
    if any(part in command for part in _COMPILE):
        return Role.COMPILE
    return Role.HELPER if any(part in command for part in _PYTHON_HELPERS) else None
