"""Labeled tensors, the order of their axes, and functions of elements."""

from __future__ import annotations

import contextlib
import numbers
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.contrib.labeled_tensor.axes import Axes, Axis, check_type
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.convert import register_tensor_conversion_function
from headwater.ops.array.getitem import getitem
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape as shape_of


@export("contrib.labeled_tensor.AxisOrderError")
class AxisOrderError(ValueError):
    """Axes are not in an order that is required."""


@export("contrib.labeled_tensor.LabeledTensor")
class LabeledTensor:
    """A tensor with an axis for each dimension.

    Args:
        tensor: the tensor.
        axes: axes, pairs of name and value, or names.
    """

    # Binary operators of NumPy arrays leave the operation to this class.
    __array_priority__ = 100

    def __init__(self, tensor: Tensor, axes: Any) -> None:
        check_type(tensor, Tensor, "tensorflow.Tensor", "LabeledTensor")
        sizes = tensor.shape
        parts = list(axes.values() if isinstance(axes, Axes) else axes)
        if len(sizes) == len(parts):
            parts = [
                Axis(axis, size) if isinstance(axis, str) else axis
                for axis, size in zip(parts, sizes, strict=True)
            ]
        given = Axes(parts)
        if len(sizes) != len(given):
            raise ValueError(
                f"Tensor rank was not equal to the number of axes: {sizes!r}, {given!r}"
            )
        for size, axis in zip(sizes.dims or [], given.values(), strict=True):
            if size != axis.dimension and None not in (size.value, axis.size):
                raise ValueError(
                    f"Provided axis size {axis.size} does not match tensor dimension size "
                    f"{size.value}in tensor {tensor!r}"
                )
        self._tensor = tensor
        self._axes = given

    def __repr__(self) -> str:
        head = f"<LabeledTensor {self.name!r} shape={self.shape} dtype={self.dtype.name}"
        pairs = [repr((name, axis.value)) for name, axis in self.axes.items()]
        return head + "\n axes=[" + ",\n       ".join(pairs) + "]>"

    @property
    def tensor(self) -> Tensor:
        """The tensor."""
        return self._tensor

    def _as_graph_element(self) -> Tensor:
        return self._tensor

    @property
    def axes(self) -> Axes:
        """The axes."""
        return self._axes

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._tensor.shape

    @property
    def name(self) -> str:
        """The name of the tensor."""
        return self._tensor.name

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self._tensor.shape

    def __getitem__(self, key: Any) -> LabeledTensor:
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != len(self.axes):
            raise ValueError(
                f"indexer {key!r} must have the same length as the Tensor rank ({len(self.axes)})"
            )
        return slice_function(self, dict(zip(self.axes, key, strict=True)))

    # Tensors are equal if they are the same object, as keys of dictionaries must be.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


