"""Exponential moving averages of variables and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    export,
    get_default_graph,
    group,
    name_scope,
    replication,
)
from headwater.graph.default_graph import add_to_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.math.cast import cast
from headwater.ops.state.assign import assign, assign_add, assign_sub
from headwater.train.optimizers.slot_creator import create_slot, create_zeros_slot

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def assign_moving_average(
    variable: TensorLike,
    value: TensorLike,
    decay: TensorLike,
    zero_debias: bool = True,
    name: str | None = None,
) -> Tensor | Variable:
    """Updates a moving average with a value: variable <- variable - (1 - decay) (variable - value).

    Args:
        variable: the Variable that holds the average.
        value: a tensor of its shape.
        decay: a number or scalar tensor below 1.
        zero_debias: whether the average starts at zero and is corrected for that, as in Adam
            (Kingma and Ba, 2015, section 3); two more variables hold the average as it is and the
            number of updates.
        name: the name of the node.

    Returns:
        What the assignment returns.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        part = convert_to_tensor(1.0 - decay, name="decay")
        dtype = variable.dtype.base_dtype
        if part.dtype.base_dtype is not dtype:
            part = cast(part, dtype)
        mode = replication.replicating()
        if mode is not None and replication.has_copies(variable):
            return _move_copies(mode, variable, value, part, zero_debias)
        uncorrected = _uncorrected(variable, value, part) if zero_debias else ()
        return _moved(variable, value, part, *uncorrected, name=scope)


def _moved(
    variable: Any, value: TensorLike, part: Tensor, *uncorrected: Any, name: str | None = None
) -> Tensor | Variable:
    """Moves an average towards a value, by way of the uncorrected one if there is one."""
    if uncorrected:
        return assign(variable, _corrected(value, part, *uncorrected), name=name)
    return assign_sub(variable, (variable - value) * part, name=name)


def _move_copies(
    mode: replication.Mode, variable: Any, value: Any, part: Tensor, zero_debias: bool
) -> Any:
    """Moves all copies of an average towards the mean of the values of all replicas."""

    def move(strategy: Any, variable: Any, value: Any) -> Any:
        if mode.replica_context is not None:
            value = strategy.extended.reduce_to("MEAN", value, variable)
        uncorrected = _uncorrected(variable, value, part) if zero_debias else ()
        return strategy.extended.update(variable, _moved, args=(value, part, *uncorrected))

    if mode.replica_context is None:
        return move(mode.strategy, variable, value)
    return mode.replica_context.merge_call(move, args=(variable, value))


def _uncorrected(variable: Variable, value: Any, part: Tensor) -> tuple[Any, ...]:
    """The variables of the uncorrected average and of the number of updates."""
    values = [] if replication.has_copies(variable) else [variable, value, part]
    with variable_scope(variable.op.name, values=values), replication.colocated(variable):
        return tuple(
            get_variable(
                _new_name(name),
                shape=shape,
                dtype=variable.dtype.base_dtype,
                initializer=Zeros(),
                trainable=False,
            )
            for name, shape in (("biased", variable.get_shape()), ("local_step", ()))
        )


def _corrected(value: Any, part: Tensor, biased: Any, count: Any) -> Tensor:
    """Updates the uncorrected average; returns the corrected one."""
    average = assign_sub(biased, (biased - value) * part)
    updates = assign_add(count, 1)
    return average / (1 - build.Pow(1 - part, updates))


