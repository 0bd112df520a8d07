"""Computations for TPUs, built as parts of the graph: each has one replica, on this device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.errors import UnimplementedError
from headwater.base.export import export
from headwater.graph import Operation, Tensor, control_dependencies, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.control import while_loop as loops
from headwater.ops.control.identity import identity, no_op
from headwater.ops.math.cast import cast

Computation = Callable[..., Any]


def _one_replica(count: int) -> None:
    if count != 1:
        raise UnimplementedError(
            None,
            None,
            f"A computation of {count} replicas needs {count} TPU cores, and there are none. "
            "Hint: one replica runs on this device.",
        )


def _built(computation: Computation, inputs: Sequence[Any]) -> Any:
    """The outputs of a computation as a list; a NoOp after its ops if it has only ops."""
    result = computation(*[identity(convert_to_tensor(value)) for value in inputs])
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    operations = [output for output in outputs if isinstance(output, Operation)]
    tensors = [
        convert_to_tensor(output)
        for output in outputs
        if output is not None and not isinstance(output, Operation)
    ]
    with control_dependencies(operations):
        return [identity(tensor) for tensor in tensors] if tensors else no_op()


@export("tpu.rewrite", "contrib.tpu.rewrite")
def rewrite(
    computation: Computation,
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> Any:
    """Builds a computation.

    Args:
        computation: a function of the inputs that returns tensors and ops.
        inputs: its inputs; or None.
        infeed_queue: for TPUs, like device_assignment and name.

    Returns:
        A list of its tensors, which run after its ops; an op if it returns no tensors.

    Example:
        >>> (total,) = tf.tpu.rewrite(lambda x: x + 1.0, [2.0])
        >>> print(total.eval())
        3.0
    """
    return _built(computation, inputs or [])


@export("tpu.replicate", "contrib.tpu.replicate")
def replicate(
    computation: Computation,
    inputs: Sequence[Sequence[Any]] | None = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
    maximum_shapes: Any = None,
) -> list[Any]:
    """Builds a computation for each of several lists of inputs.

    Args:
        computation: a function of the inputs that returns tensors and ops.
        inputs: a list with the inputs of each replica; there can be one.
        infeed_queue: for TPUs, like device_assignment, name and maximum_shapes.

    Returns:
        A list of the outputs of each replica, as `rewrite` returns them.

    Raises:
        UnimplementedError: if there are several replicas.
    """
    replicas = [[]] if inputs is None else inputs
    _one_replica(len(replicas))
    return [_built(computation, values) for values in replicas]


@export("tpu.shard", "contrib.tpu.shard")
def shard(
    computation: Computation,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    input_shard_axes: Any = None,
    outputs_from_all_shards: Any = True,
    output_shard_axes: Any = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> Any:
    """Builds a computation whose inputs are split over replicas.

    Args:
        computation: a function of the inputs that returns tensors and ops.
        inputs: its inputs; or None.
        num_shards: the number of replicas; 1.
        input_shard_axes: for TPUs, like the other arguments.

    Returns:
        The outputs as `rewrite` returns them.

    Raises:
        ValueError: if `num_shards` is not positive.
        UnimplementedError: if there are several replicas.
    """
    if num_shards <= 0:
        raise ValueError("num_shards must be a positive integer.")
    _one_replica(num_shards)
    return _built(computation, inputs or [])


@export("tpu.batch_parallel", "contrib.tpu.batch_parallel")
def batch_parallel(
    computation: Computation,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> Any:
    """Builds a computation whose inputs are split over replicas by their first dimension.

    Args:
        computation: as for `shard`, and so are the others.

    Returns:
        The outputs as `rewrite` returns them.

    Raises:
        ValueError: if `num_shards` is not positive.
        UnimplementedError: if there are several replicas.
    """
    return shard(computation, inputs, num_shards)


@export("tpu.outside_compilation", "contrib.tpu.outside_compilation")
def outside_compilation(computation: Computation, *args: Any, **kwargs: Any) -> Any:
    """Builds a part of a computation that runs on the host.

    Args:
        computation: a function.
        *args: its arguments.
        **kwargs: its arguments by name.

    Returns:
        What it returns.
    """
    return computation(*args, **kwargs)


@export("contrib.tpu.while_loop")
def while_loop(
    condition: Callable[..., Any],
    body: Computation,
    inputs: Any = None,
    infeed_queue: Any = None,
    name: Any = None,
) -> Any:
    """Builds a loop.

    Args:
        condition: a function of the values that returns whether the loop goes on.
        body: a function of the values that returns the next values.
        inputs: the first values.
        infeed_queue: for TPUs, like name.

    Returns:
        The last values; a tensor if there is one.
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return loops.while_loop(condition, body, values, parallel_iterations=1)


@export("contrib.tpu.repeat")
def repeat(
    n: int, body: Computation, inputs: Any = None, infeed_queue: Any = None, name: Any = None
) -> Any:
    """Builds a loop of a fixed number of steps.

    Args:
        n: the number of steps.
        body: a function of the values that returns the next values.
        inputs: the first values; or None.
        infeed_queue: for TPUs, like name.

    Returns:
        A list of the last values; an op if there are none.
    """
    first = (
        [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    )

    def step(i: Tensor, *values: Any) -> list[Any]:
        result = body(*values)
        following = list(result) if isinstance(result, (list, tuple)) else [result]
        operations = [item for item in following if isinstance(item, Operation)]
        with control_dependencies(operations):
            count = identity(i + 1)
        tensors = [v for v in following if v is not None and not isinstance(v, Operation)]
        return [count, *tensors]

    last = loops.while_loop(lambda i, *_: i < n, step, [0, *first], parallel_iterations=1)
    return last[1:] if first else last.op


@export("tpu.core", "contrib.tpu.core")
def core(num: int) -> str:
    """Returns the name of a core of a replica, as a device.

    Args:
        num: its index.

    Returns:
        A device.
    """
    return f"device:TPU_REPLICATED_CORE:{num}"


@export("tpu.bfloat16_scope", "contrib.tpu.bfloat16_scope")
@contextmanager
def bfloat16_scope() -> Iterator[Any]:
    """A variable scope in which variables of bfloat16 are kept as float32 and read as bfloat16.

    Yields:
        The VariableScope.
    """
    with variable_scope("", custom_getter=_kept_as_float32) as scope:
        yield scope


def _kept_as_float32(getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("dtype") != dtypes.bfloat16:
        return getter(name, *args, **kwargs)
    kwargs["dtype"] = dtypes.float32
    return cast(getter(name, *args, **kwargs), dtypes.bfloat16)
