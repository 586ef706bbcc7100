"""All that is known before any reasoning: the ranks, those that are missing, and since when."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import compress

from rankscope.analysis.positions import Position, PositionReader
from rankscope.analysis.rules import RuleBook
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.threads import without_ids
from rankscope.analysis.trainers import Cast, Member, casts
from rankscope.analysis.views import RankView, Trail, cpu_share
from rankscope.analysis.wire import MOST_RANKS
from rankscope.model.capture import Capture


@dataclass(frozen=True)
class Scene:
    """A capture, rank by rank."""

    capture: Capture
    casts: tuple[Cast, ...]
    views: tuple[RankView, ...]
    seconds: float | None
    reader: StackReader

    @property
    def rules(self) -> RuleBook:
        """The pattern rules that the stacks were read by."""
        return self.reader.rules

    @cached_property
    def helper_only(self) -> dict[int, tuple[Member, ...]]:
        """Ranks of which only helper processes were captured."""
        seen = {view.rank for view in self.views}
        return {
            rank: members
            for cast in self.casts
            for rank, members in cast.helpers.items()
            if rank not in seen
        }

    @cached_property
    def expected(self) -> int | None:
        """The number of ranks the job has; None when nobody said it, or it is plainly wrong."""
        size = self.capture.header.world_size or self._world_size_of_trainers
        highest = max((view.rank for view in self.views), default=-1)
        return size if size and highest < size else None

    @property
    def _world_size_of_trainers(self) -> int | None:
        """What all trainers' own variables say, where their RANK is the rank they have.

        A pod's variables may count its nodes instead; then RANK is the node's, too.
        """
        sizes: set[str] = set()
        for cast in self.casts[-1:]:
            for rank, member in cast.trainers.items():
                env = member.process.env
                sizes.add(env.get("WORLD_SIZE", "") if env.get("RANK") == str(rank) else "")
        size = sizes.pop() if len(sizes) == 1 else ""
        return int(size) if size.isdecimal() and 0 < int(size) <= MOST_RANKS else None

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Ranks without a trainer, though the job has them."""
        seen = {view.rank for view in self.views}
        known = range(self.expected) if self.expected else self.helper_only
        return tuple(sorted((set(known) | set(self.helper_only)) - seen))

    @cached_property
    def silent_nodes(self) -> dict[str, str]:
        """Nodes that gave no process in any sample, with their error."""
        samples = self.capture.samples
        answered = {sample.node for sample in samples if sample.processes}
        silent = {s.node: s.error or "" for s in samples if s.node not in answered}
        heard_of = answered | silent.keys()
        asked = self.capture.header.requested_nodes
        return silent | {node: "" for node in asked if node not in heard_of}

    @property
    def samples(self) -> int:
        """How many samples show at least one process."""
        return len(self.casts)


def scene_of(capture: Capture, reader: StackReader) -> Scene:
    """Read a capture rank by rank."""
    cast = casts(capture, reader)
    seconds = _seconds(capture)
    position_of = PositionReader(reader, active_tells=_active_tells(capture))
    viewer = _Viewer(position_of, cast, seconds, _answering(capture))
    ranks = sorted({rank for one in cast for rank in one.trainers})
    views = tuple([viewer.view(rank) for rank in ranks])
    return Scene(capture, cast, views, seconds, reader)


class _Viewer:
    """Puts the positions of each rank together."""

    def __init__(
        self,
        position_of: PositionReader,
        cast: tuple[Cast, ...],
        seconds: float | None,
        answering: frozenset[str],
    ) -> None:
        self._position_of = position_of
        self._cast = cast
        self._with_helpers = [one for one in reversed(cast) if one.helpers]
        self._seconds = seconds
        self._answering = answering
        self._trails: dict[tuple[int, ...], tuple[Trail, tuple[bool, ...]]] = {}
        self._positions: list[Position] = []

    def view(self, rank: int) -> RankView:
        """Return a rank of which some sample shows the trainer."""
        positions, ticks, node = [], [], ""
        for cast in self._cast:
            member = cast.trainers.get(rank)
            if member:
                position, used = self._position_of(member.process, member.shape)
                positions.append(position)
                ticks.append(used)
                node = member.node
        trail, kept = self._trail(tuple(positions))
        return RankView(
            rank=rank,
            node=node,
            trail=trail,
            cpu_share=cpu_share(compress(ticks, kept), self._seconds),
            helpers=self._helpers(rank),
            has_vanished=rank not in self._cast[-1].trainers and node in self._answering,
        )

    def _helpers(self, rank: int) -> tuple[Member, ...]:
        """Return a rank's helpers in the newest sample that shows any."""
        return next((cast.helpers[rank] for cast in self._with_helpers if rank in cast.helpers), ())

    def _trail(self, positions: tuple[Position, ...]) -> tuple[Trail, tuple[bool, ...]]:
        """Return the trail of positions without torn ones, and which of them it keeps."""
        key = tuple(map(id, positions))
        known = self._trails.get(key)
        if known is None:
            whole = tuple(not _is_torn(position, positions) for position in positions)
            kept = whole if any(whole) else (True,) * len(positions)
            trail = Trail(tuple(compress(positions, kept)))
            self._positions += positions  # So that no identity is ever used again.
            known = self._trails[key] = (trail, kept)
        return known


def _active_tells(capture: Capture) -> bool:
    """Whether some thread is not active; dumped from another process-id namespace, all are."""
    return any(
        thread.active is False
        for sample in capture.samples
        for process in sample.processes
        for thread in without_ids(process)
    )


def _is_torn(position: Position, every: tuple[Position, ...]) -> bool:
    """Whether a dump lost its outer frames while the process ran on.

    About one nonblocking dump in a hundred of a busy process is cut; a hung one cannot be.
    """
    roots = {p.stack.places[-1][0] for p in every if p.stack and p.stack.places}
    own = position.stack and position.stack.places[-1:]
    return bool(own and "<module>" in roots and len(roots) > 1 and own[0][0] != "<module>")


def _answering(capture: Capture) -> frozenset[str]:
    """Return the nodes that gave processes in the last sample."""
    last = max((s.sample for s in capture.samples if s.processes), default=0)
    return frozenset(s.node for s in capture.samples if s.sample == last and s.processes)


def _seconds(capture: Capture) -> float | None:
    """Return the time between a node's first and last sample."""
    times: dict[str, list[datetime]] = {}
    for sample in capture.samples:
        moment = moment_of(sample.taken_at)
        if moment and sample.processes:
            times.setdefault(sample.node, []).append(moment)
    spans = [max(found) - min(found) for found in times.values() if len(found) > 1]
    return max(spans).total_seconds() if spans else None


def moment_of(text: str | None) -> datetime | None:
    """Return an ISO 8601 time, or None when it is none; without a zone it is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    if moment and moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment
