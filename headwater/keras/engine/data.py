"""Data of `fit`, `evaluate` and `predict`: arrays by input, checked and cut to batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.data.datasets.conversion import make_initializable_iterator
from headwater.graph import SparseTensor, Tensor, build
from headwater.keras.backend.graph_state import get_session


def as_arrays(data: Any, names: Sequence[str], what: str) -> list[Any]:
    """One array for each input or target of a model.

    Args:
        data: an array, a list of them, or a dict by names.
        names: the names of the inputs or targets.
        what: "input" or "target", for errors.

    Raises:
        ValueError: if there are too few or too many arrays.
    """
    if not names:
        return []
    if isinstance(data, dict):
        missing = [name for name in names if name not in data]
        if missing:
            raise ValueError(
                f'No data provided for "{missing[0]}". Need data for each key in: {list(names)}'
            )
        found = [data[name] for name in names]
    elif isinstance(data, (list, tuple)):
        # A list of numbers is one array.
        if len(names) == 1 and data and not hasattr(data[0], "shape"):
            found = [np.asarray(data[0] if len(data) == 1 and np.ndim(data[0]) else data)]
        else:
            found = list(data)
    else:
        found = [data]
    if len(found) != len(names):
        raise ValueError(
            f"Error when checking model {what}: the list of Numpy arrays that you are passing to "
            "your model is not the size the model expected. Expected to see "
            f"{len(names)} array(s), but instead got the following list of {len(found)} arrays: "
            f"{str(found)[:200]}..."
        )
    return [standard_array(x) for x in found]


def standard_array(x: Any) -> Any:
    """An array of two axes at least; tensors and sparse matrices stay what they are."""
    if hasattr(x, "to_numpy"):  # a column or table of pandas
        x = x.to_numpy()
    if isinstance(x, Tensor):
        return build.ExpandDims(x, 1) if x.shape.ndims == 1 else x
    if isinstance(x, SparseTensor) or hasattr(x, "tocoo"):
        return x
    if hasattr(x, "refs") and hasattr(x, "start"):  # an HDF5Matrix, of which rows are read later
        return x
    x = np.asarray(x)
    return x[:, None] if x.ndim == 1 else x


def check_shapes(
    arrays: Sequence[Any], names: Sequence[str], shapes: Sequence[Any], what: str
) -> None:
    """Checks arrays against the shapes that a model takes.

    Raises:
        ValueError: if a shape is wrong.
    """
    for x, name, shape in zip(arrays, names, shapes):
        found = _shape(x)
        if shape is None or found is None:
            continue
        if len(found) != len(shape):
            raise ValueError(
                f"Error when checking {what}: expected {name} to have {len(shape)} dimensions, but "
                f"got array with shape {found}"
            )
        for given, wanted in zip(found[1:], shape[1:]):
            if wanted is not None and given is not None and given != wanted:
                raise ValueError(
                    f"Error when checking {what}: expected {name} to have shape {tuple(shape[1:])} "
                    f"but got array with shape {found[1:]}"
                )


def _shape(x: Any) -> tuple[int | None, ...] | None:
    if isinstance(x, Tensor):
        return None if x.shape.ndims is None else tuple(x.shape.as_list())
    return tuple(x.shape) if hasattr(x, "shape") else None


def check_lengths(inputs: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any]) -> None:
    """Checks that all arrays have the same number of examples.

    Raises:
        ValueError: if they do not.
    """
    sizes = [
        {x.shape[0] for x in arrays if isinstance(x, np.ndarray)}
        for arrays in (inputs, targets, weights)
    ]
    shapes = [[getattr(x, "shape", None) for x in arrays] for arrays in (inputs, targets, weights)]
    for found, given, what in zip(sizes, shapes, ("input", "target", "sample_weight")):
        if len(found) > 1:
            raise ValueError(
                f"All {what} arrays (x) should have the same number of samples. Got array shapes: "
                f"{given}"
            )
    if sizes[0] and sizes[1] and sizes[0] != sizes[1]:
        raise ValueError(
            "Input arrays should have the same number of samples as target arrays. Found "
            f"{next(iter(sizes[0]))} input samples and {next(iter(sizes[1]))} target samples."
        )
    if sizes[1] and sizes[2] and sizes[1] != sizes[2]:
        raise ValueError(
            "Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{next(iter(sizes[2]))} input samples and {next(iter(sizes[1]))} target samples."
        )


def rows(arrays: Sequence[Any], index: Any) -> list[Any]:
    """Rows of arrays.

    Args:
        arrays: the arrays.
        index: a slice, or the numbers of rows.
    """
    return [x[index] for x in arrays]


def batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """The first row, and the one after the last, of each batch."""
    return [(start, min(size, start + batch_size)) for start in range(0, size, batch_size)]


def shuffled(index: np.ndarray, shuffle: Any, batch_size: int) -> np.ndarray:
    """The order in which rows are used.

    Args:
        index: the numbers of the rows; shuffled in place unless by batch.
        shuffle: True, False, or "batch" to shuffle batches as a whole.
        batch_size: the size of a batch.
    """
    if shuffle == "batch":
        whole = len(index) // batch_size
        parts = index[: whole * batch_size].reshape((whole, batch_size))
        np.random.shuffle(parts)
        return np.append(parts.reshape(-1), index[whole * batch_size :])
    if shuffle:
        np.random.shuffle(index)
    return index


def is_dataset(x: Any) -> bool:
    """Whether data is a `tf.data.Dataset` or an iterator of one."""
    return hasattr(x, "make_initializable_iterator") or (
        hasattr(x, "get_next") and hasattr(x, "output_shapes")
    )


def is_stream(x: Any) -> bool:
    """Whether data is a generator or a `tf.keras.utils.Sequence` of batches."""
    if isinstance(x, (np.ndarray, list, tuple, dict, Tensor)) or is_dataset(x):
        return False
    return hasattr(x, "__next__") or (hasattr(x, "__getitem__") and hasattr(x, "on_epoch_end"))


def next_tensors(dataset: Any) -> tuple[Any, Any, Any]:
    """The tensors of the next element: inputs, targets and weights.

    Args:
        dataset: a Dataset, of which the first element is taken, or an iterator.
    """
    if not hasattr(dataset, "get_next"):
        iterator = make_initializable_iterator(dataset)
        get_session().run(iterator.initializer)
    else:
        iterator = dataset
    element = iterator.get_next()
    if isinstance(element, (tuple, list)) and len(element) in (2, 3):
        return element[0], element[1], element[2] if len(element) == 3 else None
    return element, None, None
