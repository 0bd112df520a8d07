"""Vectors and weights of ids: variables of columns, and their lookup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.embedding_ops import (
    safe_embedding_lookup_sparse,
    scattered_embedding_lookup_sparse,
)
from headwater.contrib.layers.feature_columns.base import _DeepEmbeddingLookupArguments
from headwater.contrib.layers.reshaping import inner_flatten
from headwater.graph import Tensor, get_default_graph
from headwater.model.variables.checkpoint_source import restore_initially
from headwater.model.variables.partitioned_variable import PartitionedVariable


def parts_of_variable(variable: Any) -> list[Any]:
    """The parts of a variable, or the variable, as a list.

    Args:
        variable: a variable, which may have parts.

    Returns:
        A list of variables.
    """
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def restore_from_checkpoint(path: tuple[str, str] | None, variables: list[Any]) -> None:
    """Makes the initializers of variables read a checkpoint, if a column has one.

    Args:
        path: the checkpoint and the name in it, or None.
        variables: a variable or its parts.
    """
    if path is not None:
        restore_initially(variables if len(variables) > 1 else variables[0], *path)


def embedded(
    column: Any,
    args: _DeepEmbeddingLookupArguments,
    weight_collections: Sequence[str] | None,
    trainable: bool | None,
    output_rank: int = 2,
) -> Tensor:
    """The vectors of the ids of a column, combined.

    Args:
        column: the column.
        args: what they are looked up with.
        weight_collections: further collections of the variable.
        trainable: whether optimizers change it by default.
        output_rank: the rank of the result.

    Returns:
        A tensor of that rank.

    Raises:
        ValueError: if a shared variable has another shape.
    """
    ids = inner_flatten(args.input_tensor, output_rank)
    weights = args.weight_tensor
    if weights is not None:
        weights = inner_flatten(weights, output_rank)
    options = {
        "dtype": dtypes.float32,
        "initializer": args.initializer,
        "trainable": trainable is not False and args.trainable,
        "collections": weight_collections,
    }
    if args.hash_key is not None:
        variable = model_variable(name="weights", shape=[args.vocab_size], **options)
        return scattered_embedding_lookup_sparse(
            variable,
            ids,
            args.dimension,
            hash_key=args.hash_key,
            combiner=args.combiner,
            name="lookup",
        )
    if args.shared_embedding_name is not None:
        variable = _shared_variable(args, options)
    else:
        variable = model_variable(
            name="weights", shape=[args.vocab_size, args.dimension], **options
        )
    parts = parts_of_variable(variable)
    restore_from_checkpoint(column._checkpoint_path(), parts)
    return safe_embedding_lookup_sparse(
        parts,
        ids,
        sparse_weights=weights,
        combiner=args.combiner,
        name=f"{column.name}weights",
        max_norm=args.max_norm,
    )


def _shared_variable(args: _DeepEmbeddingLookupArguments, options: dict[str, Any]) -> Any:
    key = f"SHARED_EMBEDDING_COLLECTION_{str(args.shared_embedding_name).upper()}"
    collection = get_default_graph().get_collection_ref(key)
    shape = [args.vocab_size, args.dimension]
    if not collection:
        variable = model_variable(name=args.shared_embedding_name, shape=shape, **options)
        get_default_graph().add_to_collection(key, variable)
        return variable
    if len(collection) > 1:
        raise ValueError(f"Collection {key} can only contain one (partitioned) variable.")
    (variable,) = collection
    if variable.get_shape() != shape:
        raise ValueError(
            f"The embedding variable with name {args.shared_embedding_name} already exists, but "
            "its shape does not match required embedding shape here. Please make sure to use "
            "different shared_embedding_name for different shared embeddings."
        )
    return variable
