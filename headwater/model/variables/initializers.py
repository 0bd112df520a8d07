"""Initializers: objects that make the initial value of a variable from its shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor, build
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones, zeros
from headwater.ops.linalg.diagonal import eye

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo


@export("keras.initializers.Initializer")
class Initializer:
    """The base of all initializers."""

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """Makes an initial value.

        Args:
            shape: the shape of the variable.
            dtype: its type; that of the initializer if None.
            partition_info: the place of the variable in a larger one, or None.

        Returns:
            A Tensor.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments of the initializer as a dict that JSON can write."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """An initializer from what `get_config` has returned."""
        return cls(**config)


def _of_shape(
    make: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Tensor | None:
    """The tensor that an initializer of releases before 1.0 made; None in newer calls."""
    if "shape" not in kwargs and not (args and isinstance(args[0], (list, tuple, TensorShape))):
        return None

    def initializer(
        shape: Sequence[int],
        dtype: DType = dtypes.float32,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        return make(shape, dtype)

    return initializer(*args, **kwargs)


@export(
    "zeros_initializer",
    "initializers.zeros",
    "keras.initializers.Zeros",
    "keras.initializers.zeros",
)
class Zeros(Initializer):
    """Initial values of zero.

    Args:
        dtype: the default type. A shape here makes a tensor at once, as before TensorFlow 1.0.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = _of_shape(zeros, args, kwargs)
        return super().__new__(cls) if made is None else made

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        return zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"dtype": self.dtype.name}


@export(
    "ones_initializer", "initializers.ones", "keras.initializers.Ones", "keras.initializers.ones"
)
class Ones(Initializer):
    """Initial values of one.

    Args:
        dtype: the default type. A shape here makes a tensor at once, as before TensorFlow 1.0.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = _of_shape(ones, args, kwargs)
        return super().__new__(cls) if made is None else made

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        return ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"dtype": self.dtype.name}


@export(
    "constant_initializer",
    "initializers.constant",
    "keras.initializers.Constant",
    "keras.initializers.constant",
)
class Constant(Initializer):
    """Initial values that are given.

    Args:
        value: a scalar, or a list or array whose elements fill the variable in order; the last
            one is repeated if there are too few.
        dtype: the default type.
        verify_shape: whether `value` must have exactly the shape of the variable.

    Raises:
        TypeError: if `value` is of another kind.
    """

    def __init__(
        self, value: TensorLike = 0, dtype: DTypeLike = dtypes.float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value)} (expected Python scalar, list or "
                "tuple of values, or numpy.ndarray)."
            )
        self.value = value
        self.dtype = as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """See Initializer; `verify_shape` overrides the constructor's."""
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(
            self.value, self.dtype if dtype is None else dtype, shape, verify_shape=verify
        )

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"value": self.value, "dtype": self.dtype.name}


@export("initializers.identity", "keras.initializers.Identity", "keras.initializers.identity")
class Identity(Initializer):
    """The identity matrix.

    Args:
        gain: a factor.
        dtype: the default type, a floating-point one.
    """

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = floating(as_dtype(dtype))

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        full = shape if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        dtype = self.dtype if dtype is None else dtype
        identity = eye(full[0], full[1], dtype=dtype)
        if partition_info is not None:
            identity = build.Slice(identity, partition_info.var_offset, shape)
        return self.gain * identity

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"gain": self.gain, "dtype": self.dtype.name}


def floating(dtype: DType) -> DType:
    """Raises ValueError unless the type is floating-point."""
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype
