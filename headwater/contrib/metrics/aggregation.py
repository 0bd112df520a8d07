"""Several metrics at once."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export


@export("contrib.metrics.aggregate_metrics")
def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """Values and updates of several metrics.

    Args:
        *value_update_tuples: what metrics return.

    Returns:
        The list of values and the list of updates.

    Raises:
        ValueError: if there are none.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


@export("contrib.metrics.aggregate_metric_map")
def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values and updates of several metrics by name.

    Args:
        names_to_tuples: {name: what a metric returns}.

    Returns:
        {name: value} and {name: update}.
    """
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}
