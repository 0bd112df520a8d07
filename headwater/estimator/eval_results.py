"""The metrics of an evaluation: computed from batches, logged and written to event files."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import logging
from headwater.estimator.model_fn import LOSS_METRIC_KEY
from headwater.graph import Operation, group
from headwater.graph.graph_keys import GraphKeys
from headwater.io.tensor_proto import make_tensor_proto
from headwater.model.metrics.means import mean
from headwater.protos.lazy import summary_pb2
from headwater.train.summaries.file_writer import FileWriterCache

_NUMBERS = (float, int, np.float32, np.float64, np.int32, np.int64)


def add_loss_metric(metrics: dict[str, Any], loss: Any) -> None:
    """Adds the mean of the losses of batches to metrics.

    Args:
        metrics: pairs of value and update op by name.
        loss: the loss of a batch.

    Raises:
        ValueError: if there is a metric of this name.
    """
    if LOSS_METRIC_KEY in metrics:
        raise ValueError(
            f'Metric with name "{LOSS_METRIC_KEY}" is not allowed, because Estimator already '
            "defines a default metric with the same name."
        )
    metrics[LOSS_METRIC_KEY] = mean(loss)


def update_and_values(metrics: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
    """Separates the updates of metrics from their values.

    Args:
        metrics: pairs of value and update op by name.

    Returns:
        (the op that updates all, values by name).
    """
    ordered = sorted(metrics.items())
    return group(*(update for _, (_, update) in ordered)), {
        name: value for name, (value, _) in ordered
    }


def write_results(output_dir: str, results: dict[str, Any], global_step: int) -> None:
    """Logs the values of metrics and writes them to an event file.

    Args:
        output_dir: the folder of the event file.
        results: numbers, arrays or serialized Summaries by name.
        global_step: the step of the evaluated checkpoint.
    """
    shown = ", ".join(
        "%s = %s" % (name, value)  # noqa: UP031 (short form of NumPy numbers)
        for name, value in sorted(results.items())
        if not isinstance(value, bytes)
    )
    logging.info("Saving dict for global step %d: %s", global_step, shown)
    summary = summary_pb2.Summary()
    for name, value in results.items():
        if value is not None and name != GraphKeys.GLOBAL_STEP:
            _add_value(summary, name, value)
    _write(output_dir, summary, global_step)


def _add_value(summary: Any, name: str, value: Any) -> None:
    if isinstance(value, _NUMBERS):
        summary.value.add(tag=name, simple_value=float(value))
    elif isinstance(value, bytes):
        _add_serialized(summary, name, value)
    elif isinstance(value, np.ndarray):
        summary.value.add(tag=name).tensor.CopyFrom(make_tensor_proto(value))
        logging.info(
            "Summary for np.ndarray is not visible in Tensorboard by default. Consider using a "
            "Tensorboard plugin for visualization (see "
            "https://github.com/tensorflow/tensorboard-plugin-example/blob/master/README.md for "
            "more information)."
        )
    else:
        logging.warning(
            "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or "
            "np.ndarray or a serialized string of Summary.",
            name,
        )


def _add_serialized(summary: Any, name: str, serialized: bytes) -> None:
    # protobuf is loaded only when something is written.
    from google.protobuf.message import DecodeError

    try:
        parsed = summary_pb2.Summary.FromString(serialized)
    except DecodeError:
        logging.warning("Skipping summary for %s, cannot parse string to Summary.", name)
        return
    for index, value in enumerate(parsed.value):
        value.tag = f"{name}/{index}"
        summary.value.add().CopyFrom(value)


def write_checkpoint_path(output_dir: str, checkpoint_path: str, global_step: int) -> None:
    """Logs the path of the evaluated checkpoint and writes it to an event file.

    Args:
        output_dir: the folder of the event file.
        checkpoint_path: the path of the checkpoint.
        global_step: its step.
    """
    name = "checkpoint_path"
    logging.info("Saving '%s' summary for global step %d: %s", name, global_step, checkpoint_path)
    summary = summary_pb2.Summary()
    summary.value.add(tag=name).tensor.CopyFrom(make_tensor_proto(checkpoint_path, shape=[]))
    _write(output_dir, summary, global_step)


def _write(output_dir: str, summary: Any, global_step: int) -> None:
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, global_step)
    writer.flush()
