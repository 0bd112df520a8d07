"""The classes of the four kinds of queues."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes as dtypes_module
from headwater.base.export import export
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import build
from headwater.graph.seeds import get_seed
from headwater.model.queues.component_shapes import as_shape_list, as_type_list
from headwater.model.queues.queue_base import QueueBase, names_of


@export("FIFOQueue", "queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue that gives elements in the order in which they came.

    Args:
        capacity: how many elements it holds; negative for any number.
        dtypes: a type, or a list with one per component.
        shapes: a fully known shape, or a list with one per component; None if elements may have
            any shapes, which `dequeue_many` does not work with.
        names: names of the components, or None.
        shared_name: the name under which sessions share the queue.
        name: the name of the node.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: ShapeLike = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str | None = "fifo_queue",
    ) -> None:
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes)
        names = names_of(names, dtypes)
        handle = build.FIFOQueueV2(
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


@export("PaddingFIFOQueue", "queue.PaddingFIFOQueue", "io.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """A queue whose elements may differ in size; `dequeue_many` pads them with zeros.

    Args:
        capacity: how many elements it holds; negative for any number.
        dtypes: a type, or a list with one per component.
        shapes: a list with one shape per component; dimensions may be None.
        names: names of the components, or None.
        shared_name: the name under which sessions share the queue.
        name: the name of the node.

    Raises:
        ValueError: if a shape is missing.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: ShapeLike,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes, unknown_dim_allowed=True)
        names = names_of(names, dtypes)
        if shapes is None or len(dtypes) != len(shapes):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(dtypes)} dtypes and {len(shapes or ())} shapes."
            )
        handle = build.PaddingFIFOQueueV2(
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


@export("PriorityQueue", "queue.PriorityQueue", "io.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest priority.

    The priority is the first component, an int64 scalar.

    Args:
        capacity: how many elements it holds; negative for any number.
        types: a type, or a list with one per component after the priority.
        shapes: their fully known shapes.
        names: names of all components, or None.
        shared_name: the name under which sessions share the queue.
        name: the name of the node.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: TensorLike = None,
        names: list[str] | None = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        types = as_type_list(types)
        shapes = as_shape_list(shapes, types)
        handle = build.PriorityQueueV2(
            component_types=types,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name,
            name=name,
        )
        all_shapes = [()] + shapes if shapes else shapes
        super().__init__([dtypes_module.int64, *types], all_shapes, names, handle)


@export("RandomShuffleQueue", "queue.RandomShuffleQueue", "io.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """A queue that gives elements in random order.

    Args:
        capacity: how many elements it holds; negative for any number.
        min_after_dequeue: how many stay in it until it is closed, so that there is a choice.
        dtypes: a type, or a list with one per component.
        shapes: a fully known shape, or a list with one per component; None for any.
        names: names of the components, or None.
        seed: a seed for the order.
        shared_name: the name under which sessions share the queue.
        name: the name of the node.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: TensorLike | None = None,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes)
        names = names_of(names, dtypes)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # All nodes of this name have one seed, whatever their position in the graph.
            text = f"{seed1}{shared_name}".encode()
            seed2 = int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF
        handle = build.RandomShuffleQueueV2(
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            shared_name=shared_name,
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)
