"""Labeled constants, reductions, functions over the first axis, and batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.contrib.labeled_tensor.axes import Axes, Axis
from headwater.contrib.labeled_tensor.core import LabeledTensor, convert_to_labeled_tensor
from headwater.contrib.labeled_tensor.ops import pack, unpack
from headwater.data.input_queues.batches import batch as batch_tensors
from headwater.data.input_queues.shuffled_batches import shuffle_batch as shuffle_batch_tensors
from headwater.graph import Tensor, build, name_scope
from headwater.model.functional_loops import foldl as foldl_tensors
from headwater.ops.array.check_numerics import verify_tensor_all_finite as verify_all_finite
from headwater.ops.array.constant import constant as constant_tensor
from headwater.ops.array.fill import ones_like as ones_like_tensor
from headwater.ops.array.fill import zeros_like as zeros_like_tensor
from headwater.ops.array.reshape import squeeze as squeeze_tensor
from headwater.ops.math.cast import cast as cast_tensor
from headwater.ops.math.reduce_functions import (
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)


@export("contrib.labeled_tensor.constant")
def constant(
    value: Any, dtype: DTypeLike | None = None, axes: Any = None, name: str | None = None
) -> LabeledTensor:
    """Makes a constant.

    Args:
        value: the value.
        dtype: the type.
        axes: its axes, all of known size; none by default.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_constant", [value]) as scope:
        given = Axes([] if axes is None else axes)
        sizes = [axis.size for axis in given.values()]
        values = constant_tensor(value, dtype=dtype, shape=sizes, name=scope, verify_shape=True)
        return LabeledTensor(values, given)


@export("contrib.labeled_tensor.zeros_like")
def zeros_like(
    labeled_tensor: LabeledTensor, dtype: DTypeLike | None = None, name: str | None = None
) -> LabeledTensor:
    """Makes zeros with the axes of a tensor.

    Args:
        labeled_tensor: a LabeledTensor.
        dtype: the type.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_zeros_like", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        zeros = zeros_like_tensor(labeled_tensor.tensor, dtype=dtype, name=scope)
        return LabeledTensor(zeros, labeled_tensor.axes)


@export("contrib.labeled_tensor.ones_like")
def ones_like(
    labeled_tensor: LabeledTensor, dtype: DTypeLike | None = None, name: str | None = None
) -> LabeledTensor:
    """Makes ones with the axes of a tensor.

    Args:
        labeled_tensor: a LabeledTensor.
        dtype: the type.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_ones_like", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        ones = ones_like_tensor(labeled_tensor.tensor, dtype=dtype, name=scope)
        return LabeledTensor(ones, labeled_tensor.axes)


@export("contrib.labeled_tensor.cast")
def cast(
    labeled_tensor: LabeledTensor, dtype: DTypeLike | None = None, name: str | None = None
) -> LabeledTensor:
    """Casts the elements.

    Args:
        labeled_tensor: a LabeledTensor.
        dtype: the type.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_cast", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        values = cast_tensor(labeled_tensor.tensor, dtype, name=scope)
        return LabeledTensor(values, labeled_tensor.axes)


@export("contrib.labeled_tensor.verify_tensor_all_finite")
def verify_tensor_all_finite(
    labeled_tensor: LabeledTensor, message: str, name: str | None = None
) -> LabeledTensor:
    """Checks that there are neither infinities nor NaN.

    Args:
        labeled_tensor: a LabeledTensor.
        message: the text of the error.
        name: the name of the result.

    Returns:
        The same tensor, after the check.
    """
    with name_scope(name, "lt_verify_tensor_all_finite", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        values = verify_all_finite(labeled_tensor.tensor, msg=message, name=scope)
        return LabeledTensor(values, labeled_tensor.axes)


@export("contrib.labeled_tensor.where")
def where(
    condition: LabeledTensor, x: LabeledTensor, y: LabeledTensor, name: str | None = None
) -> LabeledTensor:
    """Takes elements of one of two tensors.

    Args:
        condition: booleans.
        x: where the condition is true.
        y: where it is false; all three with equal axes.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_where", [condition, x, y]) as scope:
        condition, x, y = (convert_to_labeled_tensor(tensor) for tensor in (condition, x, y))
        if not condition.axes == x.axes == y.axes:
            raise ValueError("all inputs to `where` must have equal axes")
        return LabeledTensor(build.Select(condition.tensor, x.tensor, y.tensor, name=scope), x.axes)


