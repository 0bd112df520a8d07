"""Variables, constants and placeholders, and reading and writing their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export, export_value
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, Constraint, DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    control_dependencies,
    convert_to_tensor,
    name_scope,
)
from headwater.keras.backend.graph_state import get_session, track_variable
from headwater.keras.backend.settings import floatx
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant as make_constant
from headwater.ops.array.constant import placeholder as make_placeholder
from headwater.ops.array.fill import ones as make_ones
from headwater.ops.array.fill import ones_like as make_ones_like
from headwater.ops.array.fill import zeros as make_zeros
from headwater.ops.array.fill import zeros_like as make_zeros_like
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.sparse_inputs import sparse_placeholder
from headwater.ops.control.identity import identity
from headwater.ops.linalg.diagonal import eye as make_eye
from headwater.ops.math.cast import cast as make_cast
from headwater.ops.random.normal import random_normal
from headwater.ops.random.uniform import random_uniform
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.state.assign import assign, assign_add, assign_sub
from headwater.train.moving_averages import assign_moving_average

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


@export("keras.backend.variable")
def variable(
    value: Any,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    constraint: Constraint | None = None,
) -> Variable:
    """Makes a variable that `get_session` initializes.

    Args:
        value: the initial value: an array, a tensor, or a SciPy sparse matrix.
        dtype: its type; the default floating-point type if None.
        name: the name.
        constraint: a function from a new value to the one that is kept.

    Returns:
        A resource variable, or a SparseTensor for a sparse matrix.

    Example:
        >>> v = tf.keras.backend.variable([1.0, 2.0])
        >>> print(tf.keras.backend.eval(v))
        [1. 2.]
    """
    dtype = floatx() if dtype is None else dtype
    if hasattr(value, "tocoo"):
        coordinates = value.tocoo()
        indices = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
        made: Any = SparseTensor(indices, coordinates.data, coordinates.shape)
        made._keras_shape = coordinates.shape
        return made
    made = Variable(
        value, dtype=as_dtype(dtype), name=name, constraint=constraint, use_resource=True
    )
    if isinstance(value, np.ndarray):
        made._keras_shape = value.shape
    elif hasattr(value, "shape"):
        made._keras_shape = int_shape(value)
    track_variable(made)
    return made


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


@export("keras.backend.eval")
def eval_(x: TensorLike) -> Array:
    """Computes a tensor in the session of `get_session`.

    Args:
        x: a tensor or variable.

    Returns:
        A NumPy array.
    """
    return get_value(to_dense(x))


@export("keras.backend.zeros")
def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Makes a variable of zeros; a tensor if the shape is not known statically.

    Args:
        shape: sizes.
        dtype: the type; the default floating-point type if None.
        name: the name.

    Returns:
        A variable.
    """
    filled = make_zeros(shape, dtype=as_dtype(dtype or floatx()), name=name)
    return variable(filled, dtype=filled.dtype, name=name) if _is_static(filled) else filled


@export("keras.backend.ones")
def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Makes a variable of ones; a tensor if the shape is not known statically.

    Args:
        shape: sizes.
        dtype: the type; the default floating-point type if None.
        name: the name.

    Returns:
        A variable.
    """
    filled = make_ones(shape, dtype=as_dtype(dtype or floatx()), name=name)
    return variable(filled, dtype=filled.dtype, name=name) if _is_static(filled) else filled


def _is_static(x: Tensor) -> bool:
    return bool(x.shape.is_fully_defined())


@export("keras.backend.eye")
def eye(size: int, dtype: DTypeLike | None = None, name: str | None = None) -> Variable:
    """Makes a variable with ones on its diagonal.

    Args:
        size: the number of rows.
        dtype: the type; the default floating-point type if None.
        name: the name.

    Returns:
        A variable.
    """
    kind = as_dtype(dtype or floatx())
    return variable(make_eye(size, dtype=kind), dtype=kind, name=name)


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


@export("keras.backend.random_uniform_variable")
def random_uniform_variable(
    shape: ShapeLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Makes a variable with uniform random values.

    Args:
        shape: its shape.
        low: the smallest value.
        high: the bound of the values.
        dtype: the type; the default floating-point type if None.
        name: the name.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A variable.
    """
    kind = as_dtype(dtype or floatx())
    seed = np.random.randint(10**8) if seed is None else seed
    value = random_uniform(shape, low, high, dtype=kind, seed=seed)
    return variable(value, dtype=kind, name=name)


