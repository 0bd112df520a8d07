"""The base of all queue classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    name_scope,
)
from headwater.ops.array.gather import gather
from headwater.ops.array.stack import stack


@export("QueueBase", "queue.QueueBase", "io.QueueBase")
class QueueBase:
    """A queue of elements, which are tuples of tensors; a session keeps it between runs.

    Args:
        dtypes: the types of the components of each element.
        shapes: their shapes, or None if elements may have any shapes.
        names: names of the components, which make elements dictionaries; or None.
        queue_ref: the handle.

    Raises:
        ValueError: if the lists differ in length.
    """

    def __init__(
        self,
        dtypes: list[Any],
        shapes: TensorLike | None,
        names: list[Any] | None,
        queue_ref: Tensor,
    ) -> None:
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in dtypes]
        elif len(shapes) != len(dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes")
        else:
            self._shapes = [TensorShape(shape) for shape in shapes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("Queue names must have the same length as dtypes")
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: TensorLike, queues: Sequence[QueueBase]) -> QueueBase:
        """A queue that is one of several, chosen when the graph runs.

        Args:
            index: an integer scalar tensor.
            queues: queues of the same types and names.

        Returns:
            A queue; its shapes are what is common to all of them.

        Raises:
            TypeError: if they are not queues, or differ in types or names.
        """
        is_list = isinstance(queues, list) and bool(queues)
        if not is_list or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == queue.dtypes for queue in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == queue.names for queue in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common(shapes) for shapes in zip(*(queue.shapes for queue in queues))]
        handle = gather(stack([queue.queue_ref for queue in queues]), index)
        return QueueBase(first.dtypes, shapes, first.names, handle)

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the node."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[Any]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[Any] | None:
        """The names of the components, or None."""
        return self._names

    def _components(self, vals: NestedTensors) -> list[Tensor]:
        """An element or batch as one tensor per component."""
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            given, wanted = sorted(vals, key=str), sorted(self._names, key=str)
            if given != wanted:
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"({given}), Queue: ({wanted})"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return [
            convert_to_tensor(value, dtype=as_dtype(dtype), name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes))
        ]

    def _element(self, tensors: Sequence[Tensor]) -> NestedTensors:
        """The outputs of a dequeue op in the form that the user gets."""
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def _scope(self, name: str | None, what: str, values: Sequence[Any] = ()) -> name_scope:
        return name_scope(name, f"{self._name}_{what}", values)

    def enqueue(self, vals: NestedTensors, name: str | None = None) -> Operation:
        """Makes an op that puts one element in; it waits while the queue is full.

        Args:
            vals: a tensor, a list with one per component, or a dictionary of them by name.
            name: the name of the op.

        Returns:
            An Operation.
        """
        with self._scope(name, "enqueue", _flat(vals)) as scope:
            components = self._components(vals)
            for tensor, shape in zip(components, self._shapes):
                tensor.get_shape().assert_is_compatible_with(shape)
            return self._build("QueueEnqueue", components, name=scope)

    def enqueue_many(self, vals: NestedTensors, name: str | None = None) -> Operation:
        """Makes an op that puts the rows of tensors in, one after the other.

        Args:
            vals: as for `enqueue`, with one more dimension before the others.
            name: the name of the op.

        Returns:
            An Operation.
        """
        with self._scope(name, "EnqueueMany", _flat(vals)) as scope:
            components = self._components(vals)
            count = components[0].get_shape().with_rank_at_least(1)[0]
            for tensor, shape in zip(components, self._shapes):
                got = tensor.get_shape().with_rank_at_least(1)
                count = count.merge_with(got[0])
                got[1:].assert_is_compatible_with(shape)
            return self._build("QueueEnqueueMany", components, name=scope)

    def dequeue(self, name: str | None = None) -> NestedTensors:
        """Takes one element; waits while the queue is empty.

        Args:
            name: the name of the op.

        Returns:
            A tensor, a list of them, or a dictionary of them by name.
        """
        name = f"{self._name}_Dequeue" if name is None else name
        tensors = self._build("QueueDequeue", component_types=self._dtypes, name=name)
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return self._element(tensors)

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> NestedTensors:
        """Takes `n` elements, stacked as rows of tensors; waits until there are `n`.

        Args:
            n: how many.
            name: the name of the op.

        Returns:
            A tensor, a list of them, or a dictionary of them by name.
        """
        name = f"{self._name}_DequeueMany" if name is None else name
        tensors = self._build("QueueDequeueMany", n=n, component_types=self._dtypes, name=name)
        count = constant_value(tensors[0].op.inputs[1])
        self._set_row_shapes(tensors, None if count is None else int(count))
        return self._element(tensors)

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> NestedTensors:
        """Takes `n` elements as `dequeue_many` does, or what is left once the queue is closed.

        Args:
            n: how many.
            name: the name of the op.

        Returns:
            A tensor, a list of them, or a dictionary of them by name.
        """
        name = f"{self._name}_DequeueUpTo" if name is None else name
        tensors = self._build("QueueDequeueUpTo", n=n, component_types=self._dtypes, name=name)
        self._set_row_shapes(tensors, None)
        return self._element(tensors)

    def _set_row_shapes(self, tensors: Sequence[Tensor], count: int | None) -> None:
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(TensorShape([count]).concatenate(shape))

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Makes an op that closes the queue: nothing more can be put in.

        Args:
            cancel_pending_enqueues: whether pending enqueues fail.
            name: the name of the op.

        Returns:
            An Operation.
        """
        name = f"{self._name}_Close" if name is None else name
        return self._build("QueueClose", cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """A bool tensor that tells whether the queue is closed."""
        return self._build(
            "QueueIsClosed", name=f"{self._name}_Is_Closed" if name is None else name
        )

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of elements."""
        return self._build("QueueSize", name=f"{self._name}_Size" if name is None else name)

    def _build(self, op_type: str, *inputs: Any, **attrs: Any) -> Any:
        """A node on the handle, of the version that takes such a handle."""
        is_resource = self._queue_ref.dtype.name == "resource"
        builder = getattr(build, f"{op_type}V2" if is_resource else op_type)
        return builder(self._queue_ref, *inputs, **attrs)


def _flat(vals: NestedTensors) -> list[Any]:
    """The values of an element, from which the name scope finds the graph."""
    if isinstance(vals, Mapping):
        return list(vals.values())
    return list(vals) if isinstance(vals, (list, tuple)) else [vals]


def _common(shapes: Sequence[TensorShape]) -> TensorShape:
    """The most specific shape that is compatible with several shapes."""
    first, *others = shapes
    if any(shape.ndims is None or shape.ndims != first.ndims for shape in shapes):
        return TensorShape(None)
    columns = zip(*(shape.as_list() for shape in (first, *others)))
    return TensorShape([dims[0] if len(set(dims)) == 1 else None for dims in columns])


def names_of(names: Any, types: Sequence[Any]) -> list[Any] | None:
    """The names of components as constructors take them, as a list.

    Raises:
        ValueError: if they are not as many as the types.
    """
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(types):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return names
