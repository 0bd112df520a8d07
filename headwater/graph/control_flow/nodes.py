"""Making the nodes of branches and loops, for tensors, sparse tensors and IndexedSlices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.nest_levels import composite_of
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.builders import build
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import get_default_graph, name_scope
from headwater.graph.indexed_slices import (
    IndexedSlices,
    as_indexed_slices,
    convert_to_tensor_or_indexed_slices,
)
from headwater.graph.operation import Tensor


def tensor_or_composite(
    value: TensorLike, dtype: DTypeLike | None = None, name: Any = None, as_ref: bool = False
) -> Any:
    """A tensor of a value; values that are made of several tensors stay as they are."""
    if composite_of(value) is not None:
        return value
    return convert_to_tensor_or_indexed_slices(value, dtype, name, as_ref)


def _each(value: TensorLike, what: str, function: Callable[[Tensor], Tensor]) -> Any:
    """Applies a function to a tensor, or to the parts of a value that is made of several."""
    value = tensor_or_composite(value, as_ref=True)
    if isinstance(value, Tensor):
        return function(value)
    if composite_of(value) is None:
        raise TypeError(f"'{what}' must be a Tensor or CompositeTensor. Received: {type(value)}.")
    return nest.map_structure(function, value, expand_composites=True)


def is_ref(tensor: Tensor) -> bool:
    return tensor._dtype._is_ref_dtype


def identity(data: TensorLike, name: str | None = None) -> Any:
    """A copy of a value; of a mutable tensor a mutable one."""

    def of_tensor(tensor: Tensor) -> Tensor:
        make = build.RefIdentity if is_ref(tensor) else build.Identity
        result: Tensor = make(tensor, name=name)
        return result

    return _each(data, "data", of_tensor)


def next_iteration(data: TensorLike, name: str | None = None) -> Any:
    """A value for the next iteration."""

    def of_tensor(tensor: Tensor) -> Tensor:
        make = build.RefNextIteration if is_ref(tensor) else build.NextIteration
        result: Tensor = make(tensor, name=name)
        return result

    return _each(data, "data", of_tensor)


def exit_(data: TensorLike, name: str | None = None) -> Any:
    """A value of a loop for the ops around the loop."""

    def of_tensor(tensor: Tensor) -> Tensor:
        make = build.RefExit if is_ref(tensor) else build.Exit
        result: Tensor = make(tensor, name=name)
        return result

    return _each(data, "data", of_tensor)


def enter(
    data: TensorLike,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Any:
    """A value from outside for the ops of a loop.

    Args:
        data: a tensor, or a value that is made of several.
        frame_name: the loop.
        is_constant: whether the value is the same in all iterations.
        parallel_iterations: how many iterations may be under way at once.
        use_ref: whether a mutable tensor stays mutable.
        use_input_shape: whether the value keeps its shape in the loop.
        name: the name of the node.
    """

    # The name is that of one node.
    node_name = None if composite_of(data) is not None else name

    def of_tensor(tensor: Tensor) -> Tensor:
        make = build.RefEnter if is_ref(tensor) and use_ref else build.Enter
        result: Tensor = make(
            tensor,
            frame_name=frame_name,
            is_constant=is_constant,
            parallel_iterations=parallel_iterations,
            name=node_name,
        )
        if use_input_shape:
            result.set_shape(tensor._shape)
        return result

    return _each(data, "data", of_tensor)


def switch(
    data: TensorLike, pred: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """Sends a value to one of two outputs.

    Args:
        data: a tensor, or a value that is made of several.
        pred: a boolean scalar.
        dtype: the type of the value.
        name: the name of the node.

    Returns:
        The output that has the value if `pred` is false, and the one that has it if it is true.
    """
    with name_scope(name, "Switch", [data, pred]) as scope:
        data = tensor_or_composite(data, dtype, "data", as_ref=True)
        pred = to_tensor(pred, name="pred")
        if isinstance(data, Tensor):
            result: tuple[Any, Any] = build.Switch(data, pred, name=scope)
            return result
        pairs = [build.Switch(part, pred) for part in nest.flatten(data, expand_composites=True)]
        if_false, if_true = zip(*pairs)
        return (
            nest.pack_sequence_as(data, list(if_false), expand_composites=True),
            nest.pack_sequence_as(data, list(if_true), expand_composites=True),
        )


def switch_ref_or_tensor(data: TensorLike, pred: Tensor, name: str = "Switch") -> tuple[Any, Any]:
    """`switch`, placed with the value; of a mutable tensor the outputs are mutable."""
    data = tensor_or_composite(data, name="data", as_ref=True)
    with get_default_graph().colocate_with(data, ignore_existing=True):
        if isinstance(data, Tensor) and is_ref(data):
            result: tuple[Any, Any] = build.RefSwitch(data, pred, name=name)
            return result
        return switch(data, pred, name=name)


def merge(inputs: Any, name: str | None = None) -> tuple[Any, Tensor]:
    """The one of several values that is alive.

    Args:
        inputs: values of one kind.
        name: the name of the node.

    Returns:
        The value, and the index of the input that it came from.

    Raises:
        ValueError: if one of them is None, or IndexedSlices differ in their components.
        TypeError: if values of different kinds are given.
    """
    if any(value is None for value in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    with name_scope(name, "Merge", list(inputs)) as scope:
        values = [tensor_or_composite(value, as_ref=True) for value in inputs]
        if all(isinstance(value, Tensor) for value in values):
            make = build.RefMerge if all(is_ref(value) for value in values) else build.Merge
            result: tuple[Any, Tensor] = make(values, name=scope)
            return result
        if all(isinstance(value, (Tensor, IndexedSlices)) for value in values):
            values = _alike([as_indexed_slices(value, optimize=False) for value in values])
        first = values[0]
        for value in values:
            if composite_of(value) is None:
                raise TypeError(f"Type {type(value)} not supported")
            nest.assert_same_structure(first, value, expand_composites=True)
        parts = [nest.flatten(value, expand_composites=True) for value in values]
        merges = [build.Merge(list(group)) for group in zip(*parts)]
        outputs = [output for output, _ in merges]
        return nest.pack_sequence_as(first, outputs, expand_composites=True), merges[0][1]


def _alike(slices: list[IndexedSlices]) -> list[IndexedSlices]:
    """IndexedSlices with one type of indices: int64 if any has it."""
    kinds = {s.indices._dtype.base_dtype for s in slices}
    if len(kinds) == 1:
        return slices
    return [with_int64_indices(s) for s in slices]


def with_int64_indices(value: IndexedSlices) -> IndexedSlices:
    """IndexedSlices with indices of type int64."""
    if value.indices._dtype.base_dtype.name == "int64":
        return value
    indices = build.Cast(value.indices, DstT="int64")
    return IndexedSlices(value.values, indices, value.dense_shape)