@export("keras.backend.random_normal_variable")
def random_normal_variable(
    shape: ShapeLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Makes a variable with normal random values.

    Args:
        shape: its shape.
        mean: the mean.
        scale: the standard deviation.
        dtype: the type; the default floating-point type if None.
        name: the name.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A variable.
    """
    kind = as_dtype(dtype or floatx())
    seed = np.random.randint(10**8) if seed is None else seed
    value = random_normal(shape, mean, scale, dtype=kind, seed=seed)
    return variable(value, dtype=kind, name=name)


@export("keras.backend.count_params")
def count_params(x: Any) -> int:
    """The number of elements.

    Args:
        x: a tensor or variable of known shape.

    Returns:
        The number.
    """
    return int(np.prod(x.shape.as_list()))


@export("keras.backend.update")
def update(x: Variable, new_x: TensorLike) -> Any:
    """Makes a node that assigns to a variable.

    Args:
        x: a variable.
        new_x: its new value.

    Returns:
        The variable after the assignment.
    """
    return assign(x, new_x)


@export("keras.backend.update_add")
def update_add(x: Variable, increment: TensorLike) -> Any:
    """Makes a node that adds to a variable.

    Args:
        x: a variable.
        increment: what is added.

    Returns:
        The variable after the addition.
    """
    return assign_add(x, increment)


@export("keras.backend.update_sub")
def update_sub(x: Variable, decrement: TensorLike) -> Any:
    """Makes a node that subtracts from a variable.

    Args:
        x: a variable.
        decrement: what is subtracted.

    Returns:
        The variable after the subtraction.
    """
    return assign_sub(x, decrement)


@export("keras.backend.moving_average_update")
def moving_average_update(x: Variable, value: TensorLike, momentum: TensorLike) -> Any:
    """Makes a node that moves an average towards a value, without bias to its start at zero.

    Args:
        x: the variable with the average.
        value: a tensor of its shape.
        momentum: the share of the old average.

    Returns:
        The variable after the update.
    """
    return assign_moving_average(x, value, momentum, zero_debias=True)


@export("keras.backend.get_value")
def get_value(x: Any) -> Array:
    """The value of a variable or tensor.

    Args:
        x: a variable, a tensor, or a value.

    Returns:
        A NumPy array.
    """
    if not isinstance(x, (Tensor, Variable, SparseTensor)):
        return x
    return get_session((x,)).run(x)


@export("keras.backend.batch_get_value")
def batch_get_value(tensors: Sequence[Any]) -> list[Array]:
    """The values of several variables.

    Args:
        tensors: variables or tensors.

    Returns:
        A list of NumPy arrays.
    """
    if not tensors:
        return []
    values: list[Array] = get_session(tensors).run(list(tensors))
    return values


def _assignment(x: Any, value: Array) -> tuple[Any, Any]:
    """The assignment node of a variable and its placeholder, which are made once."""
    if hasattr(x, "_assign_placeholder"):
        return x._assign_op, x._assign_placeholder
    # The size may change: a variable of unknown shape takes any value.
    x._assign_placeholder = make_placeholder(
        x.dtype.base_dtype, shape=TensorShape([None] * np.ndim(value))
    )
    x._assign_op = x.assign(x._assign_placeholder)
    return x._assign_op, x._assign_placeholder


@export("keras.backend.set_value")
def set_value(x: Variable, value: Any) -> None:
    """Sets the value of a variable.

    Args:
        x: a variable.
        value: an array of its shape.

    Returns:
        None.
    """
    batch_set_value([(x, value)])


@export("keras.backend.batch_set_value")
def batch_set_value(tuples: Iterable[tuple[Variable, Any]]) -> None:
    """Sets the values of several variables.

    Args:
        tuples: pairs of a variable and an array of its shape.

    Returns:
        None.
    """
    pairs = list(tuples)
    if not pairs:
        return
    operations = []
    feed = {}
    graph = pairs[0][0].graph
    with graph.as_default(), control_dependencies(None):
        for x, value in pairs:
            array = np.asarray(value, dtype=dtype(x))
            operation, holder = _assignment(x, array)
            operations.append(operation)
            feed[holder] = array
        get_session([pairs[0][0]]).run(operations, feed_dict=feed)


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
