"""tensorflow.python.keras.utils.tf_utils."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.graph import Tensor, get_default_graph
from headwater.graph.composite_specs import CompositeTensor
from headwater.model.smart_cond import known_value as constant_value
from headwater.model.smart_cond import smart_cond

__all__ = [
    "are_all_symbolic_tensors",
    "constant_value",
    "convert_shapes",
    "get_reachable_from_inputs",
    "graph_context_for_symbolic_tensors",
    "is_symbolic_tensor",
    "is_tensor_or_tensor_list",
    "is_tensor_or_variable",
    "map_structure_with_atomic",
    "maybe_init_scope",
    "register_symbolic_tensor_type",
    "shape_type_conversion",
    "smart_cond",
]

_symbolic_types: tuple[type, ...] = ()


def _is_variable(value: Any) -> bool:
    return hasattr(value, "_variable") or hasattr(value, "_gradient_handle")


def get_reachable_from_inputs(inputs: Any, targets: Any = None) -> set[Any]:
    """Returns tensors, variables or ops and all tensors and ops that depend on them.

    Args:
      inputs: a structure of tensors, variables and ops.
      targets: tensors after which the walk may end, once all of them are reached.

    Raises:
      TypeError: if an input is something else.
    """
    reached = set(nest.flatten(inputs))
    wanted = None if targets is None else set(nest.flatten(targets))
    waiting = list(reached)
    while waiting:
        current = waiting.pop()
        if _is_variable(current):
            after = _consumers_of_variable(current)
        elif isinstance(current, Tensor):
            after = current.consumers()
        elif hasattr(current, "outputs"):
            after = list(current.outputs)
        else:
            raise TypeError(f"Expected Operation, Variable, or Tensor, got {current}")
        fresh = [each for each in after if each not in reached]
        reached.update(fresh)
        if wanted is not None and wanted <= reached:
            return reached
        waiting.extend(fresh)
    return reached


def _consumers_of_variable(variable: Any) -> list[Any]:
    handle = getattr(variable, "handle", None)
    return list((variable.op.outputs[0] if handle is None else handle).consumers())


def map_structure_with_atomic(
    is_atomic_fn: Callable[[Any], bool], map_fn: Callable[[Any], Any], nested: Any
) -> Any:
    """Maps a structure of lists, tuples and dicts whose leaves a function finds.

    Args:
      is_atomic_fn: whether a value is a leaf.
      map_fn: what is done with the leaves.
      nested: the structure.

    Raises:
      ValueError: if something is neither a leaf nor a structure.
    """
    if is_atomic_fn(nested):
        return map_fn(nested)
    if not nest.is_sequence(nested):
        raise ValueError(f"Received non-atomic and non-sequence element: {nested}")
    if isinstance(nested, dict):
        mapped = {
            key: map_structure_with_atomic(is_atomic_fn, map_fn, value)
            for key, value in nested.items()
        }
        return type(nested)(mapped)
    parts = [map_structure_with_atomic(is_atomic_fn, map_fn, value) for value in nested]
    return type(nested)(*parts) if hasattr(nested, "_fields") else type(nested)(parts)


def _is_shape(value: Any) -> bool:
    if value is None or isinstance(value, TensorShape):
        return True
    return isinstance(value, (tuple, list)) and all(
        part is None or isinstance(part, int) or hasattr(part, "value") for part in value
    )


def convert_shapes(input_shape: Any, to_tuples: bool = True) -> Any:
    """Returns a structure of shapes as tuples, or as TensorShapes.

    Args:
      input_shape: shapes in a structure of lists, tuples and dicts.
      to_tuples: which of the two.
    """

    def convert(shape: Any) -> Any:
        if shape is None:
            return None
        shape = TensorShape(shape)
        return tuple(shape.as_list()) if to_tuples else shape

    return map_structure_with_atomic(_is_shape, convert, input_shape)


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates `build` or `compute_output_shape`, which works with tuples, to take TensorShapes.

    Args:
      fn: a method of an instance and of a structure of shapes.
    """

    @functools.wraps(fn)
    def wrapper(instance: Any, input_shape: Any) -> Any:
        if input_shape is not None:
            input_shape = convert_shapes(input_shape, to_tuples=True)
        output_shape = fn(instance, input_shape)
        if output_shape is not None:
            output_shape = convert_shapes(output_shape, to_tuples=False)
        return output_shape

    return wrapper


def is_symbolic_tensor(tensor: Any) -> bool:
    """Tells whether something is a tensor of a graph, a variable, or made of such tensors."""
    if isinstance(tensor, (Tensor, CompositeTensor, *_symbolic_types)):
        return True
    return _is_variable(tensor)


def are_all_symbolic_tensors(tensors: Any) -> bool:
    """Tells whether all tensors are those of a graph."""
    return all(is_symbolic_tensor(tensor) for tensor in tensors)


def register_symbolic_tensor_type(cls: type) -> None:
    """Makes instances of a class, which convert to tensors, count as tensors of a graph.

    Args:
      cls: the class.
    """
    global _symbolic_types
    if cls not in _symbolic_types:
        _symbolic_types = (*_symbolic_types, cls)


def is_tensor_or_variable(x: Any) -> bool:
    """Tells whether something is a tensor or a variable."""
    return isinstance(x, Tensor) or _is_variable(x)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Tells whether something is a tensor, or a list or tuple that begins with one."""
    first = v[0] if isinstance(v, (list, tuple)) and v else v
    return is_symbolic_tensor(first)


@contextmanager
def maybe_init_scope(layer: Any) -> Iterator[None]:
    """A context for making the variables of a layer; graphs have nothing to leave."""
    yield


@contextmanager
def graph_context_for_symbolic_tensors(*args: Any, **kwargs: Any) -> Iterator[None]:
    """The context of the graph of tensors, which is the default graph anyway."""
    with get_default_graph().as_default():
        yield
