"""What is known about values before they are computed: TypeSpec, TensorSpec, BoundedTensorSpec."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.dtypes import DType, as_dtype, float32
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.convert import to_tensor
from headwater.graph.graph import Graph
from headwater.graph.operation import Tensor


class _Incompatible(Exception):
    """Two parts of specifications have nothing in common."""


@export("TypeSpec", "data.experimental.Structure")
class TypeSpec(abc.ABC):
    """What is known about a value of a class: a shape, a type, the tensors that it is made of."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def value_type(self) -> Any:
        """The class of the values."""

    @abc.abstractmethod
    def _serialize(self) -> tuple[Any, ...]:
        """The arguments of the constructor for an equal specification."""

    @property
    @abc.abstractmethod
    def _component_specs(self) -> Any:
        """The specifications of the tensors of a value."""

    @abc.abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The tensors of a value."""

    @abc.abstractmethod
    def _from_components(self, components: Any) -> Any:
        """A value made of tensors."""

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Any:
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value: TensorLike) -> bool:
        """Tells whether a value, or a value of another specification, may be one of this.

        Args:
            spec_or_value: a value, or a TypeSpec.
        """
        is_spec = isinstance(spec_or_value, TypeSpec)
        other = spec_or_value if is_spec else type_spec_from_value(spec_or_value)
        if type(self) is not type(other):
            return False
        return _compatible(self._serialize(), other._serialize())

    def most_specific_compatible_type(self, other: TypeSpec) -> Any:
        """The specification of values of either of two, with all that both know.

        Args:
            other: a TypeSpec.

        Raises:
            ValueError: if there is none.
        """
        if type(self) is type(other):
            try:
                return self._deserialize(_common(self._serialize(), other._serialize()))
            except _Incompatible:
                pass
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return nest.flatten(self._to_components(value), expand_composites=True)

    def _from_tensor_list(self, tensor_list: list[Any]) -> Any:
        specs = self._flat_tensor_specs
        if len(specs) != len(tensor_list) or not all(map(_fits, specs, tensor_list)):
            raise ValueError(
                f"Incompatible input: wrong shape, type or number of tensors for {self}: "
                f"{tensor_list}"
            )
        return self._from_compatible_tensor_list(tensor_list)

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        packed = nest.pack_sequence_as(self._component_specs, tensor_list, expand_composites=True)
        return self._from_components(packed)

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return nest.flatten(self._component_specs, expand_composites=True)

    def _to_legacy_output_types(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_legacy_output_types not implemented")

    def _to_legacy_output_shapes(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_legacy_output_shapes not implemented")

    def _to_legacy_output_classes(self) -> Any:
        return self.value_type

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _key(self) == _key(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_key(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def _fits(spec: Any, tensor: Any) -> bool:
    return bool(spec.is_compatible_with(tensor))


def _key(part: Any) -> Any:
    """A part of a specification as something that can be hashed."""
    if isinstance(part, TypeSpec):
        return type(part), _key(part._serialize())
    if isinstance(part, TensorShape):
        return "TensorShape", part.to_tuple()
    if isinstance(part, Mapping):
        return "dict", tuple((key, _key(part[key])) for key in sorted(part))
    if isinstance(part, list | tuple):
        return type(part).__name__, tuple(map(_key, part))
    if isinstance(part, np.ndarray):
        return "array", part.dtype.str, part.shape, part.tobytes()
    return part


def _compatible(a: Any, b: Any) -> bool:
    """Tells whether two parts of specifications may be those of one value."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_compatible, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(_compatible(a[key], b[key]) for key in a)
    if isinstance(a, TypeSpec | TensorShape | DType):
        return type(a) is type(b) and bool(a.is_compatible_with(b))
    return bool(_key(a) == _key(b))


