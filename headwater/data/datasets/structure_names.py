"""Older names of the specifications of components: TensorStructure and others."""

from __future__ import annotations

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph.composite_specs import SparseTensorSpec
from headwater.graph.type_spec import TensorSpec
from headwater.model.ragged.spec import RaggedTensorSpec
from headwater.ops.control.tensor_array_spec import TensorArraySpec


@export("data.experimental.TensorStructure")
@deprecated(None, "Use `tf.TensorSpec` instead.")
def tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:
    """The specification of a Tensor.

    Args:
        dtype: its type.
        shape: its static shape.

    Returns:
        A TensorSpec.
    """
    return TensorSpec(shape, dtype)


@export("data.experimental.SparseTensorStructure")
@deprecated(None, "Use `tf.SparseTensorSpec` instead.")
def sparse_tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:
    """The specification of a SparseTensor.

    Args:
        dtype: the type of its values.
        shape: its static dense shape.

    Returns:
        A SparseTensorSpec.
    """
    return SparseTensorSpec(shape, dtype)


@export("data.experimental.RaggedTensorStructure")
@deprecated(None, "Use `tf.RaggedTensorSpec` instead.")
def ragged_tensor_structure(
    dtype: DTypeLike, shape: ShapeLike, ragged_rank: int
) -> RaggedTensorSpec:
    """The specification of a RaggedTensor.

    Args:
        dtype: the type of its values.
        shape: its static shape.
        ragged_rank: how many of its dimensions are ragged.

    Returns:
        A RaggedTensorSpec.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


@export("data.experimental.TensorArrayStructure")
@deprecated(None, "Use `tf.TensorArraySpec` instead.")
def tensor_array_structure(
    dtype: DTypeLike, element_shape: ShapeLike, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """The specification of a TensorArray.

    Args:
        dtype: the type of its elements.
        element_shape: what is known of their shape.
        dynamic_size: whether writes may make it longer.
        infer_shape: whether all elements must have one shape.

    Returns:
        A TensorArraySpec.
    """
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)
