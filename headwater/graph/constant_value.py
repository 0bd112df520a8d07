"""Values that follow from the graph alone, without running it."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.array_values import expanded
from headwater.base.dead import DEAD
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Shape
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import RunsOn

# Larger values are not computed while a graph is built.
_MAX_FOLDED_ELEMENTS = 4096
# Their values may change from run to run although nothing says that they have state; which input
# a merge takes is only known when it runs.
_NEVER_FOLDED = frozenset("Placeholder PlaceholderV2 PlaceholderWithDefault Merge RefMerge".split())
# The op types that `literal_value` looks through.
_LITERAL = frozenset(
    "Const Shape Size Rank Range Cast Concat ConcatV2 Pack Fill Equal NotEqual".split()
)


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of a tensor that does not depend on feeds, variables or chance; else None.

    Shape arithmetic on static shapes counts as constant.
    """
    op = tensor._op
    kind = op._record.name
    if kind == "Const":
        return expanded(op._attrs["value"])
    cached = op.__dict__.get("_constant_values", NotImplemented)
    if cached is NotImplemented:
        cached = op.__dict__["_constant_values"] = _fold(op)
    return None if cached is None else cached[tensor._value_index]


def literal_value(tensor: Tensor) -> np.ndarray | None:
    """`constant_value` of few op types.

    Where a function makes different nodes for a known value, TensorFlow means a value that is
    known in this narrower sense.
    """
    pending = [tensor._op]
    while pending:
        op = pending.pop()
        kind = op._record.name
        if kind not in _LITERAL:
            return None
        if kind not in ("Shape", "Size", "Rank"):
            pending.extend(source._op for source in op._inputs)
    return constant_value(tensor)


def _fold(op: Operation) -> list[np.ndarray] | None:
    kind = op._record.name
    if kind in ("Shape", "Size", "Rank"):
        value = _shape_constant(kind, op._inputs[0]._shape, op._outputs[0].dtype.as_numpy_dtype)
        return None if value is None else [value]
    if not _foldable(op):
        return None
    values = []
    for source in op._inputs:
        value = constant_value(source)
        if value is None or value.size > _MAX_FOLDED_ELEMENTS:
            return None
        values.append(value)
    try:
        with np.errstate(all="ignore"):
            results = op._record.bind(op._attrs, op._name)(np, values)
    except Exception:
        # The same call fails when the graph runs, and raises its error there.
        return None
    if not isinstance(results, (tuple, list)):
        results = [results]
    if any(r is DEAD for r in results):
        return None
    return [np.asarray(r, t.dtype.as_numpy_dtype) for r, t in zip(results, op._outputs)]


def _foldable(op: Operation) -> bool:
    record = op._record
    if (
        record.runs_on is RunsOn.XLA
        or record.stateful
        or record.updates
        or record.variable
        or record.state
    ):
        return False
    if not op._inputs or record.kernel is None or record.name in _NEVER_FOLDED:
        return False
    if any(t._dtype.base_dtype.numpy_dtype is None for t in op._outputs):
        # Handles and lists are not arrays.
        return False
    return all((_element_count(t._shape) or 0) <= _MAX_FOLDED_ELEMENTS for t in op._outputs)


def _shape_constant(kind: str, shape: Shape, dtype: Any) -> np.ndarray | None:
    if kind == "Rank":
        return None if shape is None else np.asarray(len(shape), dtype)
    if kind == "Shape":
        return None if shape is None or None in shape else np.asarray(shape, dtype)
    count = _element_count(shape)
    return None if count is None else np.asarray(count, dtype)


def _element_count(shape: Shape) -> int | None:
    return None if shape is None or None in shape else int(np.prod(np.array(shape, np.int64)))


