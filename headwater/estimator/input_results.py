"""What input functions return: features and labels, or a Dataset of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.data.datasets.conversion import make_initializable_iterator
from headwater.data.datasets.dataset import DatasetV2
from headwater.train.hooks.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator


class DatasetInitializerHook(SessionRunHook):
    """Initializes an iterator in each new session.

    Args:
        iterator: an initializable iterator.
    """

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def begin(self) -> None:
        """Makes the op that initializes the iterator."""
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Initializes the iterator."""
        session.run(self._initializer)


def dataset_iterator(result: Any) -> tuple[Any, list[SessionRunHook]]:
    """The next element of a Dataset, and the hook that initializes its iterator.

    Args:
        result: a Dataset, or something else, which is returned unchanged.

    Returns:
        (element, hooks).
    """
    if not isinstance(result, DatasetV2):
        return result, []
    iterator = make_initializable_iterator(result)
    return iterator.get_next(), [DatasetInitializerHook(iterator)]


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """The features and labels that an input function has returned.

    Args:
        result: features, a pair of features and labels, or a Dataset of either.

    Returns:
        (features, labels, hooks); labels are None if there are none.

    Raises:
        ValueError: if it is a sequence, but not of two.
    """
    result, hooks = dataset_iterator(result)
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return result[0], result[1], hooks
    return result, None, hooks
