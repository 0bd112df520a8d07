"""Small compositions that gradients and many op families share."""

from __future__ import annotations

import math
from collections.abc import Iterable, KeysView, Mapping, ValuesView
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph.builders import build
from headwater.graph.convert import constant_node, to_tensor
from headwater.graph.default_graph import control_dependencies, get_default_graph, name_scope
from headwater.graph.operation import Operation, Tensor


def shape_tensor(
    x: TensorLike, name: str | None = None, out_type: DType = dtypes.int32, optimize: bool = True
) -> Tensor:
    """The shape of a tensor as a tensor: a constant if the static shape is known.

    Args:
        x: a Tensor or what converts to one.
        name: the name of the node.
        out_type: int32 or int64.
        optimize: whether a known shape becomes a constant.
    """
    with name_scope(name, "Shape", [x]) as scope:
        value, x = x, to_tensor(x)
        shape = x._shape
        known = shape is not None and None not in shape and out_type.numpy_dtype is not None
        if optimize and known:
            return constant_node(np.asarray(shape, out_type.numpy_dtype), out_type, scope)
        # As in TensorFlow, a value that is not a tensor is converted a second time for the node.
        tensor: Tensor = build.Shape(value, out_type=out_type, name=scope)
        return tensor


def size_tensor(x: TensorLike, name: str | None = None, out_type: DType = dtypes.int32) -> Tensor:
    """The number of elements of a tensor as a tensor: a constant if it is known."""
    with name_scope(name, "Size", [x]) as scope:
        value, x = x, to_tensor(x)
        shape = x._shape
        if shape is not None and None not in shape:
            return constant_node(math.prod(shape), out_type, scope)
        tensor: Tensor = build.Size(value, out_type=out_type, name=scope)
        return tensor


def rank_tensor(x: TensorLike, name: str | None = None) -> Tensor:
    """The rank of a tensor as an int32 tensor: a constant if it is known."""
    with name_scope(name, "Rank", [x]) as scope:
        value, x = x, to_tensor(x)
        if x._shape is not None:
            return constant_node(len(x._shape), dtypes.int32, scope)
        tensor: Tensor = build.Rank(value, name=scope)
        return tensor


# Larger repeated values are made by a Fill node instead of a constant.
LARGEST_CONSTANT = 1000


def filled(shape: tuple[int, ...], dtype: DType, value: Any, scope: str) -> Tensor:
    """A tensor of one repeated value: a constant if it is small, else a Fill node.

    Args:
        shape: the known shape.
        dtype: the type of the elements.
        value: the element.
        scope: the full name of the node, with a slash at its end.
    """
    size = math.prod(shape)
    if size < LARGEST_CONSTANT:
        element = np.full(() if size else shape, value, dtype.numpy_dtype)
        return constant_node(element, dtype, scope, shape)
    dims = constant_node(list(shape), dtypes.int32, "shape_as_tensor")
    tensor: Tensor = build.Fill(dims, constant_node(value, dtype), name=scope)
    return tensor


def zeros_like(
    x: TensorLike, name: str | None = None, dtype: DType | None = None, optimize: bool = True
) -> Tensor:
    """Zeros of the shape of a tensor: a constant if the static shape is known and small.

    Args:
        x: a Tensor or what converts to one.
        name: the name of the node.
        dtype: the type of the elements; that of `x` if None.
        optimize: whether a known shape becomes a constant.
    """
    with name_scope(name, "zeros_like", [x]) as scope:
        x = to_tensor(x, name="tensor")
        own = x._dtype.base_dtype
        dtype = own if dtype is None else dtype.base_dtype
        zero = _zero(dtype)
        shape = x._shape
        if optimize and shape is not None and None not in shape and own is not dtypes.variant:
            return filled(shape, dtype, zero, scope)
        if dtype is own or own is dtypes.variant:
            tensor: Tensor = build.ZerosLike(x, name=scope)
            return tensor
        return _fill(shape_tensor(x, optimize=optimize), zero, dtype, scope)


def ones_like(
    x: TensorLike, name: str | None = None, dtype: DType | None = None, optimize: bool = True
) -> Tensor:
    """Ones of the shape of a tensor.

    Args:
        x: a Tensor or what converts to one.
        name: the name of the node.
        dtype: the type of the elements; that of `x` if None.
        optimize: whether a known shape becomes a constant.
    """
    with name_scope(name, "ones_like", [x]) as scope:
        x = to_tensor(x, name="tensor")
        dtype = (dtype or x._dtype).base_dtype
        one = True if dtype is dtypes.bool_ else 1
        result = _fill(shape_tensor(x, optimize=optimize), one, dtype, scope)
        result.set_shape(x._shape)
        return result