def reduced(
    op_name: str,
    reduce_fn: Callable[..., Tensor],
    labeled_tensor: Any,
    axes: Any = None,
    name: str | None = None,
) -> LabeledTensor:
    """Applies a reduction along axes.

    Args:
        op_name: the name of the function.
        reduce_fn: a function of a tensor and its axes.
        labeled_tensor: a LabeledTensor.
        axes: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, f"lt_{op_name}", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        labels = _reduced_axes(labeled_tensor, axes)
        places = [place for place, axis in enumerate(labeled_tensor.axes) if axis in labels]
        values = reduce_fn(labeled_tensor.tensor, places, keepdims=True)
        kept, removed = [], []
        for place, axis in enumerate(labeled_tensor.axes.values()):
            if axis.name not in labels:
                kept.append(axis)
            elif labels[axis.name] is not None:
                kept.append(Axis(axis.name, [labels[axis.name]]))
            else:
                removed.append(place)
        if removed:
            values = squeeze_tensor(values, removed, name=scope)
        else:
            values = build.Identity(values, name=scope)
        return LabeledTensor(values, kept)


@export("contrib.labeled_tensor.define_reduce_op")
def define_reduce_op(
    op_name: str, reduce_fn: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes a reduction of labeled tensors of one of tensors.

    Args:
        op_name: the name of the function.
        reduce_fn: a function of a tensor and its axes.

    Returns:
        A function of a LabeledTensor, axes and a name.
    """

    def op(
        labeled_tensor: LabeledTensor, axes: Any = None, name: str | None = None
    ) -> LabeledTensor:
        return reduced(op_name, reduce_fn, labeled_tensor, axes, name)

    op.__name__ = op_name
    op.__doc__ = f"Applies `tf.{op_name}` along axes: names, or pairs of name and new label."
    return op


def _reduced_axes(labeled_tensor: LabeledTensor, axes: Any) -> dict[str, Any]:
    """The labels of axes that are reduced, None for those that vanish."""
    if axes is None:
        axes = list(labeled_tensor.axes)
    if isinstance(axes, (str, tuple)):
        axes = [axes]
    labels: dict[str, Any] = {}
    for axis in axes:
        axis_name, label = axis if isinstance(axis, tuple) else (axis, None)
        if axis_name not in labeled_tensor.axes:
            raise ValueError(f"Axis {axis_name} not in axes {labeled_tensor.axes!r}")
        labels[axis_name] = label
    return labels


@export("contrib.labeled_tensor.reduce_all")
def labeled_all(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Tells whether all elements along axes are true.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_all", reduce_all, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_any")
def labeled_any(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Tells whether any element along axes is true.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_any", reduce_any, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_logsumexp")
def labeled_logsumexp(
    labeled_tensor: Any, axes: Any = None, name: str | None = None
) -> LabeledTensor:
    """Takes the logarithm of the sum of the exponentials along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_logsumexp", reduce_logsumexp, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_max")
def labeled_max(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Takes the maximum along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_max", reduce_max, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_mean")
def labeled_mean(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Takes the mean along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_mean", reduce_mean, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_min")
def labeled_min(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Takes the minimum along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_min", reduce_min, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_prod")
def labeled_prod(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Takes the product along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_prod", reduce_prod, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.reduce_sum")
def labeled_sum(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
    """Takes the sum along axes.

    Args:
        labeled_tensor: a LabeledTensor.
        axes: the axes that are reduced: names, or pairs of a name and a new label; all by default.
        name: the name of the result.

    Returns:
        A LabeledTensor without these axes, but for those that have a new label.
    """
    return reduced("reduce_sum", reduce_sum, labeled_tensor, axes, name)


@export("contrib.labeled_tensor.map_fn")
def map_fn(
    fn: Callable[[LabeledTensor], LabeledTensor],
    labeled_tensor: LabeledTensor,
    name: str | None = None,
) -> LabeledTensor:
    """Applies a function to the parts along the first axis.

    Args:
        fn: a function of a LabeledTensor.
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_map_fn", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        results = [fn(part) for part in unpack(labeled_tensor)]
        first = next(iter(labeled_tensor.axes.values()))
        joined = pack(results, (first.name, first.value))
        return LabeledTensor(build.Identity(joined.tensor, name=scope), joined.axes)