def constant_value_as_shape(tensor: Tensor) -> Shape:
    """The shape that an integer vector describes; unknown elements and -1 become None."""
    value = constant_value(tensor)
    if value is not None:
        if value.ndim == 0 or value.dtype.kind not in "iu":
            return None
        for size in value:
            if size < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {size}")
        return tuple(None if d < 0 else int(d) for d in value)
    op = tensor._op
    kind = op._record.name
    if kind in ("Shape", "ShapeN"):
        shape: Shape = op._inputs[tensor.value_index]._shape
        return shape
    if kind in ("Pack", "Stack"):
        return tuple(_dim(item) for item in op._inputs)
    if kind == "Cast":
        return constant_value_as_shape(op._inputs[0])
    if kind == "ConcatV2":
        return _concatenated(op._inputs[:-1])
    if kind == "Concat":
        return _concatenated(op._inputs[1:])
    if kind == "StridedSlice":
        sliced: Shape = _sliced(op)
        if sliced is not NotImplemented:
            return sliced
    length = tensor._shape
    if length is None or len(length) != 1 or length[0] is None:
        return None
    return (None,) * length[0]


def constant_elements(tensor: Tensor) -> list[int | None] | None:
    """The elements of an integer vector, None for unknown ones; None if the length is unknown."""
    value = constant_value(tensor)
    if value is not None:
        return None if value.ndim != 1 else value.tolist()
    op = tensor._op
    if op._record.name == "Pack" and all(t._shape == () for t in op._inputs):
        values = [constant_value(t) for t in op._inputs]
        return [None if v is None else int(v) for v in values]
    if op._record.name in ("Cast", "Identity"):
        return constant_elements(op._inputs[0])
    length = tensor._shape
    return [None] * length[0] if length is not None and len(length) == 1 and length[0] else None


def _dim(tensor: Tensor) -> int | None:
    value = constant_value(tensor)
    return None if value is None or value < 0 else int(value)


def static_size(tensor: Tensor) -> int | None:
    """The value of an integer scalar such as ``tf.shape(x)[0]``, if static shapes tell it."""
    size = _dim(tensor)
    op = tensor._op
    if size is not None or op._record.name != "StridedSlice" or tensor._shape != ():
        return size
    whole = constant_value_as_shape(op._inputs[0])
    place = constant_value(op._inputs[1])
    if whole is None or place is None or place.shape != (1,) or op._attrs["ellipsis_mask"]:
        return None
    position = int(place[0])
    return whole[position] if -len(whole) <= position < len(whole) else None


def _concatenated(parts: Any) -> Shape:
    result: tuple[int | None, ...] = ()
    for part in parts:
        shape = constant_value_as_shape(part)
        if shape is None:
            return None
        result += shape
    return result


def _sliced(op: Any) -> Any:
    whole = constant_value_as_shape(op._inputs[0])
    bounds = [b for t in op._inputs[1:4] if (b := constant_value(t)) is not None and b.size == 1]
    attrs = op._attrs
    if whole is None or len(bounds) != 3:
        return NotImplemented
    if attrs["ellipsis_mask"] or attrs["new_axis_mask"] or attrs["shrink_axis_mask"]:
        return NotImplemented
    begin = None if attrs["begin_mask"] & 1 else int(bounds[0][0])
    end = None if attrs["end_mask"] & 1 else int(bounds[1][0])
    return whole[begin : end : int(bounds[2][0])]


@export("contrib.util.constant_value", "get_static_value")
def static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if few op types of the graph tell it, as in TensorFlow.

    Args:
        tensor: a Tensor, or anything else, which is returned as it is.
        partial: whether the known ones of packed elements are given if not all are.

    Returns:
        A NumPy array (of objects, with None for unknown elements, if it is partial), or None.
    """
    if not isinstance(tensor, Tensor):
        return None if hasattr(tensor, "_as_graph_element") else tensor
    value = literal_value(tensor)
    if value is None and partial and tensor._op._record.name == "Pack":
        parts = [static_value(item) for item in tensor._op._inputs]
        return None if all(p is None for p in parts) else np.array(parts, object)
    return None if value is None else np.array(value)


def shape_from_tensor(tensor: Tensor) -> TensorShape:
    """`constant_value_as_shape` as a TensorShape."""
    return TensorShape(constant_value_as_shape(tensor))
