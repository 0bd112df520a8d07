"""Second derivatives, built from two gradients."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.graph import Tensor, build, constant_node, gradients, shape_tensor, size_tensor
from headwater.graph.convert import to_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop


def _as_list(value: NestedTensors) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


@export("hessians")
def hessians(
    ys: NestedTensors,
    xs: NestedTensors,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """Builds the matrix of second derivatives of the sum of `ys` for each of `xs`.

    Args:
      ys: a tensor or list of tensors.
      xs: a tensor or list of tensors.
      name: accepted.
      colocate_gradients_with_ops: as for `tf.gradients`.
      gate_gradients: as for `tf.gradients`.
      aggregation_method: as for `tf.gradients`.

    Returns:
      A list as long as `xs`, of tensors whose shape is that of x twice.

    Raises:
      LookupError: if an op on the way has no gradient registered.
      ValueError: if `ys` does not depend on an x, or depends on it linearly.
    """
    options: dict[str, Any] = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    xs = _as_list(xs)
    result = []
    for gradient, x in zip(gradients(ys, xs, **options), xs):
        # One row per element of the gradient.
        flat = reshape(gradient, [-1])
        count = size_tensor(x)

        def add_row(
            row: Tensor, rows: TensorArray, flat: Tensor = flat, x: Tensor = x
        ) -> tuple[Any, Any]:
            following = row + 1
            (derivative,) = gradients(flat[row], x, **options)
            return following, rows.write(row, derivative)

        _, rows = while_loop(
            lambda row, _, count=count: row < count,
            add_row,
            [constant_node(0, dtypes.int32), TensorArray(x.dtype, count)],
        )
        shape = shape_tensor(x)
        result.append(reshape(rows.stack(), concat((shape, shape), 0)))
    return result


def hessian_vector_product(ys: Tensor, xs: list[Any], v: list[Any]) -> list[Any]:
    """Multiplies the matrix of second derivatives with a vector, without making the matrix.

    Source: Pearlmutter, Fast exact multiplication by the Hessian, 1994.

    Args:
      ys: a tensor or list of tensors.
      xs: a list of tensors.
      v: a list of tensors of the shapes of `xs`.

    Returns:
      A list of tensors of the shapes of `xs`.

    Raises:
      ValueError: if `xs` and `v` are of different lengths.
    """
    if len(v) != len(xs):
        raise ValueError("xs and v must have the same length.")
    products = [
        build.Mul(gradient, build.StopGradient(to_tensor(part)))
        for gradient, part in zip(gradients(ys, xs), v)
        if gradient is not None
    ]
    return gradients(products, xs)
