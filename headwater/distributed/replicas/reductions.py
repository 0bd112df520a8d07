"""How values of replicas become one."""

from __future__ import annotations

import enum
from typing import Any

from headwater.base.export import export
from headwater.model.variables.variable_creation import VariableAggregation


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How values of replicas are put together: added, or averaged."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: Any) -> ReduceOp:
        """The reduction for a variable's aggregation.

        Args:
            aggregation: a member of `tf.VariableAggregation`.

        Returns:
            A member.

        Raises:
            ValueError: if there is none for it.
        """
        found = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}
        if aggregation not in found:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`ReduceOp` type"
            )
        return found[aggregation]


@export("distribute.get_loss_reduction", "contrib.distribute.get_loss_reduction")
def get_loss_reduction() -> ReduceOp:
    """How the losses of replicas are put together.

    Returns:
        A ReduceOp: the sum, since losses are divided by the number of replicas.
    """
    return ReduceOp.SUM
