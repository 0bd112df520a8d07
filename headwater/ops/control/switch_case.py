"""`tf.switch_case`: one of several functions, chosen by an integer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, constant_node, export, name_scope
from headwater.ops.control.cond import cond


@export("switch_case")
def switch_case(
    branch_index: TensorLike,
    branch_fns: Sequence[Callable[[], Any]] | dict[int, Callable[[], Any]],
    default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Tensor:
    """Runs the ops of the function that an integer chooses.

    Args:
        branch_index: an integer scalar.
        branch_fns: the functions by integer: a dict, a list of pairs, or a list of functions.
        default: the function for all other integers; that of the largest one by default.
        name: a name scope.

    Returns:
        The values of the function; all must return the same structure.

    Raises:
        TypeError: if an argument is of the wrong kind.
        ValueError: if the integers are not those from 0 on.
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"branch_index must a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"branch_index must an integer Tensor, got {branch_index.dtype}")
    functions = _in_order(branch_fns, default)

    def choose(position: int) -> Tensor:
        if position == len(functions) - 1:
            return functions[position]()
        return cond(
            build.Equal(branch_index, constant_node(position, branch_index.dtype)),
            functions[position],
            lambda: choose(position + 1),
        )

    with name_scope(name):
        return choose(0)


def _in_order(functions: Any, default: Callable[[], Any] | None) -> list[Callable[[], Any]]:
    """The functions for 0, 1 and so on; the last one is for all other integers."""
    if not isinstance(functions, (list, tuple, dict)):
        raise TypeError("branch_fns must be a list, tuple, or dict")
    pairs = list(functions.items() if isinstance(functions, dict) else functions)
    if not pairs:
        raise ValueError("Must provide at least one item in branch_fns")
    if all(callable(pair) for pair in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in branch_fns must be a 2-tuple")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        found = ",".join(str(key) for key in keys)
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found "
            f"{{{found}}}"
        )
    in_order = [function for _, function in sorted(pairs, key=lambda pair: pair[0])]
    return in_order if default is None else [*in_order, default]
