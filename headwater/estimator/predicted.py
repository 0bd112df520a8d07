"""What `Estimator.predict` returns of the predictions of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.base import logging
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys


def selected(predictions: Any, predict_keys: Sequence[str] | str | None) -> Any:
    """The predictions of given names.

    Args:
        predictions: a tensor or tensors by name.
        predict_keys: names, or None for all.

    Returns:
        A tensor or tensors by name.

    Raises:
        ValueError: if there are no names, or none of them is given.
    """
    if not predict_keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in predict_keys}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {predictions.keys()}, provided "
            f"{predict_keys}."
        )
    return found


def batch_length(values: dict[str, Any]) -> int:
    """The number of examples of a batch.

    Args:
        values: arrays by name.

    Returns:
        Their common first dimension.

    Raises:
        ValueError: if they differ.
    """
    length = None
    for key, value in values.items():
        length = length or value.shape[0]
        if value.shape[0] != length:
            raise ValueError(
                f"Batch length of predictions should be same. {key} has different batch length "
                "than others."
            )
    return length or 0


def single_examples(values: Any) -> Iterator[Any]:
    """The predictions of a batch example by example.

    Args:
        values: an array or arrays by name.

    Yields:
        Rows, or rows by name.
    """
    if not isinstance(values, dict):
        yield from values
        return
    for index in range(batch_length(values)):
        yield {key: value[index] for key, value in values.items()}


def warn_if_endless() -> None:
    """Warns if the default graph has no input that could end."""
    graph = get_default_graph()
    if graph.get_collection(GraphKeys.QUEUE_RUNNERS):
        return
    if not any(op.type == "IteratorGetNext" for op in graph.get_operations()):
        logging.warning(
            "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict "
            "yields forever. This is probably a mistake."
        )
