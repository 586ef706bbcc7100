"""The training log, in the form Megatron-LM writes since core 0.16 (training_log)."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import TextIO

from sandbox.cluster.corpus import DOCUMENTS


class StepLog:
    """Writes one line per step, with the time since the line before."""

    def __init__(
        self,
        stream: TextIO,
        steps: int,
        world_size: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._steps = steps
        self._batch = world_size * DOCUMENTS[0]
        self._clock = clock
        self._last = clock()

    def write(self, step: int, loss: float, gradient_norm: float) -> None:
        """Write the line of a step that has just ended."""
        now = self._clock()
        elapsed_ms, self._last = 1000 * (now - self._last), now
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")
        self._stream.write(
            f" [{stamp}] iteration {step:8d}/{self._steps:8d} |"
            f" consumed samples: {step * self._batch:12d} |"
            f" elapsed time per iteration (ms): {elapsed_ms:.1f} |"
            f" learning rate: 5.000000E-02 | global batch size: {self._batch:5d} |"
            f" lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {gradient_norm:.3f} |"
            " number of skipped iterations:   0 | number of nan iterations:   0 |\n"
        )
        self._stream.flush()
