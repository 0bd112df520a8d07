"""Initializers that take rows and columns of a matrix in a checkpoint over to new vocabularies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import Array, DTypeLike, TensorLike
from headwater.graph import Tensor, build
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.ops.array.concat import concat
from headwater.ops.math.ranges import range_ as range_tensor

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo

Initializer = Callable[..., Tensor]


def load_and_remap_matrix(
    ckpt_path: TensorLike,
    old_tensor_name: TensorLike,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Initializer,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: TensorLike | None = None,
    new_row_vocab_file: TensorLike | None = None,
    old_col_vocab_file: TensorLike | None = None,
    new_col_vocab_file: TensorLike | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Tensor:
    """A matrix of a checkpoint in the order of other vocabularies.

    Args:
        ckpt_path: the path of the checkpoint.
        old_tensor_name: the name of the matrix in it.
        new_row_vocab_offset: the first row of the new vocabulary that is made.
        num_rows_to_load: how many rows of the new vocabulary are made.
        new_col_vocab_size: how many columns the new vocabulary has.
        initializer: makes [n, 1] values for words that the old vocabulary does not have, and the
            values of the buckets.
        old_row_vocab_size: how many lines of the old file count; -1 for all.
        old_row_vocab_file: a file with the word of each old row.
        new_row_vocab_file: a file with the word of each new row.
        old_col_vocab_file: a file with the word of each old column.
        new_col_vocab_file: a file with the word of each new column.
        num_row_oov_buckets: rows that are added for other words.
        num_col_oov_buckets: columns that are added for other words.
        max_rows_in_memory: how many rows are held at once; -1 for all.

    Returns:
        A float32 matrix.

    Raises:
        ValueError: if a number of buckets is negative, only one file of a pair is given, or none.
    """
    if num_row_oov_buckets < 0:
        raise ValueError(f"num_row_oov_buckets must be >= 0, but received {num_row_oov_buckets}")
    if num_col_oov_buckets < 0:
        raise ValueError(f"num_col_oov_buckets must be >= 0, but received {num_col_oov_buckets}")
    _check_pair("row", old_row_vocab_file, new_row_vocab_file)
    _check_pair("col", old_col_vocab_file, new_col_vocab_file)
    if new_row_vocab_file is None and new_col_vocab_file is None:
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, "
            "consider using `tf.contrib.framework.init_from_checkpoint` instead."
        )
    rows: Array
    present_rows: int = num_rows_to_load
    if new_row_vocab_file is not None:
        rows, present_rows = build.GenerateVocabRemapping(
            new_row_vocab_file,
            old_row_vocab_file,
            new_vocab_offset=new_row_vocab_offset,
            num_new_vocab=num_rows_to_load,
            old_vocab_size=old_row_vocab_size,
        )
    else:
        rows = range_tensor(
            new_row_vocab_offset, new_row_vocab_offset + num_rows_to_load, dtype=dtypes.int64
        )
    columns: Array = []
    present_columns: int = new_col_vocab_size
    if new_col_vocab_file is not None:
        columns, present_columns = build.GenerateVocabRemapping(
            new_col_vocab_file,
            old_col_vocab_file,
            new_vocab_offset=0,
            num_new_vocab=new_col_vocab_size,
        )
    missing = num_rows_to_load * new_col_vocab_size - present_rows * present_columns
    values = initializer([missing, 1])
    matrix = build.LoadAndRemapMatrix(
        ckpt_path,
        old_tensor_name,
        rows,
        columns,
        values,
        num_rows=num_rows_to_load,
        num_cols=new_col_vocab_size,
        max_rows_in_memory=max_rows_in_memory,
    )
    if num_row_oov_buckets > 0:
        matrix = concat([matrix, initializer([num_row_oov_buckets, new_col_vocab_size])], 0)
    if num_col_oov_buckets > 0:
        count = num_rows_to_load + num_row_oov_buckets
        matrix = concat([matrix, initializer([count, num_col_oov_buckets])], 1)
    return matrix


def _check_pair(kind: str, old: str | None, new: str | None) -> None:
    if (old is None) != (new is None):
        raise ValueError(
            f"old_{kind}_vocab_file and new_{kind}_vocab_file must both be specified or left "
            f"unspecified. old_{kind}_vocab_file='{old}', new_{kind}_vocab_file='{new}'"
        )


@export("contrib.framework.load_and_remap_matrix_initializer")
def load_and_remap_matrix_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer that loads a matrix and moves its rows and columns to new vocabularies.

    Args:
        ckpt_path: the path of the checkpoint.
        old_tensor_name: the name of the matrix in it.
        new_row_vocab_size: how many rows the new vocabulary has.
        new_col_vocab_size: how many columns the new vocabulary has.
        old_row_vocab_size: how many lines of the old file count; -1 for all.
        old_row_vocab_file: a file with the word of each old row; None if rows stay as they are.
        new_row_vocab_file: a file with the word of each new row.
        old_col_vocab_file: a file with the word of each old column; None if columns stay.
        new_col_vocab_file: a file with the word of each new column.
        num_row_oov_buckets: rows that are added for other words.
        num_col_oov_buckets: columns that are added for other words.
        initializer: the values of new words and of the buckets; zeros by default.
        max_rows_in_memory: how many rows are held at once; -1 for all.

    Returns:
        A function of shape, dtype and partition_info that returns a tensor.

    Raises:
        TypeError: if the initializer is not callable.
    """
    make = Zeros() if initializer is None else initializer
    if not callable(make):
        raise TypeError(
            f"initializer must be callable, instead of being {make} of type {type(make)}."
        )

    def initial_value(
        shape: Sequence[int],
        dtype: DTypeLike = dtypes.float32,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        if as_dtype(dtype) is not dtypes.float32:
            raise TypeError(
                f"Currently, only float32 is supported. Received dtype: {as_dtype(dtype)}"
            )
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {shape}")
        if shape[0] <= 0:
            raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {shape}")
        width = new_col_vocab_size + num_col_oov_buckets
        if shape[1] != width:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({new_col_vocab_size}) + "
                f"num_col_oov_buckets ({num_col_oov_buckets}) = {width}, but received shape: "
                f"{shape}"
            )
        offset = 0
        if partition_info is not None:
            offset = partition_info.single_offset(shape)
        if offset + shape[0] > new_row_vocab_size + num_row_oov_buckets:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {offset} rows have already "
                "been initialized, which would exceed expected total row count of "
                f"new_row_vocab_size ({new_row_vocab_size}) + num_row_oov_buckets "
                f"({num_row_oov_buckets}) = {new_row_vocab_size + num_row_oov_buckets}."
            )
        rows = min(shape[0], max(0, new_row_vocab_size - offset))
        return load_and_remap_matrix(
            ckpt_path,
            old_tensor_name,
            offset,
            rows,
            new_col_vocab_size,
            make,
            old_row_vocab_size,
            old_row_vocab_file,
            new_row_vocab_file,
            old_col_vocab_file,
            new_col_vocab_file,
            shape[0] - rows,
            num_col_oov_buckets,
            max_rows_in_memory,
        )

    return initial_value


