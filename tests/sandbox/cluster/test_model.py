import pytest

from sandbox.cluster.corpus import make_shard
from sandbox.cluster.data import Batch, pack_sequences
from sandbox.cluster.model import ROWS, Model


@pytest.fixture
def batch() -> Batch:
    return pack_sequences(make_shard(0, 0))


@pytest.fixture
def model() -> Model:
    return Model(step_s=0.0)


def test_training_lowers_the_loss(model: Model, batch: Batch) -> None:
    losses = []
    for _ in range(20):
        losses.append(model.forward(batch))
        model.update(model.backward(batch))

    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 10


@pytest.mark.parametrize("row", [0, ROWS, 2 * ROWS + 3, 4 * ROWS - 1])
def test_the_gradient_is_that_of_the_loss(model: Model, batch: Batch, row: int) -> None:
    layer, place, small = model.layers[row // ROWS], row % ROWS, 1e-6
    gradient, before = model.backward(batch), model.forward(batch)

    layer.parameters[place] += small

    slope = (model.forward(batch) - before) / small * 4 * ROWS
    assert slope == pytest.approx(gradient[row], rel=1e-3)
