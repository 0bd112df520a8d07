"""The model function of boosted trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.tree_caches import (
    NoCache,
    VariableCache,
    cached_buckets,
    local_flag,
)
from headwater.estimator.canned.tree_features import (
    FeatureGroup,
    TreeInputs,
    dimensions,
    feature_groups,
    feature_names,
)
from headwater.estimator.canned.tree_growers import AccumulatingGrower, Grower, TreeParams, when
from headwater.estimator.canned.tree_resources import (
    QuantileAccumulator,
    States,
    TreeEnsemble,
)
from headwater.estimator.head.checks import weights_like_logits
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Operation, Tensor, build, group, name_scope
from headwater.graph.default_graph import control_dependencies
from headwater.graph.gradients import gradients
from headwater.model.feature_column.numeric import NumericColumn
from headwater.model.global_step import get_global_step
from headwater.model.queues.accumulators import ConditionalAccumulator
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant
from headwater.ops.control.identity import no_op
from headwater.ops.math.comparison import greater_equal
from headwater.ops.summary.scalar import scalar
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

SCOPE = "boosted_trees"
# The name of the paths among the predictions.
DEBUG_KEY = "example_debug_outputs"
# The gradient and the hessian of the loss of each example, [examples, 1].
Derivatives = Callable[[Tensor, Any], tuple[Tensor, Tensor]]


class GrowerInitializationHook(SessionRunHook):
    """Runs an op when a session was made.

    Args:
        init_op: the op.
    """

    def __init__(self, init_op: Operation) -> None:
        self._init_op = init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs the op."""
        session.run(self._init_op)


class StopAtAttemptsHook(SessionRunHook):
    """Ends training when there are enough trees, or too many layers did not grow.

    Args:
        states: the state of the ensemble.
        max_trees: the number of trees.
        max_depth: their depth.
    """

    def __init__(self, states: States, max_trees: int, max_depth: int) -> None:
        self._counts = [states.num_finalized_trees, states.num_attempted_layers]
        self._max_trees = max_trees
        self._max_layers = 2 * max_trees * max_depth

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the state before the step."""
        return SessionRunArgs(self._counts)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends training."""
        trees, layers = run_values.results
        if trees >= self._max_trees - 1 or layers > self._max_layers - 1:
            # The step may have added the last layer, so the state is read once more.
            trees, layers = run_context.session.run(self._counts)
        if trees >= self._max_trees or layers > self._max_layers:
            run_context.request_stop()


def boosted_trees_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    columns: Sequence[Any],
    params: TreeParams,
    n_batches_per_layer: int,
    derivatives: Derivatives | None = None,
    weight_column: Any = None,
    in_memory: bool = False,
    explain: bool = False,
) -> EstimatorSpec:
    """The model function of boosted trees.

    Args:
        features: the features by name.
        labels: the labels.
        mode: a value of ModeKeys.
        head: the head, of one logit.
        columns: the columns, sorted by name.
        params: the parameters.
        n_batches_per_layer: the number of batches for a layer.
        derivatives: a function of logits and labels; None to differentiate the loss of the head.
        weight_column: the name or column of the weights of examples; or None.
        in_memory: whether all examples are one batch, which is kept.
        explain: whether predictions have explanations.

    Returns:
        An EstimatorSpec.
    """
    with name_scope(SCOPE) as scope:
        ensemble = TreeEnsemble(scope)
        numeric = [c for c in columns if isinstance(c, NumericColumn)]
        epsilon = params.quantile_sketch_epsilon
        # One bucket for each step of the error that is allowed.
        quantiles = int(1 / epsilon)
        accumulator = None
        if numeric:
            streams = sum(dimensions(c) for c in numeric)
            accumulator = QuantileAccumulator(epsilon, streams, quantiles)
        inputs = TreeInputs(features, columns, accumulator)
        if mode != ModeKeys.TRAIN:
            buckets = inputs.buckets()
            logits = build.BoostedTreesPredict(
                ensemble.resource_handle, buckets, logits_dimension=head.logits_dimension
            )
            spec = head.create_estimator_spec(
                features, mode, logits, labels, train_op_fn=lambda _: no_op()
            )
            return _explained(spec, ensemble, buckets) if explain else spec
        step = _TrainingStep(
            ensemble, inputs, accumulator, columns, params, n_batches_per_layer, in_memory
        )

    def train(loss: Tensor) -> Operation:
        # Outside of the branch, since the labels may need a table.
        targets = None if derivatives is None else head._processed_labels(step.logits, labels)

        def grow() -> Operation:
            if derivatives is None:
                (gradient,) = gradients(loss, step.logits, name="Gradients")
                (hessian,) = gradients(gradient, step.logits, name="Hessians")
            else:
                gradient, hessian = derivatives(step.logits, targets)
            return step.grow(gradient, hessian)

        weights = constant([1.0])
        if weight_column is not None:
            found = weights_like_logits(features, weight_column, step.logits)
            weights = build.Reshape(found, [-1])
        return step.train(grow, weights)

    spec = head.create_estimator_spec(features, mode, step.logits, labels, train_op_fn=train)
    hooks = (StopAtAttemptsHook(step.states, params.n_trees, params.max_depth),)
    starts = GrowerInitializationHook(group(*step.grower.initializers()))
    return spec._replace(
        training_hooks=(*hooks, *spec.training_hooks),
        training_chief_hooks=(starts, *spec.training_chief_hooks),
    )