@export("contrib.labeled_tensor.foldl")
def foldl(
    fn: Callable[[LabeledTensor, LabeledTensor], LabeledTensor],
    labeled_tensor: LabeledTensor,
    initial_value: LabeledTensor,
    name: str | None = None,
) -> LabeledTensor:
    """Folds the parts along the first axis, from the first to the last.

    Args:
        fn: a function of the value so far and the next part.
        labeled_tensor: a LabeledTensor.
        initial_value: the value before the first part.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of the initial value.
    """
    with name_scope(name, "lt_foldl", [labeled_tensor, initial_value]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        initial_value = convert_to_labeled_tensor(initial_value)
        (first, *_) = labeled_tensor.axes
        part_axes = labeled_tensor.axes.remove(first)

        def fold(value: Tensor, part: Tensor) -> Tensor:
            return fn(
                LabeledTensor(value, initial_value.axes), LabeledTensor(part, part_axes)
            ).tensor

        folded = foldl_tensors(fold, labeled_tensor.tensor, initializer=initial_value.tensor)
        return LabeledTensor(build.Identity(folded, name=scope), initial_value.axes)


def _batched(
    default_name: str,
    function: Callable[..., Any],
    labeled_tensors: Sequence[LabeledTensor],
    batch_size: int,
    enqueue_many: bool,
    allow_smaller_final_batch: bool,
    name: str | None,
) -> list[LabeledTensor]:
    with name_scope(name, default_name, labeled_tensors) as scope:
        tensors = [convert_to_labeled_tensor(tensor) for tensor in labeled_tensors]
        values = function([tensor.tensor for tensor in tensors], scope)
        # One tensor alone comes back without a list.
        values = values if isinstance(values, (list, tuple)) else [values]
        size = None if allow_smaller_final_batch else batch_size
        axes = []
        for tensor in tensors:
            old = list(tensor.axes.values())
            if enqueue_many:
                if not old or old[0].name != "batch":
                    raise ValueError(
                        "When enqueue_many is True, input tensors must have an axis called "
                        f'"batch" as their first dimension, but axes were {tensor.axes!r}'
                    )
                old = old[1:]
            axes.append([Axis("batch", size), *old])
        return [LabeledTensor(value, own) for value, own in zip(values, axes, strict=True)]


@export("contrib.labeled_tensor.batch")
def batch(
    labeled_tensors: Sequence[LabeledTensor],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Makes batches with a queue; see `tf.train.batch`.

    Args:
        labeled_tensors: tensors.
        batch_size: the size of a batch.
        num_threads: the number of threads that enqueue.
        capacity: the capacity of the queue.
        enqueue_many: whether the tensors have an axis "batch".
        allow_smaller_final_batch: whether the last batch may be smaller.
        name: the name of the results.

    Returns:
        LabeledTensors with an axis "batch" first.
    """

    def run(tensors: list[Tensor], scope: str | None) -> Any:
        return batch_tensors(
            tensors,
            batch_size=batch_size,
            num_threads=num_threads,
            capacity=capacity,
            enqueue_many=enqueue_many,
            allow_smaller_final_batch=allow_smaller_final_batch,
            name=scope,
        )

    return _batched(
        "lt_batch", run, labeled_tensors, batch_size, enqueue_many, allow_smaller_final_batch, name
    )


@export("contrib.labeled_tensor.shuffle_batch")
def shuffle_batch(
    labeled_tensors: Sequence[LabeledTensor],
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    min_after_dequeue: int = 0,
    seed: int | None = None,
    allow_smaller_final_batch: bool = False,
    name: str | None = None,
) -> list[LabeledTensor]:
    """Makes batches in random order with a queue; see `tf.train.shuffle_batch`.

    Args:
        labeled_tensors: tensors.
        batch_size: the size of a batch.
        num_threads: the number of threads that enqueue.
        capacity: the capacity of the queue.
        enqueue_many: whether the tensors have an axis "batch".
        min_after_dequeue: how many elements stay in the queue, at least.
        seed: the seed.
        allow_smaller_final_batch: whether the last batch may be smaller.
        name: the name of the results.

    Returns:
        LabeledTensors with an axis "batch" first.
    """

    def run(tensors: list[Tensor], scope: str | None) -> Any:
        return shuffle_batch_tensors(
            tensors,
            batch_size=batch_size,
            num_threads=num_threads,
            capacity=capacity,
            enqueue_many=enqueue_many,
            min_after_dequeue=min_after_dequeue,
            seed=seed,
            allow_smaller_final_batch=allow_smaller_final_batch,
            name=scope,
        )

    return _batched(
        "lt_shuffle_batch",
        run,
        labeled_tensors,
        batch_size,
        enqueue_many,
        allow_smaller_final_batch,
        name,
    )
