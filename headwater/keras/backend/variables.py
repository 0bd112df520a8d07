"""Variables and the nodes that update them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import Constraint, DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
)
from headwater.keras.backend.graph_state import track_variable
from headwater.keras.backend.settings import floatx
from headwater.keras.backend.tensors import int_shape
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import ones as make_ones
from headwater.ops.array.fill import zeros as make_zeros
from headwater.ops.linalg.diagonal import eye as make_eye
from headwater.ops.random.normal import random_normal
from headwater.ops.random.uniform import random_uniform
from headwater.ops.state.assign import assign, assign_add, assign_sub
from headwater.train.moving_averages import assign_moving_average


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
