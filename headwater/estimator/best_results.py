"""Results of evaluations in event files, and which of two is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.estimator.model_fn import LOSS_METRIC_KEY
from headwater.io.event_file import summary_iterator
from headwater.io.file_io import get_matching_files


def loss_is_smaller(
    best_eval_result: Mapping[str, Any], current_eval_result: Mapping[str, Any]
) -> bool:
    """Whether the current result has a smaller loss than the best one.

    Args:
        best_eval_result: metrics by name.
        current_eval_result: metrics by name.

    Returns:
        A bool.

    Raises:
        ValueError: if one has no loss.
    """
    for result, name in (
        (best_eval_result, "best_eval_result"),
        (current_eval_result, "current_eval_result"),
    ):
        if not result or LOSS_METRIC_KEY not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    return bool(best_eval_result[LOSS_METRIC_KEY] > current_eval_result[LOSS_METRIC_KEY])


def results_in_events(pattern: str | None) -> Iterator[dict[str, float]]:
    """The results of evaluations in event files.

    Args:
        pattern: the paths of the files, with wildcards; None for none.

    Yields:
        Metrics by name.
    """
    if not pattern:
        return
    for path in get_matching_files(pattern):
        for event in summary_iterator(path):
            result = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if result:
                yield result
