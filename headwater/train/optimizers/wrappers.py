"""Optimizers that wrap another one: averages of the variables, variables of limited norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    control_dependencies,
    export,
    get_default_graph,
    group,
    name_scope,
)
from headwater.model.variables.variable_lists import global_variables
from headwater.ops.array.gather import gather
from headwater.ops.math.clip_by_norm import clip_by_norm
from headwater.train.checkpoints.saveables import items_by_name
from headwater.train.checkpoints.saver import Saver
from headwater.train.moving_averages import ExponentialMovingAverage
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


@export("contrib.opt.MovingAverageOptimizer")
class MovingAverageOptimizer(Optimizer):
    """An optimizer that also keeps moving averages of the variables it trains.

    Args:
        opt: the optimizer that makes the steps.
        average_decay: the decay of the averages.
        num_updates: see ExponentialMovingAverage.
        sequential_update: whether averages wait for the step, or take the values as they come.
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: float = 0.9999,
        num_updates: TensorLike | None = None,
        sequential_update: bool = True,
    ) -> None:
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._sequential_update = sequential_update
        # name of a variable -> name of its average, and the other way round
        self._swapped_variable_name_map: dict[str, str] | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NestedTensors:
        """As the inner optimizer."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """As in Optimizer, with the averages updated."""
        train_op = self._optimizer.apply_gradients(
            grads_and_vars, global_step=global_step, name=name
        )
        var_list = [var for grad, var in grads_and_vars if grad is not None]
        with control_dependencies([train_op] if self._sequential_update else []):
            ema_op = self._ema.apply(var_list)
        self._swapped_variable_name_map = {}
        for var in var_list:
            average = self._ema.average(var)
            self._swapped_variable_name_map[var.op.name] = average.op.name
            self._swapped_variable_name_map[average.op.name] = var.op.name
        return group(train_op, ema_op, name="train_with_avg")

    def swapping_saver(
        self,
        var_list: Sequence[Variable] | None = None,
        name: str = "swapping_saver",
        **kwargs: Any,
    ) -> Saver:
        """A Saver that writes the averages under the names of the variables, and vice versa.

        Args:
            var_list: the variables, as for Saver; all saveable ones if None.
            name: the name of the saver's ops.
            **kwargs: further arguments of Saver.

        Returns:
            The Saver.

        Raises:
            RuntimeError: before the gradients are applied.
            ValueError: if only one of a variable and its average is to be saved.
        """
        names = self._swapped_variable_name_map
        if names is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        by_name = items_by_name(global_variables() if var_list is None else var_list)
        every = [v for item in by_name.values() for v in _parts(item)]
        places = {variable.op.name: variable for variable in every}

        def swapped(variable: Variable) -> Variable:
            other = names.get(variable.op.name)
            if other is None:
                return variable
            if other not in places:
                raise ValueError(f"Variable to swap {other} is not in variables to save.")
            return places[other]

        swaps = {
            key: [swapped(v) for v in item] if isinstance(item, list) else swapped(item)
            for key, item in by_name.items()
        }
        return Saver(swaps, name=name, **kwargs)


def _parts(item: NestedTensors) -> list[Any]:
    return item if isinstance(item, list) else [item]


@export("contrib.opt.VariableClippingOptimizer")
class VariableClippingOptimizer(Optimizer):
    """An optimizer that keeps the norms of variables below a limit after each step.

    Args:
        opt: the optimizer that makes the steps.
        vars_to_clip_dims: {variable: list of the dimensions that a norm is taken over}.
        max_norm: the largest norm.
        use_locking: whether updates exclude each other.
        colocate_clip_ops_with_vars: whether all is computed where the variable is.
        name: the name of the ops.
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: dict[Any, Any],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._vars_to_clip_dims = vars_to_clip_dims
        self._max_norm = max_norm
        self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NestedTensors:
        """As the inner optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the inner optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """As the inner optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """As in Optimizer, with the variables clipped afterwards."""
        with name_scope(name, self._name) as scope:
            update_op = self._opt.apply_gradients(grads_and_vars, global_step=global_step)
            clipped = []
            with control_dependencies([update_op]):
                for grad, var in grads_and_vars:
                    if grad is None or var not in self._vars_to_clip_dims:
                        continue
                    with name_scope(f"clip_{var.op.name}"):
                        clipped.append(self._clip(grad, var))
            return group(update_op, *clipped, name=scope)

    def _clip(self, grad: TensorLike | IndexedSlices, var: Variable) -> Tensor | Variable:
        dims = self._vars_to_clip_dims[var]
        # Norms over the rows need all rows.
        by_rows = isinstance(grad, IndexedSlices) and 0 not in dims
        if self._colocate_clip_ops_with_vars:
            with get_default_graph().colocate_with(var):
                change = self._excess(grad, var, dims, by_rows)
        else:
            change = self._excess(grad, var, dims, by_rows)
        with get_default_graph().colocate_with(var):
            if by_rows:
                rows = IndexedSlices(change, grad.indices)
                return var.scatter_sub(rows, use_locking=self._use_locking)
            return var.assign_sub(change, use_locking=self._use_locking)

    def _excess(
        self, grad: TensorLike | IndexedSlices, var: TensorLike, dims: Sequence[int], by_rows: bool
    ) -> Tensor:
        """The amount to subtract from the variable, or from the rows of the gradient."""
        values = gather(var, grad.indices) if by_rows else var.read_value()
        return values - clip_by_norm(values, self._max_norm, dims)