def _convert_labeled_tensor_to_tensor(
    value: LabeledTensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Tensor:
    return convert_to_tensor(value.tensor, dtype=dtype, name=name)


register_tensor_conversion_function(LabeledTensor, _convert_labeled_tensor_to_tensor)


def _check_convertible(value: Any, where: str) -> None:
    check_type(
        value,
        (LabeledTensor, Tensor, np.ndarray, numbers.Number, bool, bytes, str),
        "Union(labeled_tensor.LabeledTensor, tensorflow.Tensor, numpy.ndarray, "
        "Union(numbers.Number, bool, bytes, str))",
        where,
    )


@export("contrib.labeled_tensor.convert_to_labeled_tensor")
def convert_to_labeled_tensor(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> LabeledTensor:
    """Converts a scalar; labeled tensors stay as they are.

    Args:
        value: a LabeledTensor, a scalar tensor, array or number.
        dtype: the type that it should have.
        name: the name of a new constant.

    Returns:
        A LabeledTensor.

    Raises:
        ValueError: if a value without labels has dimensions, or the type is another one.
    """
    if isinstance(value, LabeledTensor):
        axes: Any = value.axes
        value = value.tensor
    else:
        _check_convertible(value, "convert_to_labeled_tensor")
        axes = []
    return LabeledTensor(convert_to_tensor(value, dtype=dtype, name=name), axes)


_valid_order = threading.local()


def get_axis_order() -> list[str] | None:
    """Returns the order of axes of the innermost scope, or None."""
    return getattr(_valid_order, "names", None)


@export("contrib.labeled_tensor.axis_order_scope")
@contextlib.contextmanager
def axis_order_scope(axis_order: Sequence[str] | None = None) -> Iterator[None]:
    """A scope in which binary functions align axes in a given order.

    Args:
        axis_order: names of axes; None for no order.

    Returns:
        A context manager.
    """
    before = get_axis_order()
    _valid_order.names = None if axis_order is None else list(axis_order)
    try:
        yield
    finally:
        _valid_order.names = before


def _required_order(axis_order: Iterable[str] | None) -> list[str]:
    order = get_axis_order() if axis_order is None else list(axis_order)
    if order is None:
        raise AxisOrderError(
            "an explicit axis order must be provided with the axis_order argument or by using an "
            "axis_order_scope"
        )
    return order


@export("contrib.labeled_tensor.check_axis_order")
def check_axis_order(
    labeled_tensor: LabeledTensor, axis_order: Sequence[str] | None = None
) -> None:
    """Checks that axes appear in an order.

    Args:
        labeled_tensor: a LabeledTensor.
        axis_order: names of axes; those of the scope by default.

    Returns:
        None.

    Raises:
        AxisOrderError: if they do not.
    """
    order = _required_order(axis_order)
    present = [name for name in order if name in labeled_tensor.axes]
    if len(present) < len(labeled_tensor.axes):
        raise AxisOrderError(
            f"not all axis names appear in the required axis order {order!r}: {labeled_tensor!r}"
        )
    if present != list(labeled_tensor.axes):
        raise AxisOrderError(
            "axes on a labeled tensor do not appear in the same order as the required axis order "
            f"{order!r}: {labeled_tensor!r}"
        )


@export("contrib.labeled_tensor.impose_axis_order")
def impose_axis_order(
    labeled_tensor: LabeledTensor,
    axis_order: Sequence[str] | None = None,
    name: str | None = None,
) -> LabeledTensor:
    """Transposes a tensor so that its axes appear in an order.

    Args:
        labeled_tensor: a LabeledTensor.
        axis_order: names of axes; those of the scope by default.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_impose_axis_order", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        order = [axis for axis in _required_order(axis_order) if axis in labeled_tensor.axes]
        return transpose(labeled_tensor, order, name=scope)


def _find_consistent_ordering(a: list[str], b: list[str]) -> list[str] | None:
    """Returns an order in which the names of both lists appear as in these; None without one."""
    together, places = [], {name: place for place, name in enumerate(b)}
    done = 0
    for name in a:
        if name in places:
            if places[name] < done:
                return None
            together += b[done : places[name]]
            done = places[name] + 1
        together.append(name)
    return together + b[done:]


@export("contrib.labeled_tensor.align")
def align(
    labeled_tensor_0: LabeledTensor, labeled_tensor_1: LabeledTensor, name: str | None = None
) -> tuple[LabeledTensor, LabeledTensor, Axes]:
    """Gives two tensors the same axes, so that they can be broadcast.

    Args:
        labeled_tensor_0: a LabeledTensor.
        labeled_tensor_1: a LabeledTensor.
        name: the name of the scope.

    Returns:
        Both with axes of size 1 where they had none, and the axes after broadcasting.

    Raises:
        ValueError: if axes of one name differ.
        AxisOrderError: if no order of axes is that of both.
    """
    with name_scope(name, "lt_align", [labeled_tensor_0, labeled_tensor_1]) as scope:
        first = convert_to_labeled_tensor(labeled_tensor_0)
        second = convert_to_labeled_tensor(labeled_tensor_1)
        for axis_name in set(first.axes) & set(second.axes):
            one, other = first.axes[axis_name], second.axes[axis_name]
            if one != other:
                raise ValueError(
                    f"Mismatched {axis_name!r} axis on input tensors: {one!r} and {other!r}"
                )
        if get_axis_order() is not None:
            check_axis_order(first)
            check_axis_order(second)
            both = {**first.axes, **second.axes}
            order: Any = [axis for axis in _required_order(None) if axis in both]
        else:
            order = _find_consistent_ordering(list(first.axes), list(second.axes))
        if order is None:
            raise AxisOrderError(
                "No consistent axis order allows for aligning tensors with axis orders "
                f"{first.axes.keys()!r} and {second.axes.keys()!r} without copying data. Use "
                "transpose or impose_axis_order to reorder axes on one of more of the inputs."
            )
        axes = Axes([(first if axis in first.axes else second).axes[axis] for axis in order])
        return (
            expand_dims(first, order, name=f"{scope}0"),
            expand_dims(second, order, name=f"{scope}1"),
            axes,
        )


@export("contrib.labeled_tensor.identity")
def identity(labeled_tensor: LabeledTensor, name: str | None = None) -> LabeledTensor:
    """Returns a tensor with the same elements and axes.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_identity", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(build.Identity(labeled_tensor.tensor, name=scope), labeled_tensor.axes)


@export("contrib.labeled_tensor.slice")
def slice_function(
    labeled_tensor: LabeledTensor, selection: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """Slices by index.

    Args:
        labeled_tensor: a LabeledTensor.
        selection: by the name of an axis, an index, which removes it, or a slice.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_slice", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        for indexer in selection.values():
            check_type(indexer, (int, slice), "Union(int, slice)", "slice_function")
        indexers, axes = [], []
        for axis in labeled_tensor.axes.values():
            indexer = selection.get(axis.name, slice(None))
            indexers.append(indexer)
            if isinstance(indexer, slice):
                axes.append(_sliced_axis(axis, indexer))
        sliced = getitem(labeled_tensor.tensor, tuple(indexers))
        for number, axis in enumerate(axes):
            if axis.labels is None and axis.size is None:
                axes[number] = Axis(axis.name, sliced.shape[number].value)
        return LabeledTensor(build.Identity(sliced, name=scope), axes)


def _sliced_axis(axis: Axis, indexer: slice) -> Axis:
    if axis.labels is not None:
        return Axis(axis.name, axis.labels[indexer])
    if axis.size is None:
        return Axis(axis.name, None)
    return Axis(axis.name, len(range(*indexer.indices(axis.size))) or None)


@export("contrib.labeled_tensor.transpose")
def transpose(
    labeled_tensor: LabeledTensor,
    axis_order: Sequence[str] | None = None,
    name: str | None = None,
) -> LabeledTensor:
    """Permutes axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axis_order: all names in the new order; reversed by default.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_transpose", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        before = list(labeled_tensor.axes)
        order = before[::-1] if axis_order is None else list(axis_order)
        if sorted(order) != sorted(before):
            raise ValueError(
                "The new axis order must have the same names as the original axes, but the new "
                f"order is {order!r} while the original order is {before!r}"
            )
        permuted = build.Transpose(
            labeled_tensor.tensor, [before.index(axis) for axis in order], name=scope
        )
        return LabeledTensor(permuted, [labeled_tensor.axes[axis] for axis in order])


@export("contrib.labeled_tensor.expand_dims")
def expand_dims(
    labeled_tensor: LabeledTensor, axes: Sequence[Any], name: str | None = None
) -> LabeledTensor:
    """Inserts axes of size 1.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: all axes of the result in order: names, or pairs of a new name and its label.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_expand_dims", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        names = [axis if isinstance(axis, str) else axis[0] for axis in axes]
        check_axis_order(labeled_tensor, names)
        result, sizes = [], []
        for axis, axis_name in zip(axes, names, strict=True):
            if axis_name in labeled_tensor.axes:
                old = labeled_tensor.axes[axis_name]
                place = list(labeled_tensor.axes).index(axis_name)
                size = shape_of(labeled_tensor.tensor)[place] if old.size is None else old.size
                sizes.append(size)
                result.append(old)
            else:
                sizes.append(1)
                result.append(Axis(axis_name, 1 if isinstance(axis, str) else [axis[1]]))
        static = [size if isinstance(size, int) else None for size in sizes]
        expanded = reshape(labeled_tensor.tensor, sizes, name=scope)
        expanded.set_shape(static)
        return LabeledTensor(expanded, result)


def applied(
    op_name: str,
    elementwise_function: Callable[..., Tensor],
    labeled_tensor: Any,
    name: str | None = None,
) -> LabeledTensor:
    """Applies a function to the elements of a tensor.

    Args:
        op_name: the name of the function.
        elementwise_function: a function of a tensor.
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, f"lt_{op_name}", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(
            elementwise_function(labeled_tensor.tensor, name=scope), labeled_tensor.axes
        )


def applied_to_both(
    op_name: str,
    elementwise_function: Callable[..., Tensor],
    labeled_tensor_0: Any,
    labeled_tensor_1: Any,
    name: str | None = None,
) -> LabeledTensor:
    """Applies a function to the elements of two tensors, which are aligned by name.

    Args:
        op_name: the name of the function.
        elementwise_function: a function of two tensors that broadcasts.
        labeled_tensor_0: a LabeledTensor or a scalar.
        labeled_tensor_1: another one.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    for value in (labeled_tensor_0, labeled_tensor_1):
        _check_convertible(value, op_name)
    with name_scope(name, f"lt_{op_name}", [labeled_tensor_0, labeled_tensor_1]) as scope:
        first, second, axes = align(labeled_tensor_0, labeled_tensor_1)
        return LabeledTensor(elementwise_function(first.tensor, second.tensor, name=scope), axes)


@export("contrib.labeled_tensor.define_unary_op")
def define_unary_op(
    op_name: str, elementwise_function: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes a function of labeled tensors of one of elements.

    Args:
        op_name: the name of the function.
        elementwise_function: a function of a tensor.

    Returns:
        A function of a LabeledTensor and a name.
    """

    def op(labeled_tensor: LabeledTensor, name: str | None = None) -> LabeledTensor:
        return applied(op_name, elementwise_function, labeled_tensor, name)

    op.__name__ = op_name
    op.__doc__ = f"Applies `tf.{op_name}` to the elements of a LabeledTensor."
    return op


@export("contrib.labeled_tensor.define_binary_op")
def define_binary_op(
    op_name: str, elementwise_function: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes a function of two labeled tensors of one that broadcasts.

    Args:
        op_name: the name of the function.
        elementwise_function: a function of two tensors.

    Returns:
        A function of two LabeledTensors, which are aligned by name, and a name.
    """

    def op(
        labeled_tensor_0: LabeledTensor,
        labeled_tensor_1: LabeledTensor,
        name: str | None = None,
    ) -> LabeledTensor:
        return applied_to_both(
            op_name, elementwise_function, labeled_tensor_0, labeled_tensor_1, name
        )

    op.__name__ = op_name
    op.__doc__ = f"Applies `tf.{op_name}` to the elements of two LabeledTensors, aligned by name."
    return op
