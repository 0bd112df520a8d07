"""Features in the rank that a layer needs."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.contrib.layers.reshaping import inner_flatten
from headwater.graph import SparseTensor, Tensor, convert_to_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims
from headwater.ops.sparse.reshape import sparse_reshape

_ADVICE = (
    "For example, sequence data should typically be 3 dimensional (rank 3) while non-sequence data "
    "is typically 2 dimensional (rank 2)."
)


def reshaped_real_values(
    input_tensor: Any, output_rank: int, column_name: str | None = None
) -> Tensor:
    """A dense feature in the rank of the output; an axis may be added.

    Args:
        input_tensor: the feature.
        output_rank: the rank.
        column_name: the name of the column, for errors.

    Returns:
        A tensor of that rank.

    Raises:
        ValueError: if the rank is another one.
    """
    tensor = convert_to_tensor(input_tensor)
    rank = tensor.get_shape().ndims
    if rank is None or rank > output_rank:
        return inner_flatten(tensor, output_rank)
    if rank == output_rank - 1:
        logging.warning(
            "Rank of input Tensor (%d) should be the same as output_rank (%d) for column. Will "
            "attempt to expand dims. It is highly recommended that you resize your input, as this "
            "behavior may change.",
            rank,
            output_rank,
        )
        return expand_dims(tensor, -1, name="expand_dims")
    if rank != output_rank:
        text = (
            f"Rank of input Tensor ({rank}) should be the same as output_rank ({output_rank}). "
            f"{_ADVICE}"
        )
        if column_name is not None:
            text = f"Error while processing column {column_name}. {text}"
        raise ValueError(text)
    return tensor


def sequence_tensor(tensor: Any, column_name: str, output_rank: int) -> Any:
    """A transformed feature of sequences in the rank of the output.

    Args:
        tensor: a tensor or SparseTensor.
        column_name: the name of the column, for errors.
        output_rank: the rank.

    Returns:
        A tensor or SparseTensor of that rank.

    Raises:
        ValueError: if the rank is unknown or too small.
    """
    rank = tensor.get_shape().ndims
    if rank is None and isinstance(tensor, SparseTensor):
        rank = tensor.dense_shape.get_shape().as_list()[0]
    if rank is None:
        raise ValueError(
            f"Error while processing column {column_name}. Rank of input Tensor can not be None."
        )
    if rank < output_rank - 1:
        raise ValueError(
            f"Error while processing column {column_name}. Rank of input Tensor ({rank}) should "
            f"be the same as output_rank ({output_rank}). {_ADVICE}"
        )
    if rank == output_rank - 1:
        if isinstance(tensor, SparseTensor):
            return sparse_reshape(tensor, concat([tensor.dense_shape, [1]], 0))
        return expand_dims(tensor, -1)
    if rank > output_rank:
        return inner_flatten(tensor, output_rank)
    return tensor
