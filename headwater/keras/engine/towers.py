"""The replicas of a model: each computes the outputs of its part of the batch on its device."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor, build, replication, shape_tensor
from headwater.keras.layers.core import Lambda
from headwater.model.layers.reachable import reachable
from headwater.ops.array.concat import concat


class Towers:
    """The outputs of a model, computed by the replicas of a strategy.

    Args:
        model: the model, with inputs and outputs.
        strategy: the Strategy, whose scope is open.

    Attributes:
        outputs: the outputs of the whole batch, one for each output of the model.
    """

    def __init__(self, model: Any, strategy: Any) -> None:
        self._model = model
        # The other replicas are in other processes, which have batches of their own.
        self._count = len(strategy.extended.worker_devices)
        self._single_updates = set(model.updates)
        self._single_losses = {id(loss) for loss in model.losses}
        made = strategy.extended.call_for_each_replica(self._of_replica)
        self.outputs = [_joined(strategy.unwrap(output)) for output in made]
        for output, whole in zip(model.outputs, self.outputs):
            mask = getattr(output, "_keras_mask", None)
            if mask is not None:
                whole._keras_mask = mask  # type: ignore[attr-defined]

    def _of_replica(self) -> list[Any]:
        """The outputs of a replica."""
        mode = replication.replicating()
        assert mode is not None
        number = mode.replica_context._number
        take = Lambda(
            part_of_batch,
            arguments={"number": number, "count": self._count},
            name=f"part_{number}_of_batch",
        )
        parts = [take(x) for x in self._model.inputs] if self._count > 1 else self._model.inputs
        made = self._model(parts[0] if len(parts) == 1 else parts)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def losses(self) -> list[Any]:
        """The losses that layers have added: the means of those of the replicas."""
        every = self._model.losses
        of_inputs = reachable(self._model.inputs)
        return [
            loss / self._count if loss.op in of_inputs else loss
            for loss in every
            if id(loss) not in self._single_losses or loss.op not in of_inputs
        ]

    def updates(self) -> list[Any]:
        """The updates that layers have made in the replicas."""
        return [op for op in self._model.updates if op not in self._single_updates]


def _joined(parts: Any) -> Tensor:
    joined: Tensor = concat(list(parts), 0)
    return joined


def part_of_batch(x: Tensor, number: int, count: int) -> Tensor:
    """One of equal parts of a batch; the last one has the rest."""
    shape = shape_tensor(x)
    size = build.FloorDiv(shape[:1], count)
    taken = size if number < count - 1 else shape[:1] - size * number
    start = concat((size * number, build.ZerosLike(shape[1:])), 0)
    return build.Slice(x, start, concat((taken, shape[1:]), 0))