@export("contrib.framework.load_embedding_initializer")
def load_embedding_initializer(
    ckpt_path: str,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: str,
    new_vocab_file: str,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer that loads embeddings and moves their rows to a new vocabulary.

    Args:
        ckpt_path: the path of the checkpoint.
        embedding_tensor_name: the name of the embeddings in it.
        new_vocab_size: how many words the new vocabulary has.
        embedding_dim: the length of an embedding.
        old_vocab_file: a file with the old words.
        new_vocab_file: a file with the new words.
        old_vocab_size: how many lines of the old file count; -1 for all.
        num_oov_buckets: rows that are added for other words.
        initializer: the values of new words and of the buckets; by default a truncated normal
            distribution with standard deviation 1 / sqrt(embedding_dim).
        max_rows_in_memory: how many rows are held at once; -1 for all.

    Returns:
        A function of shape, dtype and partition_info that returns a tensor.
    """
    if initializer is None:
        initializer = TruncatedNormal(stddev=1.0 / math.sqrt(embedding_dim))
    return load_and_remap_matrix_initializer(
        ckpt_path,
        embedding_tensor_name,
        new_vocab_size,
        embedding_dim,
        old_row_vocab_size=old_vocab_size,
        old_row_vocab_file=old_vocab_file,
        new_row_vocab_file=new_vocab_file,
        num_row_oov_buckets=num_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


@export("contrib.framework.load_linear_multiclass_bias_initializer")
def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: TensorLike,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: TensorLike,
    num_class_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """An initializer that loads the biases of classes, shape [classes, 1], for new classes.

    Args:
        ckpt_path: the path of the checkpoint.
        bias_tensor_name: the name of the biases in it.
        new_class_vocab_size: how many classes there are now.
        old_class_vocab_file: a file with the old classes.
        new_class_vocab_file: a file with the new classes.
        num_class_oov_buckets: rows that are added for other classes.
        initializer: the values of new classes and of the buckets; zeros by default.
        max_rows_in_memory: how many rows are held at once; -1 for all.

    Returns:
        A function of shape, dtype and partition_info that returns a tensor.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path,
        bias_tensor_name,
        new_class_vocab_size,
        1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


@export("contrib.framework.load_variable_slot_initializer")
def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: TensorLike = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Initializer | None = None,
    max_rows_in_memory: int = -1,
) -> Initializer:
    """`load_and_remap_matrix_initializer` for the slots of an optimizer.

    Args:
        ckpt_path: the path of the checkpoint.
        old_tensor_name: the name of the slot in it.
        primary_partition_info: the place of the variable, if it is a part of one.
        new_row_vocab_size: as for the variable, like all others.

    Returns:
        A function of shape, dtype and partition_info that returns a tensor.
    """
    make = load_and_remap_matrix_initializer(
        ckpt_path,
        old_tensor_name,
        new_row_vocab_size,
        new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def initial_value(
        shape: Any, dtype: DTypeLike = dtypes.float32, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return make(shape, dtype, primary_partition_info)

    return initial_value
