"""Elements of a list of strings in turn, kept in variables."""

from __future__ import annotations

import random
from collections.abc import Sequence

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies, export
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.state.count_up_to import count_up_to


@export("contrib.input_pipeline.obtain_next")
def obtain_next(string_list_tensor: TensorLike, counter: TensorLike) -> Tensor:
    """The next element of a list, cyclically.

    Args:
        string_list_tensor: a vector of strings.
        counter: a mutable int64 scalar, the place of the last element; -1 before the first.

    Returns:
        A string scalar.
    """
    return build.ObtainNext(string_list_tensor, counter)


@export("contrib.input_pipeline.seek_next")
def seek_next(
    string_list: Sequence[str],
    shuffle: bool = False,
    seed: int | None = None,
    num_epochs: int | None = None,
) -> Tensor:
    """The next element of a list that is kept in a variable, with its place.

    Args:
        string_list: a list of strings.
        shuffle: whether each epoch has an order of its own.
        seed: a seed for the orders.
        num_epochs: after how many passes OutOfRangeError is raised; None for no end.

    Returns:
        A string scalar.
    """
    with variable_scope(None, "obtain_next"):
        # A list in another order in each epoch needs them all at once.
        passes = [string_list] * (num_epochs or 1)
        if shuffle:
            source = random.Random(seed) if seed is not None else random
            passes = [source.sample(list(each), len(each)) for each in passes]
        elements = [element for each in passes for element in each]
        counter = get_variable(
            "obtain_next_counter", initializer=constant(-1, dtype=dtypes.int64), dtype=dtypes.int64
        )
        expanded = get_variable(
            "obtain_next_expanded_list", initializer=constant(elements), dtype=dtypes.string
        )
        if not num_epochs:
            return obtain_next(expanded.value(), counter._ref())
        limit = len(elements)
        passed = get_variable(
            "obtain_next_filename_counter",
            initializer=constant(0, dtype=dtypes.int64),
            dtype=dtypes.int64,
        )
        with control_dependencies([count_up_to(passed, limit)]):
            return obtain_next(expanded.value(), counter._ref())
