"""Queues of the elements of a tensor: the first part of an input pipeline."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    size_tensor,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.queues.queue_base import QueueBase
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.model.variables.variable import Variable
from headwater.ops.array.gather import gather
from headwater.ops.array.shape import shape
from headwater.ops.control.assertion import assert_
from headwater.ops.files.matching_files import matching_files
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.random.shuffle import random_shuffle
from headwater.ops.summary.scalar import scalar
from headwater.train.queue_runner import QueueRunner, add_queue_runner

_NO_STRINGS = "string_input_producer requires a non-null input tensor"


@export("train.match_filenames_once", "io.match_filenames_once")
def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Any:
    """Looks for files that match patterns once, when local variables are initialized.

    Args:
        pattern: one pattern or several.
        name: the name of the variable.

    Returns:
        A local variable with the names.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            matching_files(pattern),
            trainable=False,
            name=scope,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


@export("train.limit_epochs", "train.input.limit_epochs")
def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Returns a tensor that can be evaluated `num_epochs` times, then raises OutOfRangeError.

    The counter is a local variable.

    Args:
        tensor: any tensor.
        num_epochs: how many times; None for any number.
        name: the name scope.

    Returns:
        A tensor of the same value.

    Raises:
        ValueError: if the number is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = constant_node(0, dtypes.int64)
        epochs = Variable(
            zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counter = _count_up_to(epochs, num_epochs)
        with control_dependencies([counter]):
            return build.Identity(convert_to_tensor(tensor), name=scope)


def _count_up_to(variable: Any, limit: int) -> Tensor:
    reference = variable.op.outputs[0]
    if reference.dtype == dtypes.resource:
        return build.ResourceCountUpTo(reference, limit=limit, T=dtypes.int64)
    return build.CountUpTo(reference, limit=limit)


@export("train.input_producer", "train.input.input_producer")
def input_producer(
    input_tensor: TensorLike,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Makes a queue of the rows of a tensor, with a queue runner that fills it.

    Args:
        input_tensor: a tensor of shape [n, ...].
        element_shape: the shape of a row, where it is not known.
        num_epochs: how many times all rows are produced; None for any number.
        shuffle: whether they are shuffled in each epoch.
        seed: a seed for that.
        capacity: how many rows the queue holds.
        shared_name: the name under which sessions share the queue.
        summary_name: the name of a summary of how full the queue is; None for no summary.
        name: the name scope.
        cancel_op: the op that closes the queue when a coordinator stops.

    Returns:
        The queue.

    Raises:
        ValueError: if the shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = tensor.get_shape()[1:].merge_with(TensorShape(element_shape))
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype],
            shapes=[row_shape],
            shared_name=shared_name,
            name=name,
        )
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


@export("train.string_input_producer", "train.input.string_input_producer")
def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Makes a queue of strings, such as file names, with a queue runner that fills it.

    Args:
        string_tensor: strings of shape [n].
        num_epochs: how many times all are produced; None for any number.
        shuffle: whether they are shuffled in each epoch.
        seed: a seed for that.
        capacity: how many strings the queue holds.
        shared_name: the name under which sessions share the queue.
        name: the name scope.
        cancel_op: the op that closes the queue when a coordinator stops.

    Returns:
        The queue.

    Raises:
        ValueError: if there are no strings; an evaluation raises InvalidArgumentError if that is
            only seen then.
    """
    if not isinstance(string_tensor, Tensor) and not string_tensor:
        raise ValueError(_NO_STRINGS)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        not_null = assert_(build.Greater(size_tensor(tensor), 0), [_NO_STRINGS])
        with control_dependencies([not_null]):
            tensor = build.Identity(tensor)
        return input_producer(
            input_tensor=tensor,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


@export("train.range_input_producer", "train.input.range_input_producer")
def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """Makes a queue of the integers from 0 to `limit` - 1, with a queue runner that fills it.

    Args:
        limit: an int32 scalar.
        num_epochs: how many times all are produced; None for any number.
        shuffle: whether they are shuffled in each epoch.
        seed: a seed for that.
        capacity: how many integers the queue holds.
        shared_name: the name under which sessions share the queue.
        name: the name scope.

    Returns:
        The queue.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range_(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


@export("train.slice_input_producer", "train.input.slice_input_producer")
def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Produces one row of each tensor at a time, by a queue of their numbers.

    Args:
        tensor_list: tensors with as many rows each.
        num_epochs: how many times all rows are produced; None for any number.
        shuffle: whether they are shuffled in each epoch.
        seed: a seed for that.
        capacity: how many numbers the queue holds.
        shared_name: the name under which sessions share the queue.
        name: the name scope.

    Returns:
        One tensor per tensor, without the first dimension.

    Raises:
        ValueError: if there are no tensors.
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = [t if isinstance(t, Tensor) else convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        count = shape(tensors[0])[0]
        queue = range_input_producer(
            count,
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [gather(t, index) for t in tensors]