class _TrainingStep:
    """What a step of training needs; made in the name scope of the trees."""

    def __init__(
        self,
        ensemble: TreeEnsemble,
        inputs: TreeInputs,
        accumulator: QuantileAccumulator | None,
        columns: Sequence[Any],
        params: TreeParams,
        n_batches_per_layer: int,
        in_memory: bool,
    ) -> None:
        self._inputs = inputs
        self._accumulator = accumulator
        self._needed = n_batches_per_layer
        self._params = params
        self._ready = local_flag(accumulator is None, "are_boundaries_ready")
        batch_size = inputs.batch_size
        self._cache: NoCache | VariableCache
        if in_memory:
            self.buckets = cached_buckets(
                inputs.buckets, len(feature_names(columns)), batch_size, self._ready.value()
            )
            self._cache = VariableCache(batch_size)
        else:
            self.buckets = inputs.buckets()
            self._cache = NoCache(batch_size)
        self.states = ensemble.get_states()
        partial, self._tree_ids, self._node_ids = build.BoostedTreesTrainingPredict(
            ensemble.resource_handle,
            self._cache.tree_ids,
            self._cache.node_ids,
            self.buckets,
            logits_dimension=1,
        )
        self.logits: Tensor = self._cache.logits + partial
        quantiles = int(1 / params.quantile_sketch_epsilon)
        self._groups: list[FeatureGroup] = feature_groups(columns, quantiles)
        for name in ("num_trees", "num_finalized_trees", "num_attempted_layers"):
            scalar(f"ensemble/{name}", getattr(self.states, name))
        self._bias_needed: Variable = local_flag(params.center_bias, "center_bias_needed")
        arguments = (ensemble, params, self._groups, self.states, self._bias_needed)
        self.grower = (
            Grower(*arguments) if in_memory else AccumulatingGrower(self._needed, *arguments)
        )

    def train(self, grow: Callable[[], Operation], weights: Tensor) -> Operation:
        """The op of a step: it divides numeric features, or grows the ensemble."""
        if self._accumulator is None:
            return grow()
        return when(self._ready.value(), grow, lambda: self._collect(weights))

    def _collect(self, weights: Tensor) -> Operation:
        """Adds the batch to the quantiles; after enough batches, the boundaries are known."""
        accumulator = self._accumulator
        assert accumulator is not None
        added = accumulator.add_summaries(self._inputs.floats, weights)

        def flush() -> Operation:
            with control_dependencies([accumulator.flush()]):
                return self._ready.assign(True, read_value=False)

        if self._needed <= 1:
            with control_dependencies([added]):
                return flush()
        batches = ConditionalAccumulator(dtypes.float32, shape=(), shared_name="")
        stamp = self.states.stamp_token
        with control_dependencies([added, batches.set_global_step(stamp)]):
            counted = batches.apply_grad(0.0, stamp)
        with control_dependencies([counted]):
            enough = greater_equal(batches.num_accumulated(), self._needed)
        return when(enough, flush, no_op)

    def grow(self, gradient: Tensor, hessian: Tensor) -> Operation:
        """The op that adds the batch to a layer and counts the step."""
        stats = [
            [
                build.BoostedTreesMakeStatsSummary(
                    self._node_ids,
                    gradient,
                    hessian,
                    [self.buckets[i]],
                    max_splits=(1 << self._params.max_depth) - 1,
                    num_buckets=group_.num_buckets,
                )[0]
                for i in group_.feature_ids
            ]
            for group_ in self._groups
        ]

        def add_layer() -> Operation:
            keep = self._cache.insert(self._tree_ids, self._node_ids, self.logits)
            return group(self.grower.grow(stats), keep)

        if self._params.center_bias:
            # Nothing is kept before the bias is known.
            grown = when(
                self._bias_needed.value(),
                lambda: self.grower.center(gradient, hessian),
                add_layer,
            )
        else:
            grown = add_layer()
        with control_dependencies([grown]):
            counted: Operation = get_global_step().assign_add(1, read_value=False)
        return counted


def _explained(
    spec: EstimatorSpec, ensemble: TreeEnsemble, buckets: Sequence[Tensor]
) -> EstimatorSpec:
    """Adds the paths of examples through the trees to predictions."""
    paths = build.BoostedTreesExampleDebugOutputs(
        ensemble.resource_handle, buckets, logits_dimension=1
    )
    return spec._replace(predictions={**spec.predictions, DEBUG_KEY: paths})
