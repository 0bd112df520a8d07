"""LSTMs over the rows and columns of images of shape [batch, height, width, depth]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.base.typing import TensorLike
from headwater.contrib.ndlstm import sequences
from headwater.graph import Tensor, export
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike

_LSTM2D = "contrib.ndlstm.lstm2d"


@export("contrib.ndlstm.images_to_sequence", f"{_LSTM2D}.images_to_sequence")
def images_to_sequence(tensor: TensorLike) -> Tensor:
    """The columns of images as the steps of sequences, one sequence for each row.

    Args:
        tensor: images of shape [batch, height, width, depth], all known.

    Returns:
        A tensor of shape [width, batch * height, depth].
    """
    batch, height, width, depth = tensor.get_shape().as_list()
    return reshape(transpose(tensor, [2, 0, 1, 3]), [width, batch * height, depth])


@export("contrib.ndlstm.sequence_to_images", f"{_LSTM2D}.sequence_to_images")
def sequence_to_images(tensor: TensorLike, num_image_batches: int) -> Tensor:
    """The inverse of `images_to_sequence`.

    Args:
        tensor: a tensor of shape [width, batch * height, depth].
        num_image_batches: the number of images.

    Returns:
        A tensor of shape [batch, height, width, depth].
    """
    width, rows, depth = tensor.get_shape().as_list()
    height = rows // num_image_batches
    columns = reshape(tensor, [width, num_image_batches, height, depth])
    return transpose(columns, [1, 2, 0, 3])


@export("contrib.ndlstm.horizontal_lstm", f"{_LSTM2D}.horizontal_lstm")
def horizontal_lstm(
    images: TensorLike, num_filters_out: int, scope: ScopeLike | None = None
) -> Tensor:
    """Applies an LSTM to each row from left to right, and another from right to left.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        num_filters_out: the depth of the result, half of it from either direction.
        scope: the variable scope; "HorizontalLstm" by default.

    Returns:
        A tensor of shape [batch, height, width, num_filters_out].
    """
    with variable_scope(scope, "HorizontalLstm", [images]):
        sequence = images_to_sequence(images)
        with variable_scope("lr"):
            to_right = sequences.ndlstm_base(sequence, num_filters_out // 2)
        with variable_scope("rl"):
            to_left = sequences.ndlstm_base(
                sequence, num_filters_out - num_filters_out // 2, reverse=True
            )
        joined = concat([to_right, to_left], 2)
        return sequence_to_images(joined, images.get_shape()[0].value)


@export("contrib.ndlstm.get_blocks", f"{_LSTM2D}.get_blocks")
def get_blocks(images: TensorLike, kernel_size: Sequence[int]) -> Tensor:
    """The pixels of each block of images as one pixel.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        kernel_size: height and width of a block; images are padded with zeros at the end.

    Returns:
        A tensor of shape [batch, rows of blocks, columns of blocks, pixels of a block * depth].
    """
    batch, height, width, depth = images.get_shape().as_list()
    block_height, block_width = kernel_size
    rows, columns = -(-height // block_height), -(-width // block_width)
    below, right = rows * block_height - height, columns * block_width - width
    if below or right:
        images = pad(images, [[0, 0], [0, below], [0, right], [0, 0]])
    blocks = reshape(images, [batch, rows, block_height, columns, block_width, depth])
    blocks = transpose(blocks, [0, 1, 3, 2, 4, 5])
    return reshape(blocks, [batch, rows, columns, block_height * block_width * depth])


@export("contrib.ndlstm.separable_lstm", f"{_LSTM2D}.separable_lstm")
def separable_lstm(
    images: TensorLike,
    num_filters_out: int,
    kernel_size: Sequence[int] | None = None,
    nhidden: int | None = None,
    scope: ScopeLike | None = None,
) -> Tensor:
    """Applies LSTMs in both directions to the rows of images, then to the columns.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        num_filters_out: the depth of the result.
        kernel_size: height and width of the blocks that become one pixel each; None for pixels.
            An int is `nhidden`, which stood in this place in releases before 1.2.
        nhidden: the depth between rows and columns; `num_filters_out` by default.
        scope: the variable scope; "SeparableLstm" by default.

    Returns:
        A tensor of shape [batch, height, width, num_filters_out]; height and width count blocks.
    """
    if isinstance(kernel_size, int):
        kernel_size, nhidden = None, kernel_size
    with variable_scope(scope, "SeparableLstm", [images]):
        if kernel_size is not None:
            images = get_blocks(images, kernel_size)
        hidden = horizontal_lstm(images, num_filters_out if nhidden is None else nhidden)
        with variable_scope("vertical"):
            columns = horizontal_lstm(transpose(hidden, [0, 2, 1, 3]), num_filters_out)
        return transpose(columns, [0, 2, 1, 3])


@export("contrib.ndlstm.reduce_to_sequence", f"{_LSTM2D}.reduce_to_sequence")
def reduce_to_sequence(
    images: TensorLike, num_filters_out: int, scope: ScopeLike | None = None
) -> Tensor:
    """Reduces each column of images to the last output of an LSTM over it.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        num_filters_out: the depth of the result.
        scope: the variable scope; "ReduceToSequence" by default.

    Returns:
        A tensor of shape [batch, width, num_filters_out].
    """
    with variable_scope(scope, "ReduceToSequence", [images]):
        return _reduced_columns(images, num_filters_out)


def _reduced_columns(images: TensorLike, num_units: int) -> Tensor:
    batch, height, width, depth = images.get_shape().as_list()
    columns = reshape(transpose(images, [1, 0, 2, 3]), [height, batch * width, depth])
    return reshape(sequences.sequence_to_final(columns, num_units), [batch, width, num_units])


@export("contrib.ndlstm.reduce_to_final", f"{_LSTM2D}.reduce_to_final")
def reduce_to_final(
    images: TensorLike,
    num_filters_out: int,
    nhidden: int | None = None,
    scope: ScopeLike | None = None,
) -> Tensor:
    """Reduces images to vectors by one LSTM over columns and one over the results.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        num_filters_out: the depth of the result.
        nhidden: the depth between; `num_filters_out` by default.
        scope: the variable scope; "ReduceToFinal" by default.

    Returns:
        A matrix of shape [batch, num_filters_out].
    """
    with variable_scope(scope, "ReduceToFinal", [images]):
        batch, height, width, depth = images.get_shape().as_list()
        columns = reshape(transpose(images, [1, 0, 2, 3]), [height, batch * width, depth])
        hidden = num_filters_out if nhidden is None else nhidden
        with variable_scope("reduce1"):
            reduced = sequences.sequence_to_final(columns, hidden)
            reduced = transpose(reshape(reduced, [batch, width, hidden]), [1, 0, 2])
        with variable_scope("reduce2"):
            return sequences.sequence_to_final(reduced, num_filters_out)
