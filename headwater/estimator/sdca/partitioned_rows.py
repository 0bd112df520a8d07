"""Rows of a variable that may be divided into parts."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor, constant_node
from headwater.ops.array.dynamic_partition import dynamic_partition
from headwater.ops.array.dynamic_stitch import dynamic_stitch
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.division import floordiv, mod
from headwater.ops.math.extrema import maximum
from headwater.ops.math.ranges import range_
from headwater.ops.math.select import where
from headwater.ops.state.scatter import scatter_add


class PartitionedRows:
    """Some rows of a variable.

    The parts have as many rows as each other, the first ones one more if the rows do not divide
    evenly, like those of `tf.fixed_size_partitioner`.

    Args:
        variable: a variable, or a list of parts along the first axis.
        ids: an int64 vector, the rows.
    """

    def __init__(self, variable: Any, ids: Tensor) -> None:
        self._variable = variable
        self.ids = ids
        if isinstance(variable, list):
            self._divide(sum(part.shape.as_list()[0] for part in variable))

    def _divide(self, rows: int) -> None:
        """Finds the part of each row, and its place there."""
        count = len(self._variable)
        ids = reshape(self.ids, [-1])
        rows_node = constant_node(rows, dtypes.int64)
        each, longer = floordiv(rows_node, count), mod(rows_node, count, name="mod")
        part = maximum(floordiv(ids, each + 1), floordiv(ids - longer, each))
        place = where(part < longer, mod(ids, each + 1, "mod"), mod(ids - longer, each, "mod"))
        self._part = cast(part, dtypes.int32)
        self._places = dynamic_partition(place, self._part, count)
        self._count = shape(place)

    def gather(self) -> Tensor:
        """Returns the rows."""
        if not isinstance(self._variable, list):
            return gather(self._variable, self.ids)
        values = [gather(part, places) for part, places in zip(self._variable, self._places)]
        order = dynamic_partition(range_(self._count[0]), self._part, len(values))
        return dynamic_stitch(order, values)

    def scatter_add(self, values: Tensor) -> list[Tensor]:
        """Returns the ops that add to the rows.

        Args:
            values: one number for each row.
        """
        if not isinstance(self._variable, list):
            return [scatter_add(self._variable, self.ids, values)]
        divided = dynamic_partition(values, self._part, len(self._variable))
        parts = zip(self._variable, self._places, divided)
        return [scatter_add(part, places, v) for part, places, v in parts]
