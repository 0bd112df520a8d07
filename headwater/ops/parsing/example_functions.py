"""`tf.parse_example`, `tf.parse_single_example`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    with_dependencies,
)
from headwater.ops.control.assertion import assert_
from headwater.ops.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from headwater.ops.sparse.merge import sparse_merge

_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def wanted_features(features: dict[str, Any]) -> Wanted:
    """What is wanted of each example of a batch.

    Raises:
        ValueError: if a feature is described wrongly.
    """
    wanted = Wanted(features, _KINDS)
    wanted.require_missing_allowed(features)
    return wanted


def assembled(features: dict[str, Any], outputs: dict[Any, Any]) -> dict[Any, Any]:
    """Puts the parts of sparse features together."""
    parts = dict(outputs)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            keys = feature.index_key
            ids = parts[keys] if isinstance(keys, str) else [parts[k] for k in keys]
            outputs[key] = sparse_merge(
                ids,
                parts[feature.value_key],
                vocab_size=feature.size,
                already_sorted=feature.already_sorted,
            )
    for key in set(outputs) - set(features):
        del outputs[key]
    return outputs


def _outputs(
    wanted: Wanted, sparse: tuple[Any, Any, Any], dense: Sequence[Tensor]
) -> dict[Any, Any]:
    values = [SparseTensor(*parts) for parts in zip(*sparse)]
    return dict(zip([*wanted.sparse_keys, *wanted.dense_keys], [*values, *dense]))


def _parse(
    serialized: TensorLike, names: TensorLike | None, wanted: Wanted, name: str | None
) -> dict[Any, Any]:
    with name_scope(name, "ParseExample", [serialized, names]):
        wanted.check_keys()
        defaults = wanted.default_tensors()
        indices, values, whole, dense = build.ParseExample(
            serialized,
            [] if names is None else names,
            wanted.sparse_keys,
            wanted.dense_keys,
            defaults,
            sparse_types=wanted.sparse_types,
            dense_shapes=wanted.dense_shapes,
            name=name,
        )
    return _outputs(wanted, (indices, values, whole), dense)


@export("parse_example", "io.parse_example")
def parse_example(
    serialized: TensorLike,
    features: dict[str, Any] | None,
    name: str | None = None,
    example_names: Sequence[str] | None = None,
) -> dict[Any, Any]:
    """Reads the features of a batch of Example protos.

    Args:
        serialized: a vector of serialized Example protos.
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature.
        name: the name scope.
        example_names: a vector of names that texts of errors contain.

    Returns:
        A dict of tensors and SparseTensors whose first dimension is that of `serialized`.

    Raises:
        ValueError: if a feature is described wrongly.
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    wanted = wanted_features(features)
    return assembled(features, _parse(serialized, example_names, wanted, name))


@export("parse_single_example", "io.parse_single_example")
def parse_single_example(
    serialized: TensorLike,
    features: dict[str, Any] | None,
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[Any, Any]:
    """Reads the features of one Example proto.

    Args:
        serialized: a serialized Example proto.
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature.
        name: the name scope.
        example_names: a name that texts of errors contain.

    Returns:
        A dict of tensors and SparseTensors.

    Raises:
        ValueError: if a feature is described wrongly.
    """
    if not features:
        raise ValueError("Missing features.")
    wanted = wanted_features(features)
    if example_names is None:
        return assembled(features, _parse_single(serialized, wanted, name))
    return assembled(features, _parse_named(serialized, wanted, name, example_names))


def _parse_single(serialized: TensorLike, wanted: Wanted, name: str | None) -> dict[Any, Any]:
    with name_scope(name, "ParseSingleExample", [serialized]):
        serialized = convert_to_tensor(serialized, name="serialized")
        wanted.check_keys()
        defaults = wanted.default_tensors()
        indices, values, whole, dense = build.ParseSingleExample(
            serialized,
            defaults,
            num_sparse=len(wanted.sparse_keys),
            sparse_keys=wanted.sparse_keys,
            dense_keys=wanted.dense_keys,
            sparse_types=wanted.sparse_types,
            dense_shapes=wanted.dense_shapes,
            name=name,
        )
    return _outputs(wanted, (indices, values, whole), dense)


def _as_vector(value: Tensor, what: str, title: str) -> Tensor:
    ndims = value.shape.ndims
    if ndims is None:
        is_scalar = build.Equal(rank_tensor(value), 0)
        check = assert_(is_scalar, [f"Input {what} must be a scalar"], name=f"{title}IsScalar")
        value = with_dependencies([check], value, name=f"{title}Dependencies")
    elif ndims:
        raise ValueError(f"Input {what} must be a scalar")
    return build.ExpandDims(value, 0)


def _parse_named(
    serialized: TensorLike, wanted: Wanted, name: str | None, names: TensorLike
) -> dict[Any, Any]:
    with name_scope(name, "ParseSingleExample", [serialized, names]):
        serialized = _as_vector(convert_to_tensor(serialized), "serialized", "Serialized")
        names = _as_vector(convert_to_tensor(names), "names", "Names")
        outputs = _parse(serialized, names, wanted, None)
        for key in wanted.dense_keys:
            outputs[key] = build.Squeeze(outputs[key], [0], name=f"Squeeze_{_named(key)}")
        for key in wanted.sparse_keys:
            sparse = outputs[key]
            outputs[key] = SparseTensor(
                build.Slice(sparse.indices, [0, 1], [-1, -1], name=f"Slice_Indices_{_named(key)}"),
                sparse.values,
                build.Slice(sparse.dense_shape, [1], [-1], name=f"Squeeze_Shape_{_named(key)}"),
            )
    return outputs


def _named(key: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.-/") else "_" for c in key)
