"""Fake quantization: values rounded to few levels between a minimum and a maximum that follow them.

Source of the scheme: Jacob et al., "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference" (2018), section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Graph, Tensor, build, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Constant, Zeros
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.control.cond import cond
from headwater.ops.math.reduce_functions import reduce_max, reduce_min
from headwater.ops.state.assign import assign, assign_add
from headwater.train.moving_averages import assign_moving_average

_STEP = "fake_quantization_step"
# The range that the levels span before the first step.
_FIRST_MIN, _FIRST_MAX = -6.0, 6.0


class Levels(NamedTuple):
    """How values are quantized.

    Attributes:
        bits: how many bits a value has.
        symmetric: whether the range has its middle at zero.
        decay: of the moving averages of the ends of the range; None takes those of the last batch.
        narrow: whether the lowest level is unused, so that there are as many below as above zero.
        least: the first minimum.
    """

    bits: int
    symmetric: bool
    decay: float | None = None
    narrow: bool = False
    least: float = _FIRST_MIN


def quantization_step(graph: Graph) -> Tensor:
    """The number of runs so far, counted by a variable that each run adds one to.

    Args:
        graph: the graph, which gets the variable if it has none yet.

    Returns:
        An int64 scalar.
    """
    counted = f"{_STEP}/Identity"
    if counted not in graph._nodes_by_name:
        with name_scope(None):
            step = get_variable(
                _STEP,
                shape=(),
                dtype=dtypes.int64,
                initializer=Zeros(),
                trainable=False,
                collections=[GraphKeys.GLOBAL_VARIABLES],
            )
            with name_scope(f"{_STEP}/"):
                build.Identity(assign_add(step, 1))
    return graph.get_tensor_by_name(f"{counted}:0")


def fake_quantized(values: Tensor, prefix: str, levels: Levels, is_training: bool) -> Tensor:
    """Rounds values to the levels of a range that two variables hold.

    Args:
        values: a tensor of float32.
        prefix: of the names of the variables and ops.
        levels: the levels.
        is_training: whether the range follows the values.

    Returns:
        A tensor of the same shape.
    """
    with variable_scope(None, default_name=prefix, values=[values]):
        least, most = _end("min", levels.least), _end("max", _FIRST_MAX)
        if not is_training:
            return _rounded(values, least, most, levels)
        low, high = _range_of(values, levels)
        if levels.decay is None:
            new_least: TensorLike = assign(least, low, name="AssignMinLast")
            new_most: TensorLike = assign(most, high, name="AssignMaxLast")
        else:
            new_least = assign_moving_average(least, low, levels.decay, name="AssignMinEma")
            new_most = assign_moving_average(most, high, levels.decay, name="AssignMaxEma")
        return _rounded(values, new_least, new_most, levels)


def _end(name: str, first: float) -> Variable:
    """A variable that holds an end of the range."""
    return get_variable(
        name,
        shape=(),
        initializer=Constant(first),
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
    )


def _range_of(values: Tensor, levels: Levels) -> tuple[Tensor, Tensor]:
    """The ends of a range that contains the values and zero."""
    low = reduce_min(values, name="BatchMin")
    high = reduce_max(values, name="BatchMax")
    if not levels.symmetric:
        return build.Minimum(low, 0.0), build.Maximum(high, 0.0)
    # Without the lowest level, there are as many levels below zero as above.
    ratio = -1.0 if levels.narrow else _lowest_to_highest(levels.bits)
    return build.Minimum(low, high / ratio), build.Maximum(high, low * ratio)


def _lowest_to_highest(bits: int) -> float:
    """The ratio of the highest level to the lowest of a signed integer, negative."""
    return -((1 << (bits - 1)) - 1) / (1 << (bits - 1))


def _rounded(values: Tensor, low: TensorLike, high: TensorLike, levels: Levels) -> Tensor:
    return build.FakeQuantWithMinMaxVars(
        values, low, high, num_bits=levels.bits, narrow_range=levels.narrow
    )


def delayed(prefix: str, quantized: Tensor, values: Tensor, delay: int) -> Tensor:
    """The quantized values after a number of runs, and the values before.

    Args:
        prefix: of the names of the ops.
        quantized: the quantized values.
        values: the values.
        delay: the number of runs.

    Returns:
        A tensor of the same shape.
    """
    step = quantization_step(get_default_graph())
    active = build.GreaterEqual(step, np.int64(delay), name=f"{prefix}/activate_quant")
    return cond(active, lambda: quantized, lambda: values, name=f"{prefix}/delayed_quant")
