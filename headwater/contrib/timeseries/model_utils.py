"""Parts that several models use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, DTypeLike
from headwater.contrib.timeseries.feature_keys import FilteringResults
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.nn.dense import xw_plus_b
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.nn.relu import relu


def fully_connected(
    inp: Tensor,
    inp_size: int,
    layer_size: int,
    name: str,
    activation: Callable[[Tensor], Tensor] | None = relu,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Returns activation(inp W + b) with variables of its own.

    Args:
        inp: [batch, inp_size].
        inp_size: the number of inputs.
        layer_size: the number of outputs.
        name: the prefix of the names of the variables.
        activation: a function of tensors, or None.
        dtype: the type of the variables.

    Returns:
        A tensor [batch, layer_size].
    """
    weights = get_variable(name=f"{name}_weight", shape=[inp_size, layer_size], dtype=dtype)
    bias = get_variable(name=f"{name}_bias", shape=[layer_size], dtype=dtype, initializer=Zeros())
    output = xw_plus_b(inp, weights, bias)
    return output if activation is None else activation(output)


def parameter_switch(parameter_overrides: Mapping[Any, Any]) -> Callable[[Tensor], Array]:
    """Returns a function that evaluates a tensor, or gives what stands for it in a dictionary.

    Args:
        parameter_overrides: from tensors, or references of them, to values.

    Returns:
        A function of a tensor.
    """

    def get_passed_or_trained_value(parameter: Tensor) -> Array:
        key = parameter.experimental_ref() if hasattr(parameter, "experimental_ref") else parameter
        if key in parameter_overrides:
            return convert_to_tensor(parameter_overrides[key]).eval()
        return parameter.eval()

    return get_passed_or_trained_value


def canonicalize_times_or_steps_from_output(
    times: Any, steps: int | None, previous_model_output: Mapping[str, Any]
) -> Array:
    """Returns the times of a prediction that goes on after another output.

    Args:
        times: the times [batch, window] or [window], or None.
        steps: a number of steps after the last time of the output, or None.
        previous_model_output: what filtering or evaluation has returned.

    Returns:
        Times [batch, window].

    Raises:
        ValueError: if neither or both are given, or if the times do not fit to the output.
    """
    if steps is None and times is None:
        raise ValueError("One of `steps` and `times` must be specified.")
    if steps is not None and times is not None:
        raise ValueError("Only one of `steps` and `times` may be specified.")
    previous = np.array(previous_model_output[FilteringResults.TIMES])
    if steps is not None:
        return previous[:, -1:] + 1 + np.arange(steps)[None, :]
    times = np.array(times)
    if times.ndim != 2:
        times = times[None, ...]
    if times.shape[0] != previous.shape[0]:
        raise ValueError(
            "`times` must have a batch dimension matching the previous model output "
            f"(got a batch dimension of {times.shape[0]} for `times` and {previous.shape[0]} "
            "for the previous model output)."
        )
    if not (previous[:, -1] < times[:, 0]).all():
        raise ValueError("Prediction times must be after the corresponding previous model output.")
    return times
