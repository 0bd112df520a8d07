"""Batches of randomly chosen examples: rejection sampling, and classes at wanted frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.input_queues.batches import batch, maybe_batch
from headwater.graph import Operation, Tensor, convert_to_tensor, name_scope
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.convert import convert_n_to_tensor
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.control.print import print_
from headwater.ops.control.type_checks import assert_integer
from headwater.ops.control.value_checks import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, is_nan, less, not_equal
from headwater.ops.math.logical import logical_or
from headwater.ops.math.reduce_functions import reduce_all, reduce_max, reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.random.uniform import random_uniform
from headwater.ops.state.assign import assign_add

_Examples = Sequence[TensorLike]


@export("contrib.training.rejection_sample")
def rejection_sample(
    tensors: _Examples,
    accept_prob_fn: Callable[[list[Tensor]], Tensor],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Tensor]:
    """Makes batches of examples, each of which is accepted with a probability of its own.

    Args:
        tensors: the tensors of an example.
        accept_prob_fn: a function from these tensors to the probability, a scalar.
        batch_size: how many accepted examples make a batch.
        queue_threads: how many threads evaluate examples.
        enqueue_many: whether `tensors` is a batch of examples already.
        prebatch_capacity: how many examples of such a batch the queue before the choice holds.
        prebatch_threads: how many threads fill that queue.
        runtime_checks: whether the probability is checked to be in [0, 1].
        name: the name scope.

    Returns:
        The batches, one per tensor.

    Raises:
        ValueError: if the probability is not a scalar.

    Example:
        >>> examples = tf.contrib.training.rejection_sample(
        ...     [tf.random_uniform([])], lambda tensors: tensors[0], batch_size=4)
        >>> print(examples[0].shape)
        (4,)
    """
    with name_scope(name, "rejection_sample", list(tensors)):
        examples = convert_n_to_tensor(tensors)
        if enqueue_many:
            examples = _single_examples(examples, prebatch_threads, prebatch_capacity)
        probability = accept_prob_fn(examples)
        probability.get_shape().assert_has_rank(0)
        if runtime_checks:
            checks = [assert_less_equal(0.0, probability), assert_less_equal(probability, 1.0)]
            probability = identity(with_dependencies(checks, probability), name="prob_with_checks")
        accepted = less(random_uniform([]), probability)
        return _as_list(maybe_batch(examples, accepted, batch_size, num_threads=queue_threads))


def _single_examples(examples: list[Tensor], threads: int, capacity: int) -> list[Tensor]:
    rows = batch(examples, 1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [squeeze(row, [0]) for row in _as_list(rows)]


def _as_list(tensors: Any) -> list[Tensor]:
    """What `batch` returns, as a list: it returns the tensor itself if there is only one."""
    return tensors if isinstance(tensors, list) else [tensors]


@export("contrib.training.stratified_sample")
def stratified_sample(
    tensors: _Examples,
    labels: TensorLike,
    target_probs: TensorLike,
    batch_size: int,
    init_probs: TensorLike | None = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Makes batches in which the classes have wanted frequencies, by rejection.

    Args:
        tensors: the tensors of an example.
        labels: the class of the example, an integer scalar; [n] if `enqueue_many`.
        target_probs: the wanted frequencies [classes]; they add up to 1.
        batch_size: how many examples make a batch.
        init_probs: the frequencies of the classes in the examples; None to count them.
        enqueue_many: whether `tensors` and `labels` are batches already.
        queue_capacity: how many examples the queue before the choice holds.
        threads_per_queue: how many threads fill each queue.
        name: the name scope.

    Returns:
        A pair: the batches, one per tensor, and their labels.

    Raises:
        ValueError: if shapes are not compatible.
        InvalidArgumentError: if a known probability is negative.
    """
    with name_scope(name, "stratified_sample", [*tensors, labels]):
        examples = convert_n_to_tensor(tensors)
        labels = convert_to_tensor(labels)
        target = convert_to_tensor(target_probs, dtype=dtypes.float32)
        if not enqueue_many:
            examples = [expand_dims(example, 0) for example in examples]
            labels = expand_dims(labels, 0)
        if init_probs is None:
            init = _estimated_probabilities(labels, target)
        else:
            init = convert_to_tensor(init_probs, dtype=dtypes.float32)
        checked_examples, labels, init, target = _checked(examples, labels, init, target)
        accept = _acceptance(init, target)
        rows = batch(
            [*checked_examples, labels],
            1,
            num_threads=threads_per_queue,
            capacity=queue_capacity,
            enqueue_many=True,
        )
        *singles, label = [squeeze(row, [0]) for row in rows]
        probability = gather(accept, label)
        accepted = less(random_uniform([]), probability)
        batches = maybe_batch(
            [*singles, label], accepted, batch_size, num_threads=threads_per_queue
        )
        return batches[:-1], batches[-1]


