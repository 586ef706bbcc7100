"""Failures that a test asks for: an error, a broken answer, or a delay on chosen calls."""

import re
from dataclasses import dataclass

from rankscope.errors import UnusableInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What the next `times` calls get whose path holds the regular expression `path`.

    `status`, `code` and `body` replace the answer, `delay_s` holds it back; with `after` the call
    is carried out first and only its answer is lost. Without status, code and body the call is
    only slow. `retry_after_s` becomes the header x-ogw-ratelimit-reset.
    """

    path: str
    method: str = ""
    status: int = 0
    code: int = 0
    body: str = ""
    times: int = 1
    delay_s: float = 0.0
    retry_after_s: float = 0.0
    after: bool = False

    @property
    def replaces_answer(self) -> bool:
        """Whether the caller gets something else than the real answer."""
        return bool(self.status or self.code or self.body)


@dataclass(slots=True)
class _Pending:
    fault: Fault
    pattern: re.Pattern[str]
    left: int

    def hits(self, method: str, path: str) -> bool:
        right_method = self.fault.method.upper() in {"", method}
        return self.left > 0 and right_method and self.pattern.search(path) is not None


class Faults:
    """The faults that are still to happen, in the order they were asked for."""

    def __init__(self) -> None:
        self._pending: list[_Pending] = []

    def add(self, fault: Fault) -> None:
        """Ask for a fault; raises UnusableInput for a bad pattern."""
        try:
            pattern = re.compile(fault.path)
        except re.error as error:
            what = f"The path {fault.path!r} is no regular expression: {error}."
            raise UnusableInput(what) from error
        self._pending.append(_Pending(fault, pattern, fault.times))

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault that hits a call and count it, or None."""
        for pending in self._pending:
            if pending.hits(method, path):
                pending.left -= 1
                return pending.fault
        return None

    @property
    def pending(self) -> list[Fault]:
        """The faults that will still hit calls."""
        return [pending.fault for pending in self._pending if pending.left > 0]

    def clear(self) -> None:
        """Forget all faults."""
        self._pending.clear()
