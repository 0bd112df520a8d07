"""How boosted trees grow: layer by layer, from one batch or from several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.estimator.canned.tree_features import FeatureGroup
from headwater.estimator.canned.tree_resources import States, TreeEnsemble
from headwater.graph import Operation, Tensor, build, group
from headwater.graph.default_graph import control_dependencies
from headwater.model.queues.accumulators import ConditionalAccumulator
from headwater.model.variables.variable import Variable
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.stack import stack, unstack
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.reduce_functions import reduce_mean, reduce_min

Branch = Callable[[], Tensor]


class TreeParams(NamedTuple):
    """The parameters of boosted trees."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: int
    quantile_sketch_epsilon: float


def when(condition: Tensor, make: Callable[[], Any], otherwise: Callable[[], Any]) -> Operation:
    """Runs one of two ops.

    Args:
        condition: a bool scalar.
        make: makes the op for True.
        otherwise: makes the op for False.

    Returns:
        The op.
    """

    def after(make_op: Callable[[], Any]) -> Branch:
        def branch() -> Tensor:
            with control_dependencies([make_op()]):
                return build.Identity(condition)

        return branch

    return group(cond(condition, after(make), after(otherwise)))


class Grower:
    """Grows an ensemble from the statistics of one batch, which is all data.

    Args:
        ensemble: the ensemble.
        params: the parameters.
        groups: the features by kind.
        states: the state of the ensemble before the step.
        bias_needed: the variable that tells whether the bias is still to be centered.
    """

    def __init__(
        self,
        ensemble: TreeEnsemble,
        params: TreeParams,
        groups: Sequence[FeatureGroup],
        states: States,
        bias_needed: Variable,
    ) -> None:
        self.ensemble = ensemble
        self.params = params
        self.groups = groups
        self.states = states
        self.bias_needed = bias_needed

    def initializers(self) -> list[Operation]:
        """Ops that run when a session was made."""
        return []

    def center(self, gradients: Tensor, hessians: Tensor) -> Operation:
        """The op that centers the bias, from gradients and hessians [examples, 1]."""
        return self._centered(reduce_mean(gradients, 0), reduce_mean(hessians, 0))

    def grow(self, stats: Sequence[Sequence[Tensor]]) -> Operation:
        """The op that adds a layer, from the statistics of the features of each group."""
        return self._grown(stats)

    def _centered(self, gradient: Tensor, hessian: Tensor) -> Operation:
        again = build.BoostedTreesCenterBias(
            self.ensemble.resource_handle,
            expand_dims(gradient, 0),
            expand_dims(hessian, 0),
            self.params.l1,
            self.params.l2,
        )
        return self._noted(again)

    def _noted(self, again: Tensor) -> Operation:
        noted: Operation = self.bias_needed.assign(again, read_value=False)
        return noted

    def _grown(self, stats: Sequence[Sequence[Tensor]]) -> Operation:
        params = self.params
        columns: list[list[Tensor]] = [[] for _ in range(5)]
        for of_group in stats:
            found = build.BoostedTreesCalculateBestGainsPerFeature(
                self.states.last_layer_nodes_range,
                of_group,
                params.l1,
                params.l2,
                params.tree_complexity,
                params.min_node_weight,
                max_splits=(1 << params.max_depth) - 1,
            )
            for column, tensors in zip(columns, found):
                column += tensors if isinstance(tensors, (list, tuple)) else [tensors]
        grown: Operation = build.BoostedTreesUpdateEnsemble(
            self.ensemble.resource_handle,
            [i for of_group in self.groups for i in of_group.feature_ids],
            *columns,
            params.max_depth,
            params.learning_rate,
            pruning_mode=params.pruning_mode,
        )
        return grown


class AccumulatingGrower(Grower):
    """Grows an ensemble from the mean statistics of several batches.

    Args:
        n_batches_per_layer: the number of batches.
        arguments: those of Grower.
    """

    def __init__(self, n_batches_per_layer: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._needed = n_batches_per_layer
        splits = (1 << self.params.max_depth) - 1
        self._accumulators = [
            _accumulator((len(of_group.feature_ids), splits, of_group.num_buckets, 2))
            for of_group in self.groups
        ]
        stamp = self.states.stamp_token
        self._set = [a.set_global_step(stamp) for a in self._accumulators]
        self._bias: ConditionalAccumulator | None = None
        if self.params.center_bias:
            self._bias = _accumulator((2, 1))
            self._set.append(self._bias.set_global_step(stamp))

    def initializers(self) -> list[Operation]:
        """Ops that run when a session was made."""
        return self._set

    def center(self, gradients: Tensor, hessians: Tensor) -> Operation:
        """The op that centers the bias, from gradients and hessians [examples, 1]."""
        bias = self._bias
        if bias is None:
            return no_op()
        mean = reduce_mean(stack([gradients, hessians]), 1)
        with control_dependencies([bias.apply_grad(mean, self.states.stamp_token)]):
            enough = greater_equal(bias.num_accumulated(), self._needed)

        def center() -> Operation:
            gradient, hessian = unstack(bias.take_grad(1))
            return self._centered(gradient, hessian)

        return when(enough, center, no_op)

    def _noted(self, again: Tensor) -> Operation:
        noted = super()._noted(again)
        following = self.states.stamp_token + 1
        # The statistics of trees are those of the ensemble as it is once the bias is centered.
        with control_dependencies([noted]):
            return when(
                build.Identity(again),
                no_op,
                lambda: group(*(a.set_global_step(following) for a in self._accumulators)),
            )

    def grow(self, stats: Sequence[Sequence[Tensor]]) -> Operation:
        """The op that adds a layer, from the statistics of the features of each group."""
        stamp = self.states.stamp_token
        added = [a.apply_grad(stack(of), stamp) for a, of in zip(self._accumulators, stats)]
        with control_dependencies(added):
            counts = stack([a.num_accumulated() for a in self._accumulators])
        enough = greater_equal(reduce_min(counts), self._needed)

        def grow() -> Operation:
            means = [a.take_grad(1) for a in self._accumulators]
            return self._grown([unstack(mean) for mean in means])

        return when(enough, grow, no_op)


def _accumulator(shape: tuple[int, ...]) -> ConditionalAccumulator:
    return ConditionalAccumulator(dtypes.float32, shape=shape, shared_name="")