def _new_name(name: str) -> str:
    """A name that is unique in the variable scope, unless variables are to be shared."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in global_variables()}
    found, i = name, 0
    while f"{scope.name}/{found}" in taken:
        i += 1
        found = f"{name}_{i}"
    return found


def weighted_moving_average(
    value: Tensor,
    decay: TensorLike,
    weight: Tensor,
    truediv: bool = True,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """The moving average of value * weight over that of the weight.

    Args:
        value: a tensor of numbers.
        decay: a number or scalar tensor below 1.
        weight: a tensor whose shape broadcasts to that of `value`.
        truediv: whether integers are divided as numbers.
        collections: the collections of the two variables.
        name: the variable scope of the two variables.

    Returns:
        A tensor of the shape of `value`.
    """
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        averages = [
            get_variable(
                part,
                shape=like.get_shape(),
                dtype=like.dtype,
                initializer=Zeros(),
                trainable=False,
                collections=collections,
            )
            for part, like in (("value_x_weight", value), ("weight", weight))
        ]
        numerator = assign_moving_average(averages[0], value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(averages[1], weight, decay, zero_debias=False)
        divide = _true_division if truediv else _division
        return divide(numerator, denominator, scope.name)


def _true_division(x: TensorLike, y: TensorLike, name: str) -> Tensor:
    return build.RealDiv(x, y, name=name)


def _division(x: TensorLike, y: TensorLike, name: str) -> Tensor:
    if x.dtype.is_integer:
        return build.FloorDiv(x, y, name=name)
    return build.RealDiv(x, y, name=name)


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps shadow variables: shadow <- decay * shadow + (1 - decay) * variable.

    Args:
        decay: a number or scalar tensor below 1.
        num_updates: the number of updates so far; makes the decay smaller at the start:
            min(decay, (1 + num_updates) / (10 + num_updates)).
        zero_debias: whether averages of tensors, which start at zero, are corrected for that.
            The name is taken here too, as the API before 1.0 has it.
        name: the last part of the names of the shadow variables.
    """

    def __init__(
        self,
        decay: TensorLike,
        num_updates: TensorLike | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        if isinstance(zero_debias, str):
            zero_debias, name = False, zero_debias
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """The last part of the names of the shadow variables."""
        return self._name

    def apply(self, var_list: Sequence[TensorLike] | None = None) -> Operation:
        """Makes shadow variables and an op that updates them.

        Shadows of variables start with the value of the variable, those of tensors with zero.

        Args:
            var_list: Variables or Tensors; None means all trainable variables.

        Returns:
            The op.

        Raises:
            TypeError: if one has no floating-point type.
        """
        if var_list is None:
            var_list = trainable_variables()
        corrected = set()
        for var in var_list:
            if var.dtype.base_dtype not in _FLOATS:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                continue
            # Shadows are made once, not when the training op runs.
            with get_default_graph().control_dependencies(None):
                self._averages[var] = self._shadow(var)
            if self._zero_debias and not isinstance(var, Variable):
                corrected.add(self._averages[var])
        with name_scope(self._name) as scope:
            decay = self._present_decay()
            updates = [
                assign_moving_average(
                    self._averages[var],
                    var,
                    decay,
                    zero_debias=self._averages[var] in corrected,
                )
                for var in var_list
            ]
            return group(*updates, name=scope)

    def _shadow(self, var: TensorLike) -> Variable:
        if isinstance(var, Variable):
            shadow = create_slot(
                var, var.initialized_value(), self._name, colocate_with_primary=True
            )
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            return shadow
        held = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
        return create_zeros_slot(var, self._name, colocate_with_primary=held)

    def _present_decay(self) -> Tensor:
        decay = convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        count = cast(self._num_updates, dtypes.float32, name="num_updates")
        return build.Minimum(decay, (1.0 + count) / (10.0 + count))

    def average(self, var: TensorLike) -> Any:
        """The shadow variable of a variable or tensor, or None if it has none."""
        return self._averages.get(var)

    def average_name(self, var: TensorLike) -> str:
        """The name of the op of a shadow variable, which need not exist yet."""
        if var in self._averages:
            return self._averages[var].op.name
        return get_default_graph().unique_name(f"{var.op.name}/{self._name}", mark_as_used=False)

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Variable] | None = None
    ) -> dict[str, Any]:
        """The dict that a Saver needs to restore saved averages into the variables.

        Args:
            moving_avg_variables: the variables that take their averages; None means the trainable
                variables and those that have been averaged.

        Returns:
            {name in the checkpoint: variable} for all global variables.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = list(dict.fromkeys(moving_avg_variables))
        names = {self.average_name(var): var for var in averaged}
        kept = {var.name for var in averaged}
        for var in dict.fromkeys(global_variables()):
            if var.name not in kept:
                names.setdefault(var.op.name, var)
        return names
