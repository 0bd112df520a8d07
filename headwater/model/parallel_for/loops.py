"""`vectorized_map`, `pfor` and `for_loop`: a function of each element, or of each index."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.dtypes import float32
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    get_default_graph,
    name_scope,
    shape_tensor,
)
from headwater.model.parallel_for.converter import Converter, NotConvertible
from headwater.ops.array.constant import constant
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop


def for_loop(
    loop_fn: Callable[[Tensor], Any],
    loop_fn_dtypes: Any,
    iters: TensorLike,
    parallel_iterations: int | None = None,
) -> Any:
    """Runs a function for each index, one after the other, and stacks the results.

    Args:
        loop_fn: a function of an int32 scalar; None among its results stays None.
        loop_fn_dtypes: the types of its results, in their structure.
        iters: the number of iterations.
        parallel_iterations: how many may run at the same time.

    Returns:
        The stacked results, in the structure of the types.
    """
    types = nest.flatten(loop_fn_dtypes)
    missing: set[int] = set()

    def step(i: Tensor, *arrays: TensorArray) -> Any:
        results = nest.flatten(loop_fn(i))
        if len(results) != len(types):
            raise ValueError(
                f"Number of expected outputs, {len(types)}, does not match the number of actual "
                f"outputs, {len(results)}, from loop_fn"
            )
        missing.update(number for number, value in enumerate(results) if value is None)
        written = [
            array if value is None else array.write(i, build.ExpandDims(value, 0))
            for array, value in zip(arrays, results)
        ]
        return (i + 1, *written)

    arrays = [TensorArray(dtype=each, size=iters, dynamic_size=False) for each in types]
    _, *arrays = while_loop(
        lambda i, *_: i < iters,
        step,
        (constant(0), *arrays),
        parallel_iterations=10 if parallel_iterations is None else parallel_iterations,
    )
    # `concat` rather than `stack`: it knows the shape of no element where there is none.
    stacked = [None if number in missing else array.concat() for number, array in enumerate(arrays)]
    return nest.pack_sequence_as(loop_fn_dtypes, stacked)


class PForConfig:
    """What a function of `pfor` may ask for values of all iterations."""

    def __init__(self) -> None:
        self._reductions: dict[Tensor, tuple[Tensor, Callable[[Tensor], Tensor]]] = {}

    def reduction(self, tensor: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]] | None:
        """The reduced tensor and the reduction behind a placeholder, or None."""
        return self._reductions.get(tensor)

    def _reduced(self, x: TensorLike, shape: Any, reduce: Callable[[Tensor], Tensor]) -> Tensor:
        x = convert_to_tensor(x)
        result = build.Placeholder(dtype=x.dtype, shape=shape(x.shape))
        self._reductions[result] = x, reduce
        return result

    def reduce_concat(self, x: TensorLike) -> Tensor:
        """The values of all iterations, stacked.

        Args:
            x: a tensor of one iteration.
        """
        return self._reduced(x, lambda shape: [None, *shape.as_list()], lambda stacked: stacked)

    def reduce_sum(self, x: TensorLike) -> Tensor:
        """The sum over all iterations.

        Args:
            x: a tensor of one iteration.
        """
        return self._reduced(x, lambda s: s, lambda stacked: build.Sum(stacked, 0))

    def reduce_mean(self, x: TensorLike) -> Tensor:
        """The mean over all iterations.

        Args:
            x: a tensor of one iteration.
        """
        return self._reduced(x, lambda s: s, lambda stacked: build.Mean(stacked, 0))


def pfor(
    loop_fn: Callable[..., Any], iters: TensorLike, parallel_iterations: int | None = None
) -> Any:
    """Runs a function for each index, all indices together, and stacks the results.

    The ops of the function become ops of one axis more. An op without such a form runs for one
    index after the other; so does the whole function if it has loops or branches.

    Args:
        loop_fn: a function of an int32 scalar; it may have a second argument `pfor_config`.
        iters: the number of iterations.
        parallel_iterations: accepted; all iterations are computed together.

    Returns:
        The stacked results, in the structure of the function's; operations become one that runs
        all iterations.

    Raises:
        ValueError: if `parallel_iterations` is 1.
    """
    if parallel_iterations is not None:
        if parallel_iterations < 1:
            raise ValueError("parallel_iterations must be None or a positive integer")
        if parallel_iterations == 1:
            raise ValueError("Found parallel_iterations == 1. Use for_loop instead.")
    known = constant_value(convert_to_tensor(iters))
    count = iters if known is None else int(known)
    graph = get_default_graph()
    config = PForConfig()
    takes_config = "pfor_config" in inspect.signature(loop_fn).parameters
    before = len(graph.get_operations())
    with name_scope("loop_body"):
        index = build.PlaceholderWithDefault(0, shape=[])
        results = loop_fn(index, pfor_config=config) if takes_config else loop_fn(index)
        flat: list[Any] = [
            value if value is None or isinstance(value, Operation) else convert_to_tensor(value)
            for value in nest.flatten(results)
        ]
    body = graph.get_operations()[before:]
    with name_scope("pfor"):
        converter = Converter(index, count, body, config.reduction)
        try:
            stacked = [None if value is None else converter.stacked(value) for value in flat]
        except NotConvertible:
            if takes_config or any(isinstance(value, Operation) for value in flat):
                raise
            # The type of what stays None does not matter.
            types = [float32 if value is None else value.dtype for value in flat]
            stacked = for_loop(
                lambda i: nest.flatten(loop_fn(i)), types, count, parallel_iterations
            )
    return nest.pack_sequence_as(results, stacked)


@export("vectorized_map")
def vectorized_map(fn: Callable[[Any], Any], elems: NestedTensors) -> Any:
    """Applies a function to each slice along the first axis, to all slices together.

    Args:
        fn: a function of one element, which has the structure of `elems`.
        elems: a tensor, or a structure of tensors of the same first dimension.

    Returns:
        The stacked results, in the structure of the function's.

    Example:
        >>> print(tf.vectorized_map(lambda x: x * x, tf.constant([1, 2, 3])).eval())
        [1 4 9]
    """
    tensors = nest.map_structure(convert_to_tensor, elems)
    first = nest.flatten(tensors)[0]
    known = first.shape[0].value if first.shape.ndims else None
    count = shape_tensor(first)[0] if known is None else known

    def element(i: Tensor) -> Any:
        return fn(nest.map_structure(lambda x: build.GatherV2(x, i, 0), tensors))

    return pfor(element, count)
