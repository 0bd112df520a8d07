"""tf.contrib.gan.features.tensor_pool: values of earlier steps."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.graph import Tensor, build, control_dependencies, name_scope
from headwater.model.queues.queue_kinds import RandomShuffleQueue
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import identity
from headwater.ops.random.uniform import random_uniform


@export("contrib.gan.features.tensor_pool")
def tensor_pool(
    input_values: Any,
    pool_size: int = 50,
    pooling_probability: float = 0.5,
    name: str = "tensor_pool",
) -> Any:
    """Keeps values of earlier steps, and gives one of them or the new ones.

    Args:
        input_values: a tensor, or a list, tuple or dict of tensors.
        pool_size: how many values are kept; 0 for none.
        pooling_probability: how probable it is that earlier values are given.
        name: the beginning of the name scope.

    Returns:
        Tensors in the structure of `input_values`.

    Raises:
        ValueError: if the size is negative.
    """
    pool_size = int(pool_size)
    if pool_size < 0:
        raise ValueError("`pool_size` is negative.")
    if pool_size == 0:
        return input_values
    new = nest.flatten(input_values)
    with name_scope(f"{name}_pool_queue", values=[*new, pooling_probability]):
        queue = RandomShuffleQueue(
            capacity=pool_size,
            min_after_dequeue=0,
            dtypes=[value.dtype for value in new],
            shapes=None,
        )

        def fill() -> list[Tensor]:
            with control_dependencies([queue.enqueue(new)]):
                return [identity(value) for value in new]

        def exchange() -> Any:
            earlier = queue.dequeue()
            earlier = list(earlier) if isinstance(earlier, (list, tuple)) else [earlier]
            with control_dependencies([*earlier, queue.enqueue(new)]):
                draw = random_uniform(()) < pooling_probability
                return cond(draw, lambda: earlier, lambda: list(new))

        size: Any = queue.size()
        values = cond(build.Less(size, pool_size), fill, exchange)
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    for value, given in zip(values, new, strict=True):
        value.set_shape(given.shape)
    return nest.pack_sequence_as(input_values, values)
