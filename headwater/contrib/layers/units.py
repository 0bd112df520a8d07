"""Layers that normalize or combine units: softmax, unit vectors, maxout."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.layer_utils import get_variable_collections, last_dimension
from headwater.graph import Operation, Tensor, build, convert_to_tensor, name_scope, shape_tensor
from headwater.model.defun import Defun
from headwater.model.variables.initializers import Constant, Ones
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.getitem import meshgrid, strided_slice
from headwater.ops.array.tile import tile
from headwater.ops.math.division import div
from headwater.ops.math.ranges import linspace
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum


@export("contrib.layers.softmax", "contrib.slim.softmax")
@add_arg_scope
def softmax(logits: TensorLike, scope: Any = None) -> Tensor:
    """The softmax along the last axis.

    Args:
        logits: a floating-point tensor of rank 2 or more; the length of its last axis must be
            known.
        scope: the variable scope.

    Returns:
        A tensor like `logits`.

    Raises:
        ValueError: if the last dimension is unknown.
    """
    with variable_scope(scope, "softmax", [logits]):
        count = last_dimension(logits.get_shape(), min_rank=2)
        rows: Tensor = build.Softmax(build.Reshape(logits, [-1, count]))
        outputs = build.Reshape(rows, shape_tensor(logits))
        outputs.set_shape(logits.get_shape())
        return outputs


@export("contrib.layers.spatial_softmax", "contrib.slim.spatial_softmax")
@add_arg_scope
def spatial_softmax(
    features: TensorLike,
    temperature: float | None = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Tensor:
    """The expected position in each channel, if the softmax of the channel is its distribution.

    Args:
        features: a tensor of rank 4; the number of channels must be known.
        temperature: the initial temperature of the softmax; 1 if None.
        name: the variable scope.
        variables_collections: the collections for the variable: a list, or a dict with a list for
            "temperature".
        trainable: whether optimizers change the temperature.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor ``[batch, 2 * channels]``: x and y of each channel, between -1 and 1.

    Raises:
        ValueError: if the data format or the number of channels is unknown.
    """
    with variable_scope(name, "spatial_softmax"):
        shape, static = shape_tensor(features), features.get_shape()
        if data_format == "NHWC":
            height, width, channels = shape[1], shape[2], static[3].value
        elif data_format == "NCHW":
            channels, height, width = static[1].value, shape[2], shape[3]
        else:
            raise ValueError("data_format has to be either NCHW or NHWC.")
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. "
                "Found `None`."
            )
        with name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            x, y = meshgrid(
                linspace(-1.0, 1.0, num=height), linspace(-1.0, 1.0, num=width), indexing="ij"
            )
            x = build.Reshape(x, [height * width])
            y = build.Reshape(y, [height * width])
            divisor = model_variable(
                "temperature",
                shape=(),
                dtype=dtypes.float32,
                initializer=Ones() if temperature is None else Constant(temperature),
                collections=(
                    get_variable_collections(variables_collections, "temperature")
                    if trainable
                    else None
                ),
                trainable=trainable,
            )
            if data_format == "NHWC":
                features = build.Transpose(features, [0, 3, 1, 2], name="transpose")
            rows = build.Reshape(features, [-1, height * width])
            attention: Tensor = build.Softmax(rows / divisor)
            expected_x = reduce_sum(x * attention, [1], keepdims=True)
            expected_y = reduce_sum(y * attention, [1], keepdims=True)
            points = build.Reshape(concat([expected_x, expected_y], 1), [-1, channels * 2])
            points.set_shape([None, channels * 2])
            return points


@export("contrib.layers.unit_norm", "contrib.slim.unit_norm")
@add_arg_scope
def unit_norm(inputs: TensorLike, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """Divides vectors by their lengths.

    Args:
        inputs: a floating-point tensor of known rank.
        dim: the axis of the vectors.
        epsilon: a small number that is added to the square of the length.
        scope: the variable scope.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the rank is unknown or `dim` is out of range.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        rank = inputs.get_shape().ndims
        if not rank:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        squares = reduce_sum(build.Square(inputs), dim, keepdims=True)
        lengths = build.Sqrt(epsilon + squares)
        multiples: list[Any] = []
        if dim > 0:
            multiples.append(ones([dim], dtypes.int32))
        multiples.append(strided_slice(shape_tensor(inputs), [dim], [dim + 1]))
        if dim < rank - 1:
            multiples.append(ones([rank - 1 - dim], dtypes.int32))
        return div(inputs, tile(lengths, concat(multiples, 0)))


@export("contrib.layers.maxout", "contrib.slim.maxout")
@add_arg_scope
def maxout(inputs: TensorLike, num_units: int, axis: int = -1, scope: Any = None) -> Tensor:
    """The maximum of each group of features (Goodfellow et al., 2013).

    Args:
        inputs: a tensor.
        num_units: the number of groups that the features are split into.
        axis: the axis of the features.
        scope: the variable scope.

    Returns:
        A tensor of the same rank with `num_units` features.

    Raises:
        ValueError: if the features cannot be split into the groups.
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        lengths: list[Any] = inputs.shape.as_list()
        features = lengths[axis]
        if features % num_units:
            raise ValueError(
                f"number of features({features}) is not a multiple of num_units({num_units})"
            )
        lengths[axis] = num_units
        lengths.append(features // num_units)
        lengths = [shape_tensor(inputs)[i] if n is None else n for i, n in enumerate(lengths)]
        return reduce_max(build.Reshape(inputs, lengths), -1, keepdims=False)


def poincare_normalize(
    x: TensorLike, axis: int = 1, epsilon: float = 1e-5, name: str | None = None
) -> Tensor:
    """Scales vectors outside of the open unit ball into it, for Poincare embeddings.

    Args:
        x: a floating-point tensor.
        axis: the axis of the vectors.
        epsilon: the smallest distance of the results from the surface of the ball.
        name: the name of the node.

    Returns:
        A tensor like `x`.
    """
    with name_scope(name, "poincare_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        squares = reduce_sum(build.Square(x), axis, keepdims=True)
        factor = build.Minimum((1.0 - epsilon) * build.Rsqrt(squares), 1.0)
        return build.Mul(x, factor, name=scope)


def _scaled_gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
    return [grad * op.inputs[1], None]


@Defun(
    python_grad_func=_scaled_gradient,
    shape_func=lambda op: [op.inputs[0].get_shape()],
)
def scale_gradient(inputs: Tensor, gradient_multiplier: Tensor) -> Tensor:
    """Returns its first argument; the gradient is multiplied by the second one.

    Args:
        inputs: a tensor.
        gradient_multiplier: a scalar of the same type.

    Returns:
        `inputs`.
    """
    return build.Identity(inputs)


export_value("contrib.layers.scale_gradient", scale_gradient)
export_value("contrib.slim.scale_gradient", scale_gradient)
