"""The workers that train one model together, each with its rows of every batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, process_group
from headwater.graph import Operation, Tensor, build, group, name_scope, shape_tensor
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization


class Workers:
    """The workers of a strategy.

    Every worker is given the same batches, and computes loss, gradients and metrics of its rows;
    what the workers report and apply is that of the whole batch.

    Args:
        strategy: the Strategy, whose workers are processes with variables of their own.
    """

    def __init__(self, strategy: Any) -> None:
        self._extended = strategy.extended
        context = self._extended.input_context()
        self._count = context.num_input_pipelines
        self._position = context.input_pipeline_id

    def own_rows(self, arrays: Sequence[Any]) -> list[Any]:
        """The rows of this worker.

        Args:
            arrays: the arrays of a batch; None where there is none.
        """
        return [x if x is None else self._rows_of(x) for x in arrays]

    def _rows_of(self, array: Any) -> Any:
        if not hasattr(array, "shape") or not len(array.shape):
            return array
        rows, longer = divmod(int(array.shape[0]), self._count)
        # The first workers take the rows that are left over.
        start = rows * self._position + min(self._position, longer)
        return array[start : start + rows + (self._position < longer)]

    def agreed(self, order: np.ndarray) -> np.ndarray:
        """The order of the first worker, in which all of them take the examples.

        Args:
            order: the order that this worker would take.
        """
        group = process_group.current()
        assert group is not None
        given = order if group.rank == 0 else None
        return np.asarray(group.broadcast(given, order.shape, order.dtype))

    def share_of_batch(self, output: Any) -> Tensor:
        """The rows of this worker as a part of those of all workers.

        Args:
            output: an output of the model.
        """
        with name_scope("share_of_batch"):
            rows = build.Cast(shape_tensor(output)[:1], DstT=dtypes.float32)
            (every,) = self.sums([rows])
            share: Tensor = build.Squeeze(build.RealDiv(rows, every), squeeze_dims=[0])
        return share

    def shared_averages(self, variables: Sequence[Any]) -> Operation:
        """The op that gives averages of batches, which each worker has of its own, their mean.

        Args:
            variables: those of the model; the scope of the strategy is open.
        """
        averages = [
            v
            for v in variables
            if getattr(v, "synchronization", None) is VariableSynchronization.ON_READ
            and v.aggregation is VariableAggregation.MEAN
        ]
        return group(*(v.assign(v.read_value()) for v in averages))

    def sums(self, given: Sequence[Any]) -> list[Any]:
        """The sums of tensors over all workers."""
        return list(self._extended._sums_over_workers(given))


def workers_of(strategy: Any) -> Workers | None:
    """The workers of a strategy; None if no other process trains synchronously."""
    if strategy is None or not strategy.extended.experimental_between_graph:
        return None
    alone = strategy.num_replicas_in_sync == len(strategy.extended.worker_devices)
    return None if alone else Workers(strategy)
