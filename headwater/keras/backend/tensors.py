"""Constants and placeholders; types and shapes of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export, export_value
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    convert_to_tensor,
    name_scope,
)
from headwater.keras.backend.settings import floatx
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant as make_constant
from headwater.ops.array.constant import placeholder as make_placeholder
from headwater.ops.array.fill import ones_like as make_ones_like
from headwater.ops.array.fill import zeros_like as make_zeros_like
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.sparse_inputs import sparse_placeholder
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast as make_cast
from headwater.ops.sparse.dense import sparse_tensor_to_dense

export_value("keras.backend.name_scope", name_scope)


@export("keras.backend.is_sparse")
def is_sparse(tensor: Any) -> bool:
    """Whether a tensor is sparse.

    Args:
        tensor: a tensor.

    Returns:
        True for a SparseTensor.
    """
    return isinstance(tensor, SparseTensor)


@export("keras.backend.to_dense")
def to_dense(tensor: TensorLike) -> Tensor:
    """Makes a sparse tensor dense.

    Args:
        tensor: a tensor.

    Returns:
        A dense tensor; the same one if it is dense already.
    """
    return sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


@export("keras.backend.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    """Whether a tensor is the output of a layer, or an Input.

    Args:
        x: a tensor, sparse tensor or variable.

    Returns:
        Whether it is.

    Raises:
        ValueError: if it is not a tensor.
    """
    if not isinstance(x, (Tensor, Variable, SparseTensor)) and not hasattr(x, "_keras_history"):
        raise ValueError(
            f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor "
            "instance."
        )
    return hasattr(x, "_keras_history")


@export("keras.backend.constant")
def constant(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a constant.

    Args:
        value: a number or an array.
        dtype: its type; the default floating-point type if None.
        shape: its shape; that of the value if None.
        name: the name of the node.

    Returns:
        A tensor.
    """
    dtype = floatx() if dtype is None else dtype
    return make_constant(value, dtype=dtype, shape=shape, name="Const" if name is None else name)


@export("keras.backend.placeholder")
def placeholder(
    shape: Sequence[int | None] | None = None,
    ndim: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """Makes a placeholder.

    Args:
        shape: its shape; None for an unknown size.
        ndim: its rank, if there is no shape.
        dtype: its type; the default floating-point type if None.
        sparse: whether it is a SparseTensor.
        name: the name of the node.
        ragged: not in this release's graphs.

    Returns:
        A tensor or SparseTensor.

    Raises:
        ValueError: if it shall be sparse and ragged.
        NotImplementedError: if it shall be ragged.
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True when creating a placeholder.")
    if ragged:
        raise NotImplementedError(
            "Ragged placeholders are not supported (hint: feed a tensor and use tf.RaggedTensor)."
        )
    dtype = floatx() if dtype is None else dtype
    if not shape and ndim:
        shape = (None,) * ndim
    made = sparse_placeholder if sparse else make_placeholder
    result: Any = made(dtype, shape=shape, name=name)
    result._is_backend_placeholder = True
    return result


def is_placeholder(x: Any) -> bool:
    """Whether a tensor is a placeholder."""
    op = getattr(x, "op", None)
    return op is not None and op.type == "Placeholder"


@export("keras.backend.shape")
def shape(x: TensorLike) -> Tensor:
    """The shape as a tensor.

    Args:
        x: a tensor or variable.

    Returns:
        An int32 vector.
    """
    return shape_of(x)


@export("keras.backend.int_shape")
def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The static shape.

    Args:
        x: a tensor or variable.

    Returns:
        A tuple with None for unknown sizes; None if even the rank is unknown.
    """
    try:
        sizes = x.shape
        if not isinstance(sizes, tuple):
            sizes = tuple(sizes.as_list())
        return sizes
    except ValueError:
        return None


@export("keras.backend.ndim")
def ndim(x: Any) -> int | None:
    """The rank.

    Args:
        x: a tensor or variable.

    Returns:
        The number of axes, None if unknown.
    """
    rank: int | None = x.shape.rank
    return rank


@export("keras.backend.dtype")
def dtype(x: Any) -> str:
    """The name of the type.

    Args:
        x: a tensor or variable.

    Returns:
        "float32", for example.
    """
    name: str = x.dtype.base_dtype.name
    return name


@export("keras.backend.zeros_like")
def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Zeros of the shape of a tensor.

    Args:
        x: a tensor or variable.
        dtype: the type; that of x if None.
        name: the name of the node.

    Returns:
        A tensor.
    """
    return make_zeros_like(x, dtype=dtype, name=name)


@export("keras.backend.ones_like")
def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Ones of the shape of a tensor.

    Args:
        x: a tensor or variable.
        dtype: the type; that of x if None.
        name: the name of the node.

    Returns:
        A tensor.
    """
    return make_ones_like(x, dtype=dtype, name=name)


def identity_(x: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of another.

    Args:
        x: a tensor or variable.
        name: the name of the node.

    Returns:
        A tensor.
    """
    return identity(x, name=name)


@export("keras.backend.cast")
def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """Converts a tensor to another type.

    Args:
        x: a tensor.
        dtype: the type.

    Returns:
        A tensor.
    """
    return make_cast(x, dtype)


def to_tensor(x: Any, dtype: DTypeLike) -> Tensor:
    """Converts a value to a tensor of a type."""
    return convert_to_tensor(x, dtype=as_dtype(dtype).base_dtype)


def is_floating(x: Any) -> bool:
    """Whether the type is a floating-point one."""
    return bool(as_dtype(x.dtype).is_floating)


def without_bool(x: TensorLike) -> Any:
    """Converts booleans to the default floating-point type; others stay."""
    return make_cast(x, floatx()) if x.dtype.base_dtype == dtypes.bool_ else x
