"""SparseTensor: the elements of a tensor that are not zero, with their positions."""

from __future__ import annotations

from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.deprecation import renamed_argument
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.nest_levels import register_composite
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.constant_value import constant_value_as_shape
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import name_scope
from headwater.graph.operation import Operation, Tensor


class _Parts(NamedTuple):
    indices: Any
    values: Any
    dense_shape: Any


@export("SparseTensorValue")
class SparseTensorValue(_Parts):
    """The fetched or fed value of a SparseTensor.

    Args:
        indices: int64 array of shape [n, rank].
        values: array of shape [n].
        dense_shape: int64 array of shape [rank].
        shape: the older name of dense_shape.
    """

    __slots__ = ()

    def __new__(
        cls, indices: Any, values: Any, dense_shape: Any = None, shape: Any = None
    ) -> SparseTensorValue:
        return super().__new__(cls, indices, values, _whole(dense_shape, shape))

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return self.dense_shape


def _whole(dense_shape: Any, shape: Any) -> Any:
    """The shape of the whole, given under one of its two names."""
    found = renamed_argument("dense_shape", dense_shape, "shape", shape)
    if found is None:
        raise TypeError("missing a required argument: 'dense_shape'")
    return found


@export("SparseTensor", "sparse.SparseTensor")
class SparseTensor:
    """Values at some positions of a tensor whose other elements are zero.

    Args:
        indices: int64 tensor of shape [n, rank]: the position of each value.
        values: tensor of shape [n].
        dense_shape: int64 tensor of shape [rank]: the shape of the whole.
        shape: the older name of dense_shape.

    Raises:
        ValueError: if the shapes do not fit.
    """

    def __init__(
        self, indices: TensorLike, values: TensorLike, dense_shape: Any = None, shape: Any = None
    ) -> None:
        dense_shape = _whole(dense_shape, shape)
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = to_tensor(indices, dtypes.int64, "indices")
            self._values = to_tensor(values, None, "values")
            self._dense_shape = to_tensor(dense_shape, dtypes.int64, "dense_shape")
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        dense_shape_shape = self._dense_shape.shape.with_rank(1)
        indices_shape[0].merge_with(values_shape[0])
        indices_shape[1].merge_with(dense_shape_shape[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A SparseTensor of a SparseTensorValue (or of a SparseTensor's parts)."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                "Neither a SparseTensor nor SparseTensorValue: " + str(sparse_tensor_value)
            )
        return cls(*_parts(sparse_tensor_value))

    @property
    def indices(self) -> Tensor:
        """The positions, of shape [n, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values, of shape [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole as a tensor."""
        return self._dense_shape

    @property
    def op(self) -> Operation:
        """The op that makes the values."""
        return self._values.op

    @property
    def name(self) -> str:
        """The name of the values."""
        return self._values.name

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def graph(self) -> Any:
        """The Graph of the tensors."""
        return self._indices.graph

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return TensorShape(constant_value_as_shape(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self.shape

    def consumers(self) -> list[Operation]:
        """The ops that take one of the three tensors."""
        found = (op for part in _parts(self) for op in part.consumers())
        return list(dict.fromkeys(found))

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Computes the three tensors in a session; see `Tensor.eval`."""
        return SparseTensorValue(*(part.eval(feed_dict, session) for part in _parts(self)))

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )

    @staticmethod
    def _override_operator(operator: str, function: Any) -> None:
        """Makes `function` the meaning of a Python operator on sparse tensors."""
        setattr(SparseTensor, operator, function)


def _parts(value: Any) -> tuple[Any, Any, Any]:
    return value.indices, value.values, value.dense_shape


register_composite(SparseTensor, _parts, lambda old, parts: SparseTensor(*parts))


@export(
    "convert_to_tensor_or_sparse_tensor", "contrib.framework.convert_to_tensor_or_sparse_tensor"
)
def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor | SparseTensor:
    """`convert_to_tensor` that leaves a SparseTensor as it is.

    Args:
        value: a SparseTensor, a SparseTensorValue, or what converts to a tensor.
        dtype: the type that the result must have.
        name: the name of a node that has to be made.

    Returns:
        A SparseTensor or Tensor.

    Raises:
        RuntimeError: if the value is sparse and has another type.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if wanted is not None and not wanted.is_compatible_with(value.dtype):
            raise RuntimeError(
                f"Sparse dtype: requested = {wanted.name}, actual = {value.dtype.name}"
            )
        return value
    return to_tensor(value, wanted, name)


def is_sparse(value: Any) -> bool:
    """Whether `value` is a SparseTensor or its value."""
    return isinstance(value, (SparseTensor, SparseTensorValue))