def _common(a: Any, b: Any) -> Any:
    """What two parts of specifications have in common."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        return tuple(map(_common, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) == set(b):
        return {key: _common(a[key], b[key]) for key in a}
    if isinstance(a, TensorShape) and isinstance(b, TensorShape):
        return a.most_specific_compatible_shape(b)
    if isinstance(a, TypeSpec) and isinstance(b, TypeSpec):
        return a.most_specific_compatible_type(b)
    if type(a) is type(b) and _key(a) == _key(b):
        return a
    raise _Incompatible


class BatchableTypeSpec(TypeSpec):
    """A specification of values that can be batched and unbatched."""

    __slots__ = ()

    @abc.abstractmethod
    def _batch(self, batch_size: int | None) -> Any:
        """The specification of a batch of values."""

    @abc.abstractmethod
    def _unbatch(self) -> Any:
        """The specification of one value of a batch."""

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        return self._to_tensor_list(value)


@export("TensorSpec", "contrib.framework.TensorSpec", "contrib.eager.TensorSpec")
class TensorSpec(BatchableTypeSpec):
    """The shape, type and name of a tensor.

    Args:
        shape: the static shape.
        dtype: the type.
        name: a name, or None.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: DTypeLike = float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A copy of a specification; `name` takes the place of its name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> TensorSpec:
        """The specification of a tensor; the name is that of its op by default.

        Raises:
            ValueError: if it is not a tensor.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError("`tensor` should be a tf.Tensor")
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    @property
    def value_type(self) -> Any:
        """The class of the values: Tensor."""
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Tells whether a tensor fits; names do not count.

        Args:
            spec_or_tensor: a tensor or a TensorSpec.
        """
        if not isinstance(spec_or_tensor, Tensor | TensorSpec):
            return False
        return self._dtype.is_compatible_with(
            spec_or_tensor.dtype
        ) and self._shape.is_compatible_with(spec_or_tensor.shape)

    def most_specific_compatible_type(self, other: TypeSpec) -> TensorSpec:
        """The specification of tensors that fit either of two, without a name.

        Raises:
            ValueError: if their types differ.
        """
        if type(self) is not type(other) or self._dtype != other.dtype:
            raise ValueError(f"Types are not compatible: {self!r} vs {other!r}")
        shape = self._shape.most_specific_compatible_shape(other.shape)
        return TensorSpec(shape, self._dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self) -> Any:
        return self

    def _to_components(self, value: TensorLike) -> Any:
        try:
            tensor = to_tensor(value, self._dtype)
        except (TypeError, ValueError):
            tensor = None
        if tensor is None or not tensor.shape.is_compatible_with(self._shape):
            shown = repr(value) if isinstance(value, Tensor) else value
            raise ValueError(
                f"Value {shown} is not convertible to a tensor with dtype {self._dtype} "
                f"and shape {self._shape}."
            )
        return tensor

    def _from_components(self, components: Any) -> Any:
        return components

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        tensor_list[0].set_shape(self._shape)
        return tensor_list[0]

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.ndims == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(None if self._shape.ndims is None else self._shape[1:], self._dtype)

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether bounds are the same but for rounding; those of other shapes are not."""
    try:
        return bool(np.allclose(a, b))
    except ValueError:
        return False


@export("contrib.framework.BoundedTensorSpec")
class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with bounds of the elements.

    Args:
        shape: the static shape.
        dtype: the type.
        minimum: the lower bound, a number or an array of a shape that can be broadcast.
        maximum: the upper bound.
        name: a name, or None.

    Raises:
        ValueError: if a bound is None or cannot be broadcast.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(
                f"minimum and maximum must be provided; but saw '{minimum}' and '{maximum}'"
            )
        bounds = []
        for what, bound in (("minimum", minimum), ("maximum", maximum)):
            found = np.array(bound, self._dtype.as_numpy_dtype)
            known = self._shape.to_tuple()
            if known is not None and None not in known:
                try:
                    np.broadcast_shapes(found.shape, known)  # type: ignore[arg-type]
                except ValueError:
                    raise ValueError(
                        f"{what} is not compatible with shape. Message: ValueError('Incompatible "
                        f"shapes for broadcasting: {found.shape} and {known}')."
                    ) from None
            found.setflags(write=False)
            bounds.append(found)
        self._minimum, self._maximum = bounds

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """A copy; without bounds in `spec`, those of the type."""
        dtype = as_dtype(spec.dtype)
        minimum = getattr(spec, "minimum", dtype.min)
        maximum = getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    def __eq__(self, other: object) -> bool:
        # Bounds may differ by rounding, and by how much of them is broadcast.
        return (
            isinstance(other, BoundedTensorSpec)
            and type(self) is type(other)
            and _key((self._shape, self._dtype, self._name))
            == _key((other._shape, other._dtype, other._name))
            and _close(self._minimum, other._minimum)
            and _close(self._maximum, other._maximum)
        )

    def __hash__(self) -> int:
        return hash(_key((self._shape, self._dtype, self._name)))

    @property
    def minimum(self) -> np.ndarray:
        """The lower bound."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The upper bound."""
        return self._maximum

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


# (class, function from a value to its specification, whether subclasses count), newest first.
_makers: list[tuple[type, Callable[[Any], TypeSpec], bool]] = []


def register_type_spec_from_value_converter(
    type_object: type, converter_fn: Callable[[Any], TypeSpec], allow_subclass: bool = False
) -> None:
    """Registers how to make the TypeSpec of a value of a class.

    Args:
        type_object: the class.
        converter_fn: function from a value to a TypeSpec.
        allow_subclass: whether it is also for values of subclasses.
    """
    _makers.insert(0, (type_object, converter_fn, allow_subclass))


def type_spec_from_value(value: TensorLike) -> Any:
    """The specification of a value.

    Args:
        value: a tensor, something made of tensors, or what converts to a tensor.

    Returns:
        A TypeSpec.

    Raises:
        TypeError: if there is none.
    """
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    for kind, make, with_subclasses in _makers:
        if type(value) is kind or (with_subclasses and isinstance(value, kind)):
            return make(value)
    try:
        with Graph().as_default() if not hasattr(value, "graph") else value.graph.as_default():
            tensor = to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}"
        ) from None
    return TensorSpec(tensor.shape, tensor.dtype.base_dtype)
