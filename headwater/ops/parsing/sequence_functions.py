"""`tf.parse_single_sequence_example`, `tf.io.parse_sequence_example`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, Tensor, build, export, name_scope
from headwater.ops.parsing.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    Wanted,
)


def _wanted(
    context_features: dict[str, Any] | None, sequence_features: dict[str, Any] | None
) -> tuple[Wanted, Wanted]:
    if not (context_features or sequence_features):
        raise ValueError("Missing features.")
    context = Wanted(context_features, (VarLenFeature, FixedLenFeature))
    lists = Wanted(sequence_features, (VarLenFeature, FixedLenSequenceFeature))
    return context, lists


def _check(context: Wanted, lists: Wanted) -> None:
    context.check_keys()
    lists.check_keys()
    for key in lists.defaults:
        raise ValueError(f"Value feature_list_dense_defaults[{key}] must be None")


def _outputs(
    wanted: Wanted, sparse: Sequence[Sequence[Tensor]], dense: Sequence[Tensor]
) -> dict[Any, Any]:
    tensors = [SparseTensor(*parts) for parts in zip(*sparse)]
    return dict(zip([*wanted.sparse_keys, *wanted.dense_keys], [*tensors, *dense]))


@export("parse_single_sequence_example", "io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_name: str | None = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Reads the features of one SequenceExample proto.

    Args:
        serialized: a serialized SequenceExample proto.
        context_features: a dict of FixedLenFeature and VarLenFeature.
        sequence_features: a dict of FixedLenSequenceFeature and VarLenFeature: each entry of a
            feature list becomes a row.
        example_name: a name that texts of errors contain.
        name: the name scope.

    Returns:
        A tuple of two dicts of tensors and SparseTensors: context and sequences.

    Raises:
        ValueError: if a feature is described wrongly.
    """
    context, lists = _wanted(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized]):
        _check(context, lists)
        defaults = context.default_tensors()
        parts = build.ParseSingleSequenceExample(
            serialized,
            lists.missing_allowed,
            context.sparse_keys,
            context.dense_keys,
            lists.sparse_keys,
            lists.dense_keys,
            defaults,
            "" if example_name is None else example_name,
            context_sparse_types=context.sparse_types,
            context_dense_shapes=context.dense_shapes,
            feature_list_sparse_types=lists.sparse_types,
            feature_list_dense_types=lists.dense_types,
            feature_list_dense_shapes=lists.dense_shapes,
            name=name,
        )
    return _outputs(context, parts[:3], parts[3]), _outputs(lists, parts[4:7], parts[7])


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized: TensorLike,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_names: Sequence[str] | None = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
    """Reads the features of a batch of SequenceExample protos.

    Args:
        serialized: a vector of serialized SequenceExample protos.
        context_features: a dict of FixedLenFeature and VarLenFeature.
        sequence_features: a dict of FixedLenSequenceFeature and VarLenFeature.
        example_names: a vector of names that texts of errors contain.
        name: the name scope.

    Returns:
        A tuple of three dicts: context, sequences padded to the longest one, and the lengths of
        the padded sequences.

    Raises:
        ValueError: if a feature is described wrongly.
    """
    context, lists = _wanted(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized]):
        _check(context, lists)
        defaults = context.default_tensors(reshaped=False)
        parts = build.ParseSequenceExample(
            serialized,
            [] if example_names is None else example_names,
            defaults,
            feature_list_dense_missing_assumed_empty=lists.missing_allowed,
            context_sparse_keys=context.sparse_keys,
            context_dense_keys=context.dense_keys,
            feature_list_sparse_keys=lists.sparse_keys,
            feature_list_dense_keys=lists.dense_keys,
            Ncontext_sparse=len(context.sparse_keys),
            Ncontext_dense=len(context.dense_keys),
            Nfeature_list_sparse=len(lists.sparse_keys),
            Nfeature_list_dense=len(lists.dense_keys),
            context_sparse_types=context.sparse_types,
            context_dense_shapes=context.dense_shapes,
            feature_list_sparse_types=lists.sparse_types,
            feature_list_dense_types=lists.dense_types,
            feature_list_dense_shapes=lists.dense_shapes,
            name=name,
        )
    lengths = dict(zip(lists.dense_keys, parts[8]))
    return _outputs(context, parts[:3], parts[3]), _outputs(lists, parts[4:7], parts[7]), lengths
