"""tensorflow.python.keras.utils.generic_utils: arguments, lists of arrays, batches."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.keras.engine.data import batches as make_batches

__all__ = [
    "check_for_unexpected_keys",
    "has_arg",
    "is_all_none",
    "make_batches",
    "object_list_uid",
    "serialize_keras_class_and_config",
    "slice_arrays",
    "to_list",
    "validate_kwargs",
]


def has_arg(fn: Callable[..., Any], name: str, accept_all: bool = False) -> bool:
    """Tells whether a function has an argument.

    Args:
        fn: the function.
        name: the name of the argument.
        accept_all: whether `**kwargs` of the function count as any argument.
    """
    spec = inspect.getfullargspec(fn)
    if accept_all and spec.varkw is not None:
        return True
    return name in spec.args or name in spec.kwonlyargs


def to_list(x: Any) -> list[Any]:
    """Returns a list as it is, and [x] for anything else."""
    return x if isinstance(x, list) else [x]


def slice_arrays(arrays: Any, start: Any = None, stop: int | None = None) -> Any:
    """Takes rows of an array, or of each array of a list.

    Args:
        arrays: an array, or a list of arrays and None.
        start: the first row, or the numbers of rows.
        stop: the row after the last one.

    Returns:
        An array, or a list with None for None.

    Raises:
        ValueError: if there are both numbers of rows and an end.
    """
    if arrays is None:
        return [None]
    if isinstance(start, list) and stop is not None:
        raise ValueError("The stop argument has to be None if the value of start is a list.")

    def taken(array: Any) -> Any:
        if array is None:
            return None
        if hasattr(start, "__len__"):
            return array[start.tolist() if isinstance(start, np.ndarray) else start]
        return array[start:stop]

    if isinstance(arrays, list):
        return [taken(array) for array in arrays]
    return taken(arrays) if hasattr(start, "__len__") else [None]


def is_all_none(structure: Any) -> bool:
    """Tells whether a structure has nothing but None."""
    return all(item is None for item in nest.flatten(structure))


def object_list_uid(object_list: Any) -> str:
    """Returns a key of the identities of objects.

    Args:
        object_list: an object, or a structure of objects.
    """
    return ", ".join(str(abs(id(x))) for x in nest.flatten(object_list))


def serialize_keras_class_and_config(cls_name: str, cls_config: Any) -> dict[str, Any]:
    """Returns the configuration of an object of a class."""
    return {"class_name": cls_name, "config": cls_config}


def validate_kwargs(
    kwargs: Iterable[str],
    allowed_kwargs: Sequence[str],
    error_message: str = "Keyword argument not understood:",
) -> None:
    """Checks that keywords are known.

    Args:
        kwargs: the keywords that are given.
        allowed_kwargs: the ones that are known.
        error_message: the first argument of the error.

    Raises:
        TypeError: if one is unknown.
    """
    for keyword in kwargs:
        if keyword not in allowed_kwargs:
            raise TypeError(error_message, keyword)


def check_for_unexpected_keys(
    name: str, input_dict: Iterable[str], expected_values: Sequence[str]
) -> None:
    """Checks the keys of a dictionary.

    Args:
        name: what the dictionary is, for the error.
        input_dict: the dictionary.
        expected_values: the keys that it may have.

    Raises:
        ValueError: if it has others.
    """
    unknown = set(input_dict).difference(expected_values)
    if unknown:
        raise ValueError(
            f"Unknown entries in {name} dictionary: {list(unknown)}. Only expected following keys: "
            f"{expected_values}"
        )
