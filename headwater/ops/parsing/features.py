"""What is read from Example protos: FixedLenFeature, VarLenFeature and their kin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.base.dtypes import as_dtype, string
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, constant_node, convert_to_tensor, export


@export("VarLenFeature", "io.VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature with any number of values, which is read as a SparseTensor.

    Args:
        dtype: float32, int64 or string.
    """

    dtype: DTypeLike


@export("FixedLenFeature", "io.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature with a fixed number of values, which is read as a tensor.

    Args:
        shape: the shape of one example's values.
        dtype: float32, int64 or string.
        default_value: the values of examples that do not have the feature; None means that
            all must have it.
    """

    shape: ShapeLike
    dtype: DTypeLike
    default_value: TensorLike | None = None


@export("FixedLenSequenceFeature", "io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of entries of a fixed shape, which is read as a padded tensor.

    Args:
        shape: the shape of one entry.
        dtype: float32, int64 or string.
        allow_missing: whether an example may be without the feature.
        default_value: what fills up shorter sequences; None means zeros or empty strings.
    """

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: TensorLike | None = None


@export("SparseFeature", "io.SparseFeature")
class SparseFeature(NamedTuple):
    """Two or more features that hold the positions and the values of a SparseTensor.

    Args:
        index_key: the name of the feature with the positions, or a list, one per dimension.
        value_key: the name of the feature with the values.
        dtype: float32, int64 or string.
        size: the length of the dimension, or a list of lengths.
        already_sorted: whether the positions are in order in each example.
    """

    index_key: str | Sequence[str]
    value_key: str
    dtype: DTypeLike
    size: int | Sequence[int]
    already_sorted: bool = False


class Wanted:
    """The keys, types and shapes of features, as the ops take them.

    Args:
        features: a dict of feature configurations.
        kinds: the classes that may be among them.
    """

    def __init__(self, features: Any, kinds: tuple[type, ...]) -> None:
        self.sparse_keys: list[Any] = []
        self.sparse_types: list[Any] = []
        self.dense_keys: list[Any] = []
        self.dense_types: list[Any] = []
        self.dense_shapes: list[Any] = []
        self.defaults: dict[Any, Any] = {}
        self.missing_allowed: list[Any] = []
        for key in sorted((features or {}).keys()):
            feature = features[key]
            if isinstance(feature, VarLenFeature):
                self._supported(feature, kinds)
                self._typed(key, feature)
                self.sparse_keys.append(key)
                self.sparse_types.append(feature.dtype)
            elif isinstance(feature, SparseFeature):
                self._supported(feature, kinds)
                self._add_sparse(key, feature)
            elif isinstance(feature, FixedLenFeature):
                self._supported(feature, kinds)
                self._add_fixed(key, feature)
            elif isinstance(feature, FixedLenSequenceFeature):
                self._supported(feature, kinds)
                self._add_sequence(key, feature)
            else:
                raise ValueError(f"Invalid feature {key}:{feature}.")

    @staticmethod
    def _supported(feature: NestedTensors, kinds: tuple[type, ...]) -> None:
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature}.")

    @staticmethod
    def _typed(key: str, feature: NestedTensors) -> None:
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")

    def _add_sparse(self, key: str, feature: SparseFeature) -> None:
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {feature}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {feature}.")
        self._typed(key, feature)
        keys = feature.index_key
        for index_key in [keys] if isinstance(keys, str) else sorted(keys):
            self._add_part(index_key, as_dtype("int64"))
        self._add_part(feature.value_key, feature.dtype)

    def _add_part(self, key: str, dtype: DTypeLike) -> None:
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
            return
        known = as_dtype(self.sparse_types[self.sparse_keys.index(key)])
        if known != as_dtype(dtype):
            raise ValueError(f"Conflicting type {known!r} vs {dtype!r} for feature {key}.")

    def _add_fixed(self, key: str, feature: FixedLenFeature) -> None:
        self._typed(key, feature)
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        shape = TensorShape(feature.shape)
        if feature.shape and shape.ndims and shape.as_list()[0] is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using "
                "FixedLenSequenceFeature."
            )
        if not shape.is_fully_defined():
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but received "
                f"{feature.shape}."
            )
        self._add_dense(key, feature.dtype, tuple(shape.as_list()), feature.default_value)

    def _add_sequence(self, key: str, feature: FixedLenSequenceFeature) -> None:
        self._typed(key, feature)
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        shape = tuple(TensorShape(feature.shape).as_list())
        self._add_dense(key, feature.dtype, shape, feature.default_value)
        if feature.allow_missing:
            self.missing_allowed.append(key)

    def _add_dense(
        self, key: str, dtype: DTypeLike, shape: ShapeLike, default: TensorLike | None
    ) -> None:
        self.dense_keys.append(key)
        self.dense_types.append(dtype)
        self.dense_shapes.append(shape)
        if default is not None:
            self.defaults[key] = default

    def check_keys(self) -> None:
        """Refuses keys that are wanted in two forms."""
        common = set(self.dense_keys) & set(self.sparse_keys)
        if common:
            raise ValueError(f"Dense and sparse keys must not intersect; intersection: {common}")

    def require_missing_allowed(self, features: dict[str, Any]) -> None:
        """Sequences become rows of a padded tensor: an example without one has an empty row."""
        for key, shape in zip(self.dense_keys, self.dense_shapes):
            if isinstance(features[key], FixedLenSequenceFeature):
                if key not in self.missing_allowed:
                    raise ValueError(
                        "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                    )
                self.dense_shapes[self.dense_keys.index(key)] = (None, *shape)

    def default_tensors(self, reshaped: bool = True) -> list[Tensor]:
        """The defaults as tensors: an empty vector for features that must be there."""
        tensors = []
        for key, dtype, shape in zip(self.dense_keys, self.dense_types, self.dense_shapes):
            ragged = bool(shape) and shape[0] is None
            default = self.defaults.get(key)
            dtype = as_dtype(dtype)
            if default is None:
                empty = "" if dtype == string else 0
                tensors.append(constant_node(empty if ragged else [], dtype))
                continue
            if isinstance(default, Tensor):
                tensors.append(default)
                continue
            kind = "padding" if ragged else "key"
            name = f"{kind}_" + re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
            tensor = convert_to_tensor(default, dtype=dtype, name=name)
            if reshaped:
                tensor = build.Reshape(tensor, [] if ragged else list(shape))
            tensors.append(tensor)
        return tensors