def _estimated_probabilities(labels: Tensor, target: Tensor) -> Tensor:
    """How often the classes were seen, counted from one each."""
    target.get_shape().assert_is_fully_defined()
    classes = target.get_shape().num_elements() or 0
    counts = Variable([0] * classes, trainable=False, name="class_count", dtype=dtypes.int64)
    seen = reduce_sum(one_hot(labels, classes, dtype=dtypes.int64), axis=0)
    total = assign_add(counts, seen) + 1
    return cast(total / reduce_sum(total), dtypes.float32)


def _checked(
    examples: list[Tensor], labels: Tensor, init: Tensor, target: Tensor
) -> tuple[list[Tensor], Tensor, Tensor, Tensor]:
    """The same tensors after checks of their shapes and values."""
    for probabilities in (init, target):
        probabilities.get_shape().assert_has_rank(1)
        probabilities.get_shape().assert_is_fully_defined()
    if not target.get_shape().is_compatible_with(init.get_shape()):
        raise ValueError("Probability parameters must have the same length.")
    init = with_dependencies(_sum_checks(init), init)
    target = with_dependencies(_sum_checks(target), target)
    count = shape(labels)[0]
    positive = assert_positive(count)
    labels = with_dependencies([positive], labels)
    examples = [_with_rows(example, labels, count, positive) for example in examples]
    classes = target.get_shape().num_elements()
    checks = [
        assert_integer(labels),
        assert_non_negative(labels),
        assert_less(labels, cast(classes, labels.dtype)),
    ]
    return examples, with_dependencies(checks, labels), init, target


def _with_rows(example: Tensor, labels: Tensor, count: Tensor, positive: Operation) -> Tensor:
    rows = example.get_shape()
    if rows.ndims is not None:
        rows[0].assert_is_compatible_with(labels.get_shape()[0])
    return with_dependencies([positive, assert_equal(shape(example)[0], count)], example)


def _sum_checks(probabilities: Tensor) -> list[Any]:
    """Checks that they are not negative and that they add up to 1 within 0.01."""
    total = reduce_sum(probabilities)
    return [
        assert_non_negative(probabilities),
        assert_less(total, 1.01),
        assert_less(0.99, total),
    ]


def _acceptance(init: Tensor, target: Tensor) -> Tensor:
    """With which probability an example of each class is accepted: target / init, at most 1.

    A warning is printed where most examples are rejected.
    """
    possible = reduce_all(logical_or(not_equal(init, 0), equal(target, 0)))
    check = assert_(
        possible,
        ["There is one or more classes with target probability greater than 0 but no chance of "
         "being sampled: ", init, target],
    )  # fmt: skip
    init = with_dependencies([check], init)
    ratio = target / init
    ratio = where_v2(is_nan(ratio), zeros_like(ratio), ratio)
    accept = ratio / reduce_max(ratio)
    rejected = reduce_sum((1.0 - accept) * init)
    return cond(
        less(rejected, 0.5),
        lambda: accept,
        lambda: print_(accept, [accept], message="Proportion of examples rejected by sampler is "
                                                "high.", first_n=10),
    )  # fmt: skip
