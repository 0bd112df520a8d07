"""Layers without variables that change the form of tensors."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import check_format
from headwater.contrib.layers.layer_utils import collect_named_outputs
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.model.layers.core import flatten as flattened
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.getitem import strided_slice
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.shape import shape
from headwater.ops.control.rank_checks import assert_rank_at_least
from headwater.ops.math.cast import to_int64
from headwater.ops.math.comparison import not_equal
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.math.select import where
from headwater.ops.sparse.reshape import sparse_reshape


@export("contrib.layers.flatten", "contrib.slim.flatten")
@add_arg_scope
def flatten(
    inputs: TensorLike,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes one vector of each example.

    Args:
        inputs: a tensor ``[batch, ...]``.
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 2.

    Raises:
        ValueError: if the rank is 0.
    """
    with name_scope(scope, "Flatten", [inputs]) as name:
        outputs = flattened(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.one_hot_encoding", "contrib.slim.one_hot_encoding")
@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes labels one-hot vectors.

    Args:
        labels: a tensor of integers ``[batch]``.
        num_classes: the length of the vectors.
        on_value: the value at the place of the label.
        off_value: the value elsewhere.
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A float32 tensor ``[batch, num_classes]``.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as name:
        labels = convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = to_int64(labels)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.images_to_sequence", "contrib.slim.images_to_sequence")
@add_arg_scope
def images_to_sequence(
    inputs: TensorLike,
    data_format: str = "NHWC",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes the rows of images a batch of sequences, for a recurrent network over columns.

    Args:
        inputs: a tensor of rank 4.
        data_format: "NHWC" or "NCHW".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor ``[width, batch * height, channels]``.

    Raises:
        ValueError: if the data format is unknown.
    """
    layout = check_format(data_format, "NCHW", "NHWC")
    with name_scope(scope, "ImagesToSequence", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        if layout == "channels_first":
            inputs = build.Transpose(inputs, [0, 2, 3, 1], name="transpose")
        _, _, width, channels = inputs.shape.as_list()
        lengths = shape_tensor(inputs)
        batch, height = lengths[0], lengths[1]
        columns = build.Transpose(inputs, [2, 0, 1, 3], name="transpose")
        outputs = build.Reshape(columns, [width, batch * height, channels])
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.sequence_to_images", "contrib.slim.sequence_to_images")
@add_arg_scope
def sequence_to_images(
    inputs: TensorLike,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes a batch of sequences the rows of images: the inverse of `images_to_sequence`.

    Args:
        inputs: a tensor ``[width, batch * height, channels]``.
        height: the height of the images.
        output_data_format: "channels_last" or "channels_first".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 4.
    """
    with name_scope(scope, "SequenceToImages", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        width, rows, channels = inputs.shape.as_list()
        batch = -1 if rows is None else rows // height
        columns = build.Reshape(inputs, [width, batch, height, channels])
        axes = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        outputs = build.Transpose(columns, axes, name="transpose")
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.dense_to_sparse", "contrib.slim.dense_to_sparse")
@add_arg_scope
def dense_to_sparse(
    tensor: TensorLike,
    eos_token: int = 0,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> SparseTensor:
    """The elements of a tensor that differ from a value.

    Args:
        tensor: a tensor.
        eos_token: the value that is left out, such as the padding of sequences.
        outputs_collections: the collections for the output.
        scope: the variable scope.

    Returns:
        A SparseTensor.
    """
    with variable_scope(scope, "dense_to_sparse", [tensor]) as variables:
        tensor = convert_to_tensor(tensor)
        indices = where(not_equal(tensor, constant_node(eos_token, tensor.dtype)))
        values = gather_nd(tensor, indices)
        outputs = SparseTensor(indices, values, shape(tensor, out_type=dtypes.int64))
        return collect_named_outputs(outputs_collections, variables.name, outputs)


@add_arg_scope
def inner_flatten(
    inputs: TensorLike | SparseTensor,
    new_rank: int,
    output_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor | SparseTensor:
    """Makes one axis of the last axes of a tensor.

    Args:
        inputs: a tensor or SparseTensor.
        new_rank: the rank of the result.
        output_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor or SparseTensor of the new rank.

    Raises:
        ValueError: if the rank of the inputs is smaller.
    """
    with name_scope(scope, "InnerFlatten", [inputs, new_rank]) as name:
        outputs = (
            _sparse_inner_flatten(inputs, new_rank)
            if isinstance(inputs, SparseTensor)
            else _dense_inner_flatten(convert_to_tensor(inputs), new_rank)
        )
        return collect_named_outputs(output_collections, name, outputs)


def _sparse_inner_flatten(inputs: SparseTensor, new_rank: int) -> SparseTensor:
    rank = inputs.dense_shape.get_shape()[0].value
    if rank is not None and rank < new_rank:
        raise ValueError(
            f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}. "
            f"Received rank {rank}, shape {inputs.get_shape()}"
        )
    outer = inputs.dense_shape[: new_rank - 1]
    inner = inputs.dense_shape[new_rank - 1 :]
    return sparse_reshape(inputs, concat((outer, [reduce_prod(inner)]), 0))


def _dense_inner_flatten(inputs: Tensor, new_rank: int) -> Tensor:
    check = assert_rank_at_least(inputs, new_rank, message="inputs has rank less than new_rank")
    with control_dependencies([check]):
        outer = strided_slice(shape_tensor(inputs), [0], [new_rank - 1])
        outputs = build.Reshape(inputs, concat((outer, [-1]), 0))
    lengths = inputs.shape.as_list() if inputs.shape.ndims is not None else None
    if isinstance(new_rank, int) and lengths is not None:
        inner = TensorShape(lengths[new_rank - 1 :])
        outputs.set_shape([*lengths[: new_rank - 1], inner.num_elements()])
    return outputs
