"""The values of iterator handles: how far the iteration over a dataset has come."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.base.checks import fail
from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Shape
from headwater.graph import shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
    input_iterator,
)
from headwater.ops.data.function_states import check_savable
from headwater.ops.data.string_handles import StringHandles

_handles: StringHandles[IteratorResource] = StringHandles("N10tensorflow4data16IteratorResourceE")


class IteratorResource:
    """An iterator that runs of a session share.

    Args:
        types: the types of the components of an element; empty if any are allowed.
        component_shapes: their static shapes; empty if any are allowed.

    Attributes:
        name: its name in the session, which the first run of its op sets.
        owner: what stands for the session, set with the name.
    """

    def __init__(self, types: Sequence[DType], component_shapes: Sequence[Shape]) -> None:
        self.types = list(types)
        self.shapes = list(component_shapes)
        self.name = ""
        self.owner: Any = None
        self._destroyed = False
        self._lock = threading.Lock()
        self._elements: ElementIterator | None = None
        self._dataset: Dataset | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"<IteratorResource {self.name} of {self._dataset}>"

    @property
    def initialized(self) -> bool:
        """Whether there is a dataset to iterate over."""
        return self._elements is not None

    def start(self, dataset: Dataset) -> None:
        """Begins to iterate over a dataset; the elements of the one before are lost.

        Raises:
            InvalidArgumentError: if its elements have other types or shapes.
        """
        _check((self.types, self.shapes), (dataset.types, dataset.shapes))
        context = IteratorContext(Cancellation())
        elements = input_iterator(dataset, context)
        with self._lock:
            self._begin(dataset, context, elements)

    def next(self) -> Element | None:
        """The next element; None at the end.

        Raises:
            FailedPreconditionError: if the iterator has not been initialized.
            InternalError: if something raises an OutOfRangeError that is not the end.
        """
        with self._lock:
            elements = self._initialized("GetNext()", "getting the next element")
            try:
                return elements.next()
            except errors.OutOfRangeError as error:
                raise errors.InternalError(
                    error.node_def,
                    error.op,
                    'Iterator "Iterator" returned `OutOfRange`. This indicates an implementation '
                    "error as `OutOfRange` errors are not expected to be returned here. Original "
                    f"message: {error.message}",
                ) from error

    def save(self) -> SavedState:
        """Where the iterator is.

        Raises:
            FailedPreconditionError: if the iterator has not been initialized, or if a function has
                a state.
        """
        state: SavedState = {}
        with self._lock:
            elements = self._initialized("Save()", "saving it")
            assert self._dataset is not None
            check_savable(self._dataset)
            elements.save(state, "Iterator")
        return state

    def restore(self, state: SavedState) -> None:
        """Goes to where a saved iterator was; the dataset stays the same.

        Raises:
            FailedPreconditionError: if the iterator has not been initialized.
            InvalidArgumentError: if the state is that of another dataset.
        """
        context = IteratorContext(Cancellation())
        with self._lock:
            self._initialized("Restore()", "restoring it")
            assert self._dataset is not None
            elements = input_iterator(self._dataset, context)
            try:
                elements.restore(state, "Iterator")
            except KeyError as error:
                _close(context, elements)
                fail(f"The saved iterator is one of another dataset: it has no {error.args[0]}")
            self._begin(self._dataset, context, elements)

    def check(self, types: Sequence[DType], component_shapes: Sequence[Shape]) -> None:
        """Raises an InvalidArgumentError if a program expects elements of other types or shapes."""
        _check((types, component_shapes), (self.types, self.shapes))

    def string_handle(self) -> bytes:
        """The text by which `iterator_of_handle` finds the iterator."""
        return _handles.text_of(self, self.name)

    def destroy_resource(self) -> None:
        """Ends background work; the iterator cannot be used any more."""
        self.close_resource()
        self._destroyed = True
        if self.owner is not None:
            self.owner.release(self)

    def close_resource(self) -> None:
        """Ends background work; the session that keeps the iterator is closed."""
        # Without the lock, which a thread that waits for an element holds.
        if self._end is not None:
            self._end()

    def _initialized(self, what: str, doing: str) -> ElementIterator:
        if self._destroyed:
            raise errors.NotFoundError(
                None, None, f"Resource localhost/{self.name}/{_handles.type_name} does not exist."
            )
        if self._elements is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"{what} failed because the iterator has not been initialized. Ensure that you "
                f"have run the initializer operation for this iterator before {doing}.",
            )
        return self._elements

    def _begin(self, dataset: Dataset, context: IteratorContext, elements: ElementIterator) -> None:
        if self._end is not None:
            self._end()
        self._dataset, self._elements = dataset, elements
        self._end = weakref.finalize(self, _close, context, elements)


def _close(context: IteratorContext, elements: ElementIterator) -> None:
    context.cancellation.cancel()
    elements.close()


_Elements = tuple[Sequence[DType], Sequence[Shape]]


def _check(expected: _Elements, received: _Elements) -> None:
    """Raises an InvalidArgumentError if elements have other types or shapes than expected."""
    if not expected[0] or not received[0]:
        return
    if len(expected[0]) != len(received[0]):
        fail(
            "Number of components does not match: expected "
            f"{len(expected[0])} types but got {len(received[0])}."
        )
    for i, (dtype, found) in enumerate(zip(expected[0], received[0])):
        if dtype.base_dtype is not found.base_dtype:
            fail(
                f"Data type mismatch at component {i}: expected {proto_name(dtype)} but got "
                f"{proto_name(found)}."
            )
    for i, (shape, other) in enumerate(zip(expected[1], received[1])):
        if not _compatible(shape, other):
            fail(
                f"Incompatible shapes at component {i}: expected {shapes.show(shape)} but got "
                f"{shapes.show(other)}."
            )


def _compatible(shape: Shape, other: Shape) -> bool:
    if shape is None or other is None:
        return True
    return len(shape) == len(other) and all(None in (a, b) or a == b for a, b in zip(shape, other))


def iterator_of_handle(handle: Any, owner: Any) -> IteratorResource:
    """The iterator of a string handle.

    Args:
        handle: what `IteratorResource.string_handle` gave.
        owner: what stands for the session.

    Raises:
        InvalidArgumentError: if the text is not a handle.
        NotFoundError: if the session has no such iterator.
    """
    return _handles.find(handle, owner)
