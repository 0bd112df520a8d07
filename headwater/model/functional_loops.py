"""Functions applied along the first axis of tensors: map_fn, foldl, foldr, scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.dimension import Dimension
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import InitializerLike, NestedTensors, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.variables.variable_scope import get_variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop

if TYPE_CHECKING:
    from headwater.model.defun import DefinedFunction
    from headwater.model.ragged.tensor import RaggedTensor


@contextmanager
def _cached_variables() -> Iterator[None]:
    """Variables that the function makes are read on the device of their ops."""
    scope = get_variable_scope()
    unset = scope.caching_device is None
    if unset:
        scope.set_caching_device(lambda op: op.device)
    yield
    if unset:
        scope.set_caching_device(None)


def _array(
    dtype: NestedTensors,
    size: TensorLike,
    infer_shape: bool = True,
    element_shape: TensorShape | None = None,
) -> TensorArray:
    return TensorArray(
        dtype=dtype,
        size=size,
        dynamic_size=False,
        infer_shape=infer_shape,
        element_shape=element_shape,
    )


def _length(x: TensorLike) -> Tensor | float:
    known = x.shape[0].value if x.shape.ndims is not None else None
    return known or shape_tensor(x)[0]


def _check_function(fn: DefinedFunction | Callable[..., Any] | int) -> None:
    if not callable(fn):
        raise TypeError("fn must be callable.")


def _set_length(results: list[Any], elems: list[Any]) -> None:
    """Puts the known number of elements into the shapes of the results."""
    length = Dimension(elems[0].get_shape().with_rank_at_least(1)[0].value)
    for elem in elems[1:]:
        length.merge_with(elem.get_shape().with_rank_at_least(1)[0])
    for result in results:
        rest = result.get_shape()[1:]
        result.set_shape(TensorShape([length]).concatenate(rest))


@export("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: NestedTensors,
    dtype: NestedTensors | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> NestedTensors:
    """Applies a function to each slice along the first axis.

    Args:
        fn: a function of one element, which has the structure of `elems`.
        elems: a tensor, or a structure of tensors of the same first dimension.
        dtype: the type of the results, or a structure of types; that of `elems` if None.
        parallel_iterations: the number of calls that may run at the same time; 10 by default.
        back_prop: whether gradients can be taken.
        swap_memory: accepted; memory is managed by the engine.
        infer_shape: whether all results have the same shape.
        name: the name scope.

    Returns:
        Tensors of the results, stacked, in the structure of `dtype`.

    Raises:
        TypeError: if `fn` is not a function, or its results have another structure than `dtype`.
        ValueError: if an element is a scalar.

    Example:
        >>> print(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).eval())
        [1 4 9]
    """
    _check_function(fn)
    if isinstance(elems, SparseTensor):
        raise TypeError(
            "To perform a map on the values of a sparse tensor use either  "
            "SparseTensor(input.indices, fn(input.values), input.dense_shape) or  "
            "SparseTensor(input.indices, map_fn(fn, input.values), input.dense_shape)"
        )
    flat = nest.flatten(elems)
    if not flat:
        raise IndexError("list index out of range\nHint: elems has no tensor")
    with name_scope(name, "map", flat), _cached_variables():
        flat = [convert_to_tensor(elem, name="elem") for elem in flat]
        types = dtype or nest.pack_sequence_as(elems, [elem.dtype for elem in flat])
        shape = flat[0].shape
        if shape.ndims is not None and shape.ndims < 1:
            raise ValueError(
                "elems must be a 1+ dimensional Tensor, not a scalar"
                if len(flat) == 1
                else "elements in elems must be 1+ dimensional Tensors, not scalars"
            )
        n = _length(flat[0])
        sources = [_array(elem.dtype, n) for elem in flat]
        sources = [a.unstack(elem) for a, elem in zip(sources, flat, strict=True)]
        i = constant(0)
        targets = [_array(one, n, infer_shape) for one in nest.flatten(types)]

        def compute(i: Tensor, arrays: Sequence[TensorArray]) -> tuple[NestedTensors, ...]:
            values = fn(nest.pack_sequence_as(elems, [a.read(i) for a in sources]))
            nest.assert_same_structure(types, values)
            written = [a.write(i, v) for a, v in zip(arrays, nest.flatten(values), strict=True)]
            return i + 1, written

        _, arrays = while_loop(
            lambda i, _: i < n,
            compute,
            (i, targets),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=n,
        )
        results = [a.stack() for a in arrays]
        _set_length(results, flat)
        return nest.pack_sequence_as(types, results)


def _fold(
    fn: Callable[..., Any],
    elems: RaggedTensor | TensorLike,
    initializer: InitializerLike | None,
    parallel_iterations: int,
    back_prop: bool,
    swap_memory: bool,
    name: str | None,
    default_name: str,
    backwards: bool,
) -> NestedTensors:
    _check_function(fn)
    with name_scope(name, default_name, [elems]), _cached_variables():
        flat = [convert_to_tensor(elem, name="elem") for elem in nest.flatten(elems)]
        n = _length(flat[0])
        arrays = nest.pack_sequence_as(elems, [_array(x.dtype, n).unstack(x) for x in flat])

        def read(index: TensorLike) -> NestedTensors:
            return nest.map_structure(lambda a: a.read(index), arrays)

        if backwards:
            i, accumulated = n, initializer
            if initializer is None:
                i = n - 1
                accumulated = read(i)
        else:
            accumulated = read(0) if initializer is None else initializer
            i = constant(1 if initializer is None else 0)

        def forth(i: Tensor, accumulated: NestedTensors) -> list[NestedTensors]:
            accumulated = fn(accumulated, read(i))
            return [i + 1, accumulated]

        def back(i: Tensor, accumulated: Tensor) -> list[Tensor]:
            i -= 1
            return [i, fn(accumulated, read(i))]

        _, result = while_loop(
            (lambda i, _: i > 0) if backwards else (lambda i, _: i < n),
            back if backwards else forth,
            [i, accumulated],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=n,
        )
        return result


@export("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: RaggedTensor | TensorLike,
    initializer: InitializerLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> NestedTensors:
    """Combines the slices along the first axis, from the first to the last.

    Args:
        fn: a function (accumulated, element) -> accumulated.
        elems: a tensor, or a structure of tensors of the same first dimension.
        initializer: the first accumulated value; the first element if None.
        parallel_iterations: the number of calls that may run at the same time.
        back_prop: whether gradients can be taken.
        swap_memory: accepted; memory is managed by the engine.
        name: the name scope.

    Returns:
        The last accumulated value.

    Raises:
        TypeError: if `fn` is not a function.
    """
    return _fold(
        fn,
        elems,
        initializer,
        parallel_iterations,
        back_prop,
        swap_memory,
        name,
        "foldl",
        backwards=False,
    )


@export("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: InitializerLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the slices along the first axis, from the last to the first.

    Args:
        fn: a function (accumulated, element) -> accumulated.
        elems: a tensor, or a structure of tensors of the same first dimension.
        initializer: the first accumulated value; the last element if None.
        parallel_iterations: the number of calls that may run at the same time.
        back_prop: whether gradients can be taken.
        swap_memory: accepted; memory is managed by the engine.
        name: the name scope.

    Returns:
        The last accumulated value.

    Raises:
        TypeError: if `fn` is not a function.
    """
    return _fold(
        fn,
        elems,
        initializer,
        parallel_iterations,
        back_prop,
        swap_memory,
        name,
        "foldr",
        backwards=True,
    )


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: NestedTensors,
    initializer: InitializerLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> NestedTensors:
    """Combines the slices along the first axis one by one, and keeps all accumulated values.

    Args:
        fn: a function (accumulated, element) -> accumulated.
        elems: a tensor, or a structure of tensors of the same first dimension.
        initializer: the first accumulated value, which has the structure of the results; the
            first element if None.
        parallel_iterations: the number of calls that may run at the same time.
        back_prop: whether gradients can be taken.
        swap_memory: accepted; memory is managed by the engine.
        infer_shape: whether all accumulated values have the same shape.
        reverse: whether it goes from the last element to the first.
        name: the name scope.

    Returns:
        Tensors of the accumulated values, stacked.

    Raises:
        TypeError: if `fn` is not a function, or its results have another structure.
        ValueError: if the first dimensions differ.
    """
    _check_function(fn)
    flat = nest.flatten(elems)
    with name_scope(name, "scan", flat), _cached_variables():
        flat = [convert_to_tensor(elem, name="elem") for elem in flat]
        n = _length(flat[0])
        sources = [_array(elem.dtype, n, element_shape=elem.shape[1:]) for elem in flat]
        sources = [a.unstack(elem) for a, elem in zip(sources, flat, strict=True)]
        structure = elems if initializer is None else initializer
        if initializer is None:
            start = [a.read(n - 1 if reverse else 0) for a in sources]
            i = 1
        else:
            start = [convert_to_tensor(x) for x in nest.flatten(initializer)]
            i = 0
        targets = [
            TensorArray(
                dtype=x.dtype,
                size=n,
                element_shape=x.shape if infer_shape else None,
                dynamic_size=False,
                infer_shape=infer_shape,
            )
            for x in start
        ]
        if initializer is None:
            first = n - 1 if reverse else 0
            targets = [a.write(first, x) for a, x in zip(targets, start, strict=True)]

        def compute(
            i: Tensor, accumulated: Sequence[Tensor], arrays: Sequence[TensorArray]
        ) -> tuple[NestedTensors, ...]:
            element = nest.pack_sequence_as(elems, [a.read(i) for a in sources])
            before = nest.pack_sequence_as(structure, accumulated)
            after = fn(before, element)
            nest.assert_same_structure(structure, after)
            values = nest.flatten(after)
            written = [a.write(i, x) for a, x in zip(arrays, values, strict=True)]
            return (i - 1 if reverse else i + 1), values, written

        position: Tensor | float = n - 1 - i if reverse else i
        _, _, arrays = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < n),
            compute,
            (position, start, targets),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=n,
        )
        results = [a.stack() for a in arrays]
        _set_length(results, flat)
        return nest.pack_sequence_as(structure, results)
