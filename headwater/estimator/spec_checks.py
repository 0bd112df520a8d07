"""Checks of what a model function returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base import nest
from headwater.graph import Operation, Tensor, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import Variable
from headwater.ops.array.reshape import reshape
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.sessions.scaffold import Scaffold

_OTHER_GRAPH = (
    '{0} with "{1}" must be from the default graph. Possible causes of this error include: \n\n'
    "1) {0} was created outside the context of the default graph.\n\n"
    "2) The object passed through to EstimatorSpec was not created in the most recent call to "
    '"model_fn".'
)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor or variable."""
    return isinstance(value, (Tensor, Variable))


def _check_graph(value: Any, argument: str, name: str) -> None:
    if value.graph is not get_default_graph():
        raise ValueError(_OTHER_GRAPH.format(argument, name))


def checked_train_op(train_op: Any, required: bool) -> Any:
    """The op that trains, checked; a variable stands for its op.

    Raises:
        ValueError: if it is missing or of another graph.
        TypeError: if it is neither an op nor a tensor.
    """
    if train_op is None:
        if required:
            raise ValueError("Missing train_op.")
        return None
    if not (isinstance(train_op, Operation) or is_tensor(train_op)):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
    if isinstance(train_op, Variable):
        train_op = train_op.op
    _check_graph(train_op, "train_op", train_op.name)
    return train_op


def checked_loss(loss: Any, required: bool) -> Any:
    """The loss, checked; a vector of one number becomes a scalar.

    Raises:
        ValueError: if it is missing, no scalar or of another graph.
        TypeError: if it is not a tensor.
    """
    if loss is None:
        if required:
            raise ValueError("Missing loss.")
        return None
    if not is_tensor(loss):
        raise TypeError(f"loss must be Tensor, given: {loss}")
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    if not shape.is_compatible_with([]):
        loss = reshape(loss, [])
    _check_graph(loss, "loss", loss.name)
    return loss


def checked_predictions(predictions: Any, required: bool) -> Any:
    """The predictions, checked: a tensor or tensors by name.

    Raises:
        ValueError: if they are missing or of another graph.
        TypeError: if one is not a tensor.
    """
    if predictions is None:
        if required:
            raise ValueError("Missing predictions.")
        return {}
    if not isinstance(predictions, dict):
        if not is_tensor(predictions):
            raise TypeError(f"predictions must be Tensor, given: {predictions}")
        _check_graph(predictions, "prediction values", predictions.name)
        return predictions
    for key, value in predictions.items():
        if not is_tensor(value):
            raise TypeError(f"predictions[{key}] must be Tensor, given: {value}")
    for key, value in predictions.items():
        _check_graph(value, "prediction values", f"{key}: {value.name}")
    return predictions


def checked_metrics(eval_metric_ops: Any) -> dict[str, tuple[Any, Any]]:
    """The metrics by name, checked: pairs of value and update op.

    A metric object stands for its result and its update, and its variables become local ones.

    Raises:
        TypeError: if they are something else.
        ValueError: if they are of another graph, or a metric object was never updated.
    """
    if eval_metric_ops is None:
        return {}
    if not isinstance(eval_metric_ops, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")
    checked = {}
    for key, metric in eval_metric_ops.items():
        if _is_metric_object(metric):
            checked[key] = _object_pair(metric)
            continue
        if not isinstance(metric, tuple) or len(metric) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{metric} for key: {key}"
            )
        checked[key] = metric
    for key, (value, update) in checked.items():
        # A value may be a structure: the state of a model of time series.
        for item in (*nest.flatten(value), update):
            if hasattr(item, "graph"):
                _check_graph(item, "eval_metric_ops", f"{key}: {item.name}")
            else:
                raise AttributeError(f"{type(item).__name__!r} object has no attribute 'graph'")
    return checked


def _is_metric_object(metric: Any) -> bool:
    """Whether a value is a metric as Keras has them."""
    return all(hasattr(metric, name) for name in ("result", "updates", "update_state"))


def _object_pair(metric: Any) -> tuple[Any, Any]:
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    graph = get_default_graph()
    for key in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
        known = graph.get_collection(key)
        for variable in metric.variables:
            if not any(variable is other for other in known):
                graph.add_to_collection(key, variable)
    # All that the metric has updated belongs to its last update.
    return metric.result(), metric.updates[0]


def checked_hooks(hooks: Iterable[Any] | None) -> tuple[SessionRunHook, ...]:
    """Hooks as a tuple.

    Raises:
        TypeError: if one is not a SessionRunHook.
    """
    result = tuple(hooks or ())
    for hook in result:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
    return result


def checked_scaffold(scaffold: Any) -> Scaffold:
    """The scaffold, a new one for None.

    Raises:
        TypeError: if it is something else.
    """
    scaffold = scaffold or Scaffold()
    if not isinstance(scaffold, Scaffold):
        raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
    return scaffold
