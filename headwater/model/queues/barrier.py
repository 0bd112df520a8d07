"""Barriers: elements whose components arrive at different times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Operation, Tensor, build, constant_value
from headwater.model.queues.component_shapes import as_type_list

if TYPE_CHECKING:
    pass


class Barrier:
    """Assembles elements by key; complete ones come in the order of their first components.

    Args:
        types: a type, or a list with one per component.
        shapes: a fully known shape, or a list with one per component; None for any.
        shared_name: the name under which sessions share the barrier.
        name: the name of the node.

    Raises:
        ValueError: if an element of a shape would be empty.
    """

    def __init__(
        self,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[Sequence[int]] | None = None,
        shared_name: str | None = None,
        name: str = "barrier",
    ) -> None:
        self._types = as_type_list(types)
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in self._types]
        else:
            self._shapes = _as_shapes(shapes)
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError(
                        f"Empty tensors are not supported, but received shape '{shape}' at index "
                        f"{i}"
                    )
        self._barrier_ref = build.Barrier(
            component_types=self._types, shapes=self._shapes, shared_name=shared_name, name=name
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the node."""
        return self._barrier_ref.op.name

    def _named(self, name: str | None, what: str) -> str:
        return f"{self._name}_{what}" if name is None else name

    def insert_many(
        self, component_index: int, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Operation:
        """Makes an op that adds one component to the elements of some keys.

        Args:
            component_index: which component.
            keys: strings of shape [n].
            values: n values of the component.
            name: the name of the op.

        Returns:
            An Operation.
        """
        return build.BarrierInsertMany(
            self._barrier_ref,
            keys,
            values,
            component_index=component_index,
            name=self._named(name, "BarrierInsertMany"),
        )

    def take_many(
        self,
        num_elements: TensorLike,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> tuple[Tensor, ...]:
        """Takes complete elements; waits until there are enough.

        Args:
            num_elements: how many.
            allow_small_batch: whether fewer will do when the barrier is closed.
            timeout: not supported.
            name: the name of the op.

        Returns:
            A named tuple: ``indices`` [n] tell when the elements began, ``keys`` [n], and a list
            ``values`` with one tensor per component.
        """
        taken = build.BarrierTakeMany(
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=self._named(name, "BarrierTakeMany"),
        )
        count = None
        if not allow_small_batch:
            known = constant_value(taken.indices.op.inputs[1])
            count = None if known is None else int(known)
        rows = TensorShape([count])
        taken.indices.set_shape(rows)
        taken.keys.set_shape(rows)
        for tensor, shape in zip(taken.values, self._shapes):
            tensor.set_shape(rows.concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Makes an op that closes the barrier: no new keys can be inserted.

        Args:
            cancel_pending_enqueues: whether incomplete elements cannot be completed either.
            name: the name of the op.

        Returns:
            An Operation.
        """
        return build.BarrierClose(
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=self._named(name, "BarrierClose"),
        )

    def ready_size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of complete elements."""
        return build.BarrierReadySize(self._barrier_ref, name=self._named(name, "BarrierReadySize"))

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of incomplete elements."""
        return build.BarrierIncompleteSize(
            self._barrier_ref, name=self._named(name, "BarrierIncompleteSize")
        )


def _as_shapes(shapes: ShapeLike) -> list[TensorShape]:
    """One shape or several, as a list of fully known ones."""
    if isinstance(shapes, TensorShape) or all(isinstance(dim, int) for dim in shapes):
        shapes = [shapes]
    return [TensorShape(shape) for shape in shapes]
