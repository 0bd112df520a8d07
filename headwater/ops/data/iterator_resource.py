"""The values of iterator handles: where the elements of a dataset have got to."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.base.dtypes import DType
from headwater.base.typing import Shape
from headwater.ops.data.dataset import Dataset, Element, ElementIterator, IteratorContext

_UNINITIALIZED = (
    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
    "initializer operation for this iterator before getting the next element."
)


class IteratorResource:
    """An iterator that runs of a session share.

    Args:
        types: the types of the components of an element; empty if any are allowed.
        component_shapes: their static shapes.
    """

    def __init__(self, types: Sequence[DType], component_shapes: Sequence[Shape]) -> None:
        self.types = list(types)
        self.shapes = list(component_shapes)
        self._lock = threading.Lock()
        self._elements: ElementIterator | None = None
        self._dataset: Dataset | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"<IteratorResource of {self._dataset}>"

    @property
    def initialized(self) -> bool:
        """Whether there is a dataset to iterate over."""
        return self._elements is not None

    def start(self, dataset: Dataset) -> None:
        """Begins to iterate over a dataset; the elements of the one before are lost."""
        context = IteratorContext(Cancellation())
        elements = dataset.iterate(context)
        with self._lock:
            self._close()
            self._dataset, self._elements = dataset, elements
            self._end = weakref.finalize(self, _close, context, elements)

    def next(self) -> Element | None:
        """The next element; None at the end.

        Raises:
            FailedPreconditionError: if the iterator has not been initialized.
        """
        with self._lock:
            if self._elements is None:
                raise errors.FailedPreconditionError(None, None, _UNINITIALIZED)
            return self._elements.next()

    def close_resource(self) -> None:
        """Ends background work; the session that keeps the iterator is closed."""
        # Without the lock, which a thread that waits for an element holds.
        self._close()

    def _close(self) -> None:
        if self._end is not None:
            self._end()
            self._end = None


def _close(context: IteratorContext, elements: ElementIterator) -> None:
    context.cancellation.cancel()
    elements.close()
