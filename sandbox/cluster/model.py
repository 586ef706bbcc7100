"""A model in miniature: four layers of parameters that follow a target made of the batch's tokens.

What a GPU would compute is a sleep per kernel, whose length grows with the number of tokens, beside
a little real arithmetic, so that loss and gradients are real.
"""

import math
import time
from abc import ABC, abstractmethod

from sandbox.cluster.corpus import TOKENS_PER_SHARD
from sandbox.cluster.data import Batch
from sandbox.cluster.memory import allocate

ROWS = 16
KERNELS = 36
"""12 forward; backward as many that take twice as long."""
SHARE = 0.8
"""Share of a step that kernels take; the rest is reading, packing, talking, updating."""
UPDATE_SHARE = 0.08
LEARNING_RATE = 0.05
BYTES_PER_SCORE = 4096
"""Attention scores of one pair of tokens: 32 layers of 64 heads, 2 bytes each."""


class Layer(ABC):
    """Some parameters, and how long a kernel of theirs runs on the usual batch."""

    def __init__(self, step_s: float) -> None:
        self.parameters = [0.0] * ROWS
        self._kernel_s = SHARE * step_s / KERNELS

    @abstractmethod
    def forward(self, batch: Batch) -> float:
        """Return this layer's part of the loss."""

    @abstractmethod
    def backward(self, batch: Batch) -> list[float]:
        """Return this layer's gradient."""

    def launch(self, kernel: str, batch: Batch, times: int = 1) -> None:
        """Wait as long as a kernel would run."""
        del kernel
        time.sleep(times * self._kernel_s * len(batch.tokens) / TOKENS_PER_SHARD)

    def loss(self, batch: Batch) -> float:
        """Return the squared distance to the target."""
        return sum(difference**2 for difference in self._differences(batch))

    def gradient(self, batch: Batch) -> list[float]:
        """Return the gradient of `loss`."""
        return [2 * difference for difference in self._differences(batch)]

    def _differences(self, batch: Batch) -> list[float]:
        rows = enumerate(self.parameters)
        return [value - _target(row, batch) for row, value in rows]


def _target(row: int, batch: Batch) -> float:
    used = batch.tokens[row :: 4 * ROWS]
    return 1.0 + sum(math.sin(token) for token in used) / (10 * len(used))


class Embedding(Layer):
    """Looks up tokens and positions."""

    def forward(self, batch: Batch) -> float:
        """Return this layer's part of the loss."""
        self.launch("tokens", batch)
        self.launch("positions", batch)
        return self.loss(batch)

    def backward(self, batch: Batch) -> list[float]:
        """Return this layer's gradient."""
        self.launch("positions", batch, 2)
        self.launch("tokens", batch, 2)
        return self.gradient(batch)


class Attention(Layer):
    """Lets every token look at those before it."""

    def forward(self, batch: Batch) -> float:
        """Return this layer's part of the loss."""
        self.launch("query", batch)
        self.launch("key_value", batch)
        allocate(batch.longest**2 * BYTES_PER_SCORE)
        self.launch("scores", batch)
        self.launch("softmax", batch)
        self.launch("output", batch)
        return self.loss(batch)

    def backward(self, batch: Batch) -> list[float]:
        """Return this layer's gradient."""
        self.launch("output", batch, 2)
        self.launch("softmax", batch, 2)
        self.launch("scores", batch, 2)
        self.launch("key_value", batch, 2)
        self.launch("query", batch, 2)
        return self.gradient(batch)


class FeedForward(Layer):
    """Looks at each token by itself."""

    def forward(self, batch: Batch) -> float:
        """Return this layer's part of the loss."""
        self.launch("up", batch)
        self.launch("activation", batch)
        self.launch("down", batch)
        return self.loss(batch)

    def backward(self, batch: Batch) -> list[float]:
        """Return this layer's gradient."""
        self.launch("down", batch, 2)
        self.launch("activation", batch, 2)
        self.launch("up", batch, 2)
        return self.gradient(batch)


class Head(Layer):
    """Predicts the next token."""

    def forward(self, batch: Batch) -> float:
        """Return this layer's part of the loss."""
        self.launch("logits", batch)
        self.launch("cross_entropy", batch)
        return self.loss(batch)

    def backward(self, batch: Batch) -> list[float]:
        """Return this layer's gradient."""
        self.launch("cross_entropy", batch, 2)
        self.launch("logits", batch, 2)
        return self.gradient(batch)


class Model:
    """All layers."""

    def __init__(self, step_s: float) -> None:
        self.embedding = Embedding(step_s)
        self.attention = Attention(step_s)
        self.feed_forward = FeedForward(step_s)
        self.head = Head(step_s)
        self._step_s = step_s

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers in the order of their gradients."""
        return self.embedding, self.attention, self.feed_forward, self.head

    def forward(self, batch: Batch) -> float:
        """Return the mean loss on a batch."""
        loss = self.embedding.forward(batch)
        loss += self.attention.forward(batch)
        loss += self.feed_forward.forward(batch)
        loss += self.head.forward(batch)
        return loss / (len(self.layers) * ROWS)

    def backward(self, batch: Batch) -> list[float]:
        """Return the gradient on a batch."""
        head = self.head.backward(batch)
        feed_forward = self.feed_forward.backward(batch)
        attention = self.attention.backward(batch)
        embedding = self.embedding.backward(batch)
        return [*embedding, *attention, *feed_forward, *head]

    def update(self, gradient: list[float]) -> float:
        """Move all parameters and return the gradient's norm."""
        time.sleep(UPDATE_SHARE * self._step_s)
        for number, layer in enumerate(self.layers):
            slopes = gradient[number * ROWS : (number + 1) * ROWS]
            pairs = zip(layer.parameters, slopes, strict=True)
            layer.parameters = [value - LEARNING_RATE * slope for value, slope in pairs]
        return math.hypot(*gradient)
