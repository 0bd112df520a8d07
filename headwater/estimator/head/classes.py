"""The classes that a classifier tells apart: their numbers and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.estimator.export.outputs import ClassificationOutput
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.model.lookup.index_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.strings.as_string import as_string


def _for_each_example(batch_size: Tensor, row: Tensor) -> Tensor:
    return tile(input=expand_dims(row, axis=0), multiples=[batch_size, 1])


def all_class_ids(logits: Tensor, n_classes: int) -> Tensor:
    """The numbers of all classes, for each example of a batch.

    Args:
        logits: a tensor whose first dimension is the batch.
        n_classes: the number of classes.

    Returns:
        An int32 tensor [batch, n_classes].
    """
    batch_size = shape(logits)[0]
    return _for_each_example(batch_size, build.Range(0, n_classes, 1, name="range"))


def all_classes(
    logits: Tensor, n_classes: int, label_vocabulary: Sequence[str] | None = None
) -> Tensor:
    """The names of all classes, for each example of a batch.

    Args:
        logits: a tensor whose first dimension is the batch.
        n_classes: the number of classes.
        label_vocabulary: the names; by default the numbers.

    Returns:
        A string tensor [batch, n_classes].
    """
    batch_size = shape(logits)[0]
    if label_vocabulary:
        names = convert_to_tensor(label_vocabulary)
    else:
        names = as_string(build.Range(0, n_classes, 1, name="range"))
    return _for_each_example(batch_size, names)


def classification_output(
    scores: Tensor, n_classes: int, label_vocabulary: Sequence[str] | None = None
) -> ClassificationOutput:
    """The scores of all classes as an export output.

    Args:
        scores: a tensor [batch, n_classes].
        n_classes: the number of classes.
        label_vocabulary: the names; by default the numbers.

    Returns:
        A ClassificationOutput.
    """
    return ClassificationOutput(
        scores=scores, classes=all_classes(scores, n_classes, label_vocabulary)
    )


def class_ids_of(labels: Any, label_vocabulary: Sequence[str]) -> Any:
    """The numbers of classes of given names.

    Args:
        labels: a string tensor.
        label_vocabulary: the names.

    Returns:
        An int64 tensor, -1 for unknown names.
    """
    table = index_table_from_tensor(
        mapping=convert_to_tensor(tuple(label_vocabulary)), name="class_id_lookup"
    )
    return table.lookup(labels)


def class_names_of(class_ids: Tensor, label_vocabulary: Sequence[str] | None) -> Tensor:
    """The names of classes of given numbers.

    Args:
        class_ids: an int64 tensor.
        label_vocabulary: the names; None for the numbers as text.

    Returns:
        A string tensor.
    """
    if not label_vocabulary:
        return as_string(class_ids, name="str_classes")
    table = index_to_string_table_from_tensor(
        mapping=convert_to_tensor(tuple(label_vocabulary)), name="class_string_lookup"
    )
    return table.lookup(class_ids)
