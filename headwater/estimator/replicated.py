"""Models of an Estimator in several replicas: their graphs for training and evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.estimator.input_results import DatasetInitializerHook
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import LOSS_METRIC_KEY, EstimatorSpec
from headwater.graph import get_default_graph, group
from headwater.model.losses.weighting import Reduction
from headwater.model.metrics.means import mean
from headwater.ops.array.concat import concat
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.sessions.scaffold import Scaffold


def training_spec(
    estimator: Any, strategy: Any, input_fn: Any
) -> tuple[EstimatorSpec, list[SessionRunHook]]:
    """Builds the training graph of all replicas.

    Args:
        estimator: the Estimator.
        strategy: the Strategy, whose scope is open.
        input_fn: the input function; each replica takes batches of its own.

    Returns:
        (an EstimatorSpec for all replicas, hooks of the input).
    """
    features, labels, hooks = _inputs(estimator, strategy, input_fn, ModeKeys.TRAIN)
    with _losses_scaled(strategy):
        specs = strategy.extended.call_for_each_replica(
            estimator._call_model_fn, args=(features, labels, ModeKeys.TRAIN, estimator.config)
        )
    last = getattr(get_default_graph(), "_last_loss_reduction", None)
    kind = "SUM" if last == Reduction.SUM else "MEAN"
    spec = EstimatorSpec(
        ModeKeys.TRAIN,
        loss=strategy.reduce(kind, specs.loss, axis=None),
        train_op=strategy.group(specs.train_op),
        training_hooks=_first_of_each(strategy, specs.training_hooks),
        training_chief_hooks=_first_of_each(strategy, specs.training_chief_hooks),
        scaffold=_combined_scaffold(strategy, specs.scaffold),
    )
    return spec, hooks


def evaluation_ops(estimator: Any, strategy: Any, input_fn: Any) -> tuple[Any, ...]:
    """Builds the evaluation of all replicas.

    Args:
        estimator: the Estimator.
        strategy: the Strategy, whose scope is open.
        input_fn: the input function; each replica takes batches of its own.

    Returns:
        (scaffold, hooks of the model, hooks of the input, the op that updates the metrics, their
        values by name).
    """
    features, labels, hooks = _inputs(estimator, strategy, input_fn, ModeKeys.EVAL)
    specs = strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(features, labels, ModeKeys.EVAL, estimator.config)
    )
    loss = strategy.extended.call_for_each_replica(mean, args=(specs.loss,))
    metrics = {**(specs.eval_metric_ops or {}), LOSS_METRIC_KEY: loss}
    updates, results = [], {}
    for name, (value, update) in sorted(metrics.items()):
        results[name] = strategy.unwrap(value)[0]
        updates.append(strategy.group(update))
    return (
        _combined_scaffold(strategy, specs.scaffold),
        _first_of_each(strategy, specs.evaluation_hooks),
        hooks,
        group(*updates),
        results,
    )


def _inputs(
    estimator: Any, strategy: Any, input_fn: Any, mode: str
) -> tuple[Any, Any, list[SessionRunHook]]:
    """Features, labels and hooks of an input function that returns a Dataset."""

    def call(context: Any) -> Any:
        return estimator._call_input_fn(input_fn, mode, context)

    iterator = strategy.make_input_fn_iterator(call)
    element = iterator.get_next()
    hooks: list[SessionRunHook] = [DatasetInitializerHook(iterator)]
    if isinstance(element, (list, tuple)):
        if len(element) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return element[0], element[1], hooks
    return element, None, hooks


@contextmanager
def _losses_scaled(strategy: Any) -> Iterator[None]:
    """A with block in which optimizers take the mean of the losses of the replicas."""
    before = strategy._scale_loss_for_estimator
    strategy._scale_loss_for_estimator = True
    try:
        yield
    finally:
        strategy._scale_loss_for_estimator = before


def _first_of_each(strategy: Any, hooks: Sequence[Any] | None) -> list[Any]:
    """The hooks of the first replica."""
    return [strategy.unwrap(hook)[0] for hook in hooks or ()]


def _combined_scaffold(strategy: Any, scaffolds: Any) -> Scaffold:
    """A Scaffold that does what those of all replicas do."""
    parts = list(strategy.unwrap(scaffolds))
    parts = [Scaffold() if part is None else part for part in parts]

    def combined(name: str, combine: Callable[[list[Any]], Any]) -> Any:
        found = [getattr(part, name) for part in parts]
        present = list(dict.fromkeys(item for item in found if item is not None))
        return combine(present) if present else None

    def all_of(ops: list[Any]) -> Any:
        return ops[0] if len(ops) == 1 else group(*ops)

    def joined(names: list[Any]) -> Any:
        return names[0] if len(names) == 1 else concat(names, 0)

    return Scaffold(
        init_op=combined("init_op", all_of),
        init_feed_dict=parts[0].init_feed_dict,
        init_fn=parts[0]._user_init_fn,
        ready_op=combined("ready_op", joined),
        ready_for_local_init_op=combined("ready_for_local_init_op", joined),
        local_init_op=combined("local_init_op", all_of),
        summary_op=parts[0].summary_op,
        saver=parts[0].saver,
    )
