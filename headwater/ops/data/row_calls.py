"""Iterators that call a function of each element, or of many elements at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from headwater.base import errors
from headwater.base.function_runtime import CapturedFunction
from headwater.base.typing import Array
from headwater.ops.data.background import restored_items, save_items
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
)

# After so many failed blocks in succession, elements are computed one by one.
_PATIENCE = 3


def end_of_sequence(error: errors.OutOfRangeError, preserves_cardinality: bool) -> None:
    """What the error of a function means that ends a sequence, as that of a closed queue does.

    Raises:
        InvalidArgumentError: if there has to be a result for each element.
    """
    if preserves_cardinality:
        text = f"Function invocation produced OutOfRangeError: {error.message}"
        raise errors.InvalidArgumentError(error.node_def, error.op, text) from error


class CallingIterator(InputIterator):
    """Calls a function of the elements of one other dataset.

    Args:
        dataset: the dataset that makes the elements.
        function: the function.
        context: the iterator's.
    """

    def __init__(
        self, dataset: Dataset, function: CapturedFunction, context: IteratorContext
    ) -> None:
        super().__init__(dataset, context)
        self._call = function.instantiate(context.kept)
        self._call_rows = function.rows(context.kept)
        # The rest of a block for which the function has failed: its elements come one by one.
        self._waiting: deque[Element] = deque()
        self._failures = 0

    def _take(self) -> Element | None:
        """The next element of the input."""
        return self._waiting.popleft() if self._waiting else self._input.next()

    @property
    def _takes_rows(self) -> bool:
        """Whether `_called_rows` may be asked."""
        return self._call_rows is not None and not self._waiting and self._failures < _PATIENCE

    def _called_rows(self, count: int) -> tuple[Rows, Sequence[Array]] | None:
        """The next rows of the input and the function's results for them; None at the end.

        The results are empty if the function has failed: the elements wait to be taken then.
        """
        rows = self._input.next_rows(count)
        if rows is None:
            return None
        assert self._call_rows is not None
        size = len(rows[0])
        if size > 1:
            try:
                results = self._call_rows(rows)
                self._failures = 0
                return rows, results
            except (errors.CancelledError, errors.DeadlineExceededError):
                self._wait(rows)
                raise
            except Exception:
                # One element has an error, which it raises when its turn comes.
                self._failures += 1
        self._wait(rows)
        return rows, ()

    def _wait(self, rows: Rows) -> None:
        self._waiting.extend(rows_to_element(rows, i) for i in range(len(rows[0])))

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_items(state, f"{prefix}/waiting", list(self._waiting))

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        items = restored_items(state, f"{prefix}/waiting")
        self._waiting.extend(item for item in items if isinstance(item, list))
