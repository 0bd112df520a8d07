"""Checks for NaN and infinity: CheckNumerics."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    colocate_with,
    control_dependencies,
    convert_to_tensor,
    export,
    get_default_graph,
    group,
    name_scope,
    register_op,
    shapes,
    with_dependencies,
)


def kernel_check_numerics(xp: ArrayModule, tensor: Array, *, message: str) -> Array:
    require(xp, xp.isfinite(tensor), lambda: _found(tensor, message))
    return tensor


def _found(tensor: np.ndarray, message: str) -> Exception:
    infinite = "Inf" if np.any(np.isinf(tensor)) else ""
    nan = "NaN" if np.any(np.isnan(tensor)) else ""
    what = " and ".join(filter(None, (infinite, nan)))
    return errors.InvalidArgumentError(None, None, f"{message} : Tensor had {what} values")


def gradient_check_numerics(op: Operation, grad: Tensor) -> Tensor:
    # The text shows the bytes of the message as Python writes them, as in TensorFlow.
    text = op.get_attr("message")
    message = f"Not a number (NaN) or infinity (Inf) values detected in gradient. {text}"
    return build.CheckNumerics(grad, message=message)


register_op(
    "CheckNumerics",
    inputs="tensor: T",
    outputs="output: T",
    attrs="T: {bfloat16, half, float, double}, message: string",
    shape=shapes.like_first,
    kernel=kernel_check_numerics,
    gradient=gradient_check_numerics,
    reference=lambda tensor: tensor,
    samples=lambda: [Sample(np.array([1.5, -2.0], np.float32), message="text")],
    stateful=True,
)


@export("check_numerics", "debugging.check_numerics")
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Returns a tensor and fails if it has an element that is NaN or infinite.

    Args:
        tensor: a floating-point tensor.
        message: the beginning of the error text.
        name: the name of the node.

    Returns:
        A tensor with the same value.

    Raises:
        InvalidArgumentError: from `Session.run` if an element is NaN or infinite.
    """
    return build.CheckNumerics(tensor, message=message, name=name)


@export("verify_tensor_all_finite", "debugging.assert_all_finite")
def verify_tensor_all_finite(
    t: TensorLike = None, msg: str | None = None, name: str | None = None,
    x: TensorLike | None = None, message: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns a tensor and fails if it has an element that is NaN or infinite.

    Args:
        t: a floating-point tensor.
        msg: the beginning of the error text.
        name: the name scope.
        x: the newer name of `t`.
        message: the newer name of `msg`.

    Returns:
        A tensor with the same value.

    Raises:
        InvalidArgumentError: from `Session.run` if an element is NaN or infinite.
    """
    t = t if x is None else x
    text = msg if message is None else message
    with name_scope(name, "VerifyFinite", [t]):
        t = convert_to_tensor(t, name="x")
        with colocate_with(t):
            check = build.CheckNumerics(t, message=text)
            return with_dependencies([check], t)


@export("add_check_numerics_ops")
def add_check_numerics_ops() -> Operation:
    """Checks every floating-point tensor of the default graph for NaN and infinity.

    Returns:
        An operation that runs all checks, each after those of earlier nodes.
    """
    last: list[Tensor] = []
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with control_dependencies(last):
                    text = f"{op.name}:{output.value_index}"
                    last = [build.CheckNumerics(output, message=text)]
    return group(*last)
