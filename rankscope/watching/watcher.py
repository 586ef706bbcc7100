"""Follow the logs of one job, notice what happens, write it down, tell the bot.

The order matters: what was noticed is written down together with the place in the logs before it is
sent, so that a watcher killed at any moment neither loses nor invents an event.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rankscope.logs.picking import Picker
from rankscope.logs.progress import Happening, Progress
from rankscope.model.event import EventJob
from rankscope.model.text import Language
from rankscope.watching.announce import event_of
from rankscope.watching.clock import Clock
from rankscope.watching.facts import Facts, facts_of
from rankscope.watching.follow import CHUNK, Follower, Place
from rankscope.watching.outbox import Outbox, Tell
from rankscope.watching.signs import Watched
from rankscope.watching.snapshot import Unreadable, freeze, thaw
from rankscope.watching.sources import Source, Sources
from rankscope.watching.state import State, StateFile

FIND_EVERY_S = 5.0
SAVE_EVERY_S = 5.0
AT_ONCE = 8 * CHUNK
"""Bytes of one log that are read before the others have their turn."""


@dataclass(slots=True, kw_only=True)
class Setup:
    """What a watcher is to do; state is None when nothing can be kept."""

    job: EventJob
    sources: Sources
    watched: Watched
    outbox: Outbox
    tell: Tell
    language: Language
    floor_s: float
    state: StateFile | None = None
    loaded: State = field(default_factory=State)


class Watcher:
    """One job."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._clock = Clock()
        self._picker = Picker()
        self._progress, places = _restored(setup)
        self._places = dict(places)
        self._followers: dict[str, Follower] = {}
        self._sources: dict[str, Source] = {}
        self._old: set[str] = set()
        self._unreadable: set[str] = set()
        self._next_find = self._next_save = 0.0
        self._dirty = False
        self._not_kept = False

    def run(self, poll_s: float) -> None:
        """Watch until interrupted; raises RefusedAll when the bot takes no event of ours."""
        with ExitStack() as stack:
            stack.callback(self.close)
            while True:
                if not self.look():
                    time.sleep(poll_s)

    def close(self) -> None:
        """Write down where it is and what was told, and close the logs."""
        self._save()
        for follower in self._followers.values():
            follower.close()

    def look(self) -> bool:
        """Read what is new, once; whether there is more."""
        self._find()
        unfinished = [key for key, one in self._followers.items() if self._read(key, one)]
        more = bool(unfinished)
        self._progress.looked(at_end=not more)
        if not more:
            self._notice()
        if self._dirty and self._clock.now() >= self._next_save:
            self._save()
        if self._setup.outbox.send(self._clock.now()):
            self._save()
        return more

    def _find(self) -> None:
        now = self._clock.now()
        if now < self._next_find:
            return
        self._next_find = now + FIND_EVERY_S
        known = {identity for one in self._followers.values() for identity in one.identities}
        for source in sorted(self._setup.sources.find(), key=_modified):
            key = str(source.path)
            if key not in self._followers and not _is_known(source, known):
                self._follow(key, source)

    def _follow(self, key: str, source: Source) -> None:
        self._followers[key] = Follower(source.path, self._places.pop(key, None))
        self._sources[key] = source
        self._old.add(key)
        self._setup.tell("watch-following", log=key, job=self._setup.job.id)

    def _read(self, key: str, follower: Follower) -> bool:
        """Read some of one log; whether there is more."""
        left = AT_ONCE
        try:
            while left > 0 and (block := follower.read()):
                left -= len(block)
                self._take(key, block, self._time_of(key, follower))
        except OSError as error:
            if key not in self._unreadable:
                self._unreadable.add(key)
                self._setup.tell("watch-unreadable", log=key, problem=error.strerror or error)
            return False
        self._unreadable.discard(key)
        if follower.unfinished:
            return True
        if left > 0:
            self._old.discard(key)
        return left <= 0

    def _time_of(self, key: str, follower: Follower) -> float:
        """Return when lines were written: at the latest when the log was, at the first reading."""
        now = self._clock.now()
        return min(now, follower.modified() or now) if key in self._old else now

    def _take(self, key: str, block: bytes, now: float) -> None:
        self._dirty = True
        lines = self._picker.pick(block)
        for happening in self._progress.lines(lines, now, key):
            self._announce(happening)

    def _notice(self) -> None:
        """Notice silence and ends, once all logs were read."""
        now, progress = self._clock.now(), self._progress
        if progress.ended is None and progress.step is not None and self._setup.watched.is_gone():
            self._announce_all(progress.gone(now, failed=self._facts(None).has_error))
        if not progress.is_suspect(now):
            return
        signs = self._setup.watched.look()
        if signs.checkpoint_time and signs.checkpoint_time <= now:
            progress.alive(signs.checkpoint_time)
        if progress.is_suspect(now):
            self._announce_all(progress.tick(now))
        else:
            self._announce_all(progress.only_silent(now))

    def _announce_all(self, happenings: Iterator[Happening]) -> None:
        for happening in happenings:
            self._announce(happening)

    def _announce(self, happening: Happening) -> None:
        facts = self._facts(happening)
        message = facts.message.of(self._setup.language)
        self._setup.tell("watch-says", text=message)
        time_ = datetime.fromtimestamp(self._clock.now(), UTC)
        event = event_of(happening, self._setup.job, time_, message, facts.labels, facts.logs)
        self._setup.outbox.put(event)
        self._dirty, self._next_save = True, 0.0

    def _facts(self, happening: Happening | None) -> Facts:
        return facts_of(happening, list(self._sources.values()), self._setup.watched)

    def _save(self) -> None:
        self._dirty, self._next_save = False, self._clock.now() + SAVE_EVERY_S
        if self._setup.state is None:
            return
        places = {key: one.place for key, one in self._followers.items()}
        state = State(
            logs={**self._places, **places},
            progress=freeze(self._progress),
            outbox=self._setup.outbox.events,
        )
        try:
            self._setup.state.save(state)
        except OSError as error:
            # A full disk is no reason to stop watching; the next change tries again.
            if not self._not_kept:
                self._setup.tell("watch-not-kept", problem=error.strerror or error)
            self._not_kept = True
        else:
            self._not_kept = False


def _restored(setup: Setup) -> tuple[Progress, dict[str, Place]]:
    state = setup.loaded
    if setup.state and setup.state.unreadable:
        setup.tell("watch-state-unreadable", waiting=len(state.outbox))
    if state.progress is None:
        return Progress(setup.floor_s), {}
    try:
        progress = thaw(state.progress)
    except Unreadable:
        progress = None
    if not isinstance(progress, Progress):
        setup.tell("watch-state-unreadable", waiting=len(state.outbox))
        return Progress(setup.floor_s), {}
    progress.set_floor(setup.floor_s)
    setup.tell("watch-resuming", waiting=len(state.outbox))
    return progress, state.logs


def _is_known(source: Source, known: set[tuple[int, int]]) -> bool:
    """Whether a name is that of a file already followed under another, as after a rotation."""
    try:
        status = source.path.stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) in known


def _modified(source: Source) -> float:
    """Return when a log was last written, so that a later run is read after an earlier one."""
    try:
        return source.path.stat().st_mtime
    except OSError:
        return 0.0