def zeros_of(shape: Tensor, dtype: DType) -> Tensor:
    """Zeros of a shape that is given as a tensor."""
    with name_scope(None, "zeros", [shape]) as scope:
        return _fill(shape, _zero(dtype.base_dtype), dtype.base_dtype, scope)


def _zero(dtype: DType) -> Any:
    if dtype is dtypes.string:
        return b""
    return False if dtype is dtypes.bool_ else 0


def _fill(shape: Tensor, value: Any, dtype: DType, scope: str) -> Tensor:
    tensor: Tensor = build.Fill(shape, constant_node(value, dtype), name=scope)
    return tensor


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Operation:
    """Makes an op that has run when all inputs have run.

    Args:
        *inputs: ops, tensors, or nested lists and dictionaries of them.
        **kwargs: ``name``.

    Returns:
        An Operation without outputs.

    Raises:
        TypeError: if an input is neither an op nor a tensor.

    Example:
        >>> v, w = tf.Variable(0), tf.Variable(0)
        >>> session.run(tf.group(v.initializer, w.initializer))
        >>> session.run(tf.group(v.assign(1), w.assign(2)))
        >>> print(v.eval(), w.eval())
        1 2
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    with name_scope(name, "group_deps", list(inputs)) as scope:
        by_device: dict[str, list[Operation]] = {}
        for item in _flat(inputs):
            if not hasattr(item, "device"):
                raise TypeError(
                    f"Expected tf.group() expected Tensor arguments not '{item}' with type "
                    f"'{type(item)}'"
                )
            op = item if isinstance(item, Operation) else item.op
            by_device.setdefault(item.device, []).append(op)
        if len(by_device) <= 1:
            (device, ops), *_ = [*by_device.items(), ("", [])]
            return no_op_after(ops, device, scope)
        with get_default_graph().device(None):
            parts = [no_op_after(by_device[device], device, None) for device in sorted(by_device)]
        with control_dependencies(parts):
            result: Operation = build.NoOp(name=scope)
            return result


def _flat(items: Iterable[Any]) -> Iterable[Any]:
    if isinstance(items, Mapping):
        items = [items[key] for key in sorted(items)]
    for item in items:
        if isinstance(item, (list, tuple, Mapping, KeysView, ValuesView)):
            yield from _flat(item)
        else:
            yield item


def no_op_after(ops: list[Operation], device: str, name: str | None) -> Operation:
    graph = get_default_graph()
    with control_dependencies(ops):
        if device:
            with graph.device(device):
                op: Operation = build.NoOp(name=name)
                return op
        op = build.NoOp(name=name)
        return op


def with_dependencies(dependencies: Any, output_tensor: TensorLike, name: str | None = None) -> Any:
    """A copy of `output_tensor` that is computed after the dependencies have run."""
    graph = get_default_graph()
    with (
        name_scope(name, "control_dependency", [*dependencies, output_tensor]) as scope,
        graph.colocate_with(
            output_tensor if hasattr(output_tensor, "graph") else to_tensor(output_tensor)
        ),
        control_dependencies(dependencies),
    ):
        if hasattr(output_tensor, "dense_shape"):
            return output_tensor._map_values(lambda v: build.Identity(v, name=scope))
        tensor = to_tensor(output_tensor)
        identity = build.RefIdentity if tensor.dtype._is_ref_dtype else build.Identity
        return identity(tensor, name=scope)


@export("tuple")
def tuple_(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Copies of tensors that are available once all of them have been computed.

    Args:
        tensors: a list of tensors, IndexedSlices or None.
        name: the name scope.
        control_inputs: further ops that must have run.

    Returns:
        A list like `tensors`.

    Raises:
        TypeError: if a control input is neither an Operation nor a Tensor.
        ValueError: if there is no tensor in the list.
    """
    with name_scope(name, "tuple", [t for t in tensors if t is not None]):
        gating = [t.op for t in tensors if t is not None]
        for control in control_inputs or ():
            if not isinstance(control, (Operation, Tensor)):
                raise TypeError(f"Control input must be Operation or Tensor: {control}")
            gating.append(control if isinstance(control, Operation) else control.op)
        gating = sorted(dict.fromkeys(gating), key=lambda op: op._id_value)
        if not gating:
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        gate = group(*gating)
        return [None if t is None else with_dependencies([gate], t) for t in tensors]
