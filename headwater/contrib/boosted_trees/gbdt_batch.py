"""Training of gradient boosted trees from batches.

Source: Ponomareva et al., "TF Boosted Trees: a scalable TensorFlow based framework for gradient
boosting", ECML PKDD 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.contrib.boosted_trees.accumulators import StatsAccumulator
from headwater.contrib.boosted_trees.extracted_features import extract_features
from headwater.contrib.boosted_trees.layer_growth import centered, grown
from headwater.contrib.boosted_trees.scheduling import run_handler_scheduled_ops
from headwater.contrib.boosted_trees.split_handlers import (
    BaseSplitHandler,
    DenseSplitHandler,
    EqualitySplitHandler,
    SparseSplitHandler,
)
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.distributed.device_setter import replica_device_setter
from headwater.graph import Operation, Tensor, build, group
from headwater.graph.default_graph import control_dependencies
from headwater.graph.gradients import gradients as gradients_of
from headwater.model.losses.weighting import Reduction
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import fill, zeros
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack
from headwater.ops.control.cond import cond
from headwater.ops.linalg.norm import norm
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal, less
from headwater.ops.math.division import mod
from headwater.ops.math.logical import logical_and
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.select import where
from headwater.ops.random.stateless import stateless_random_uniform
from headwater.protos.lazy import learner_pb2

ENSEMBLE_STAMP = "ensemble_stamp"
PREDICTIONS = "predictions"
PARTITION_IDS = "partition_ids"
NUM_LAYERS_ATTEMPTED = "num_layers"
NUM_TREES_ATTEMPTED = "num_trees"
NUM_USED_HANDLERS = "num_used_handlers"
USED_HANDLERS_MASK = "used_handlers_mask"
LEAF_INDEX = "leaf_index"


class GBDTTrainingState(NamedTuple):
    """What training keeps between steps: counters, accumulators and handlers."""

    num_layer_examples: Variable
    num_layer_steps: Variable
    num_layers: Variable
    active_tree: Variable
    active_layer: Variable
    continue_centering: Variable
    bias_stats_accumulator: StatsAccumulator
    steps_accumulator: StatsAccumulator
    handlers: list[BaseSplitHandler]


def _counter(name: str, value: Any = 0) -> Variable:
    dtype = dtypes.bool_ if isinstance(value, bool) else dtypes.int64
    return Variable(initial_value=constant(value, dtype), trainable=False, name=name)


def _is_training(mode: Any) -> bool:
    return bool(mode == ModeKeys.TRAIN)


class GradientBoostedDecisionTreeModel:
    """Gradient boosted trees of batches.

    Args:
        is_chief: whether this task grows the trees.
        num_ps_replicas: the number of parameter servers.
        ensemble_handle: the handle of the ensemble.
        center_bias: whether the first tree is one leaf, the best constant.
        examples_per_layer: how many examples a layer is grown from: a number, or a function of the
            index of the layer that returns one.
        learner_config: a LearnerConfig message; what it leaves open is filled in.
        features: {name: a tensor or SparseTensor}.
        logits_dimension: the number of logits.
        loss_reduction: how the loss of a batch is reduced, a name of tf.losses.Reduction.
        feature_columns: the columns to use; None for the features as they are.
        use_core_columns: whether these are columns of tf.feature_column.
        output_leaf_index: whether predictions have the leaf of each tree.
        output_leaf_index_modes: the modes in which they do; evaluation and prediction by default.
        num_quantiles: the number of thresholds of a numeric feature.

    Raises:
        ValueError: if an argument is missing or of no use.
    """

    def __init__(
        self,
        is_chief: bool,
        num_ps_replicas: int,
        ensemble_handle: Tensor | None,
        center_bias: bool,
        examples_per_layer: Any,
        learner_config: Any,
        features: Mapping[str, Any] | None,
        logits_dimension: int,
        loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
        feature_columns: Sequence[Any] | None = None,
        use_core_columns: bool = False,
        output_leaf_index: bool = False,
        output_leaf_index_modes: Sequence[str] | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if ensemble_handle is None:
            raise ValueError("ensemble_handle must be specified.")
        if learner_config is None:
            raise ValueError("learner_config must be specified.")
        if learner_config.num_classes < 2:
            raise ValueError("Number of classes must be >=2")
        self._is_chief = is_chief
        self._num_ps_replicas = num_ps_replicas
        self._ensemble_handle = ensemble_handle
        self._center_bias = center_bias
        self._examples_per_layer = examples_per_layer
        self._logits_dimension = logits_dimension
        self._num_quantiles = num_quantiles
        self._output_leaf_index = output_leaf_index
        self._output_leaf_index_modes = output_leaf_index_modes or (ModeKeys.EVAL, ModeKeys.INFER)
        self._loss_uses_sum_reduction = _uses_sum(loss_reduction)
        self._learner_config = _completed(learner_config)
        self._serialized_config = self._learner_config.SerializeToString()
        depth = self._learner_config.constraints.max_tree_depth
        self._max_tree_depth = Variable(initial_value=int(depth))
        self._attempted_trees = _counter("attempted_trees")
        self._finalized_trees = _counter("finalized_trees")
        self._features = extract_features(features, feature_columns, use_core_columns)
        strategies = learner_pb2.LearnerConfig
        strategy = self._learner_config.multi_class_strategy
        self._is_per_class = strategy == strategies.TREE_PER_CLASS
        size = logits_dimension
        if size == 1 or self._is_per_class:
            self._gradient_shape = self._hessian_shape = TensorShape([])
        else:
            self._gradient_shape = TensorShape([size])
            full = strategy == strategies.FULL_HESSIAN
            self._hessian_shape = TensorShape([size, size] if full else [size])

    def get_max_tree_depth(self) -> Variable:
        """The variable of the depth of trees."""
        return self._max_tree_depth

    def get_number_of_trees_tensor(self) -> tuple[Variable, Variable]:
        """The variables of the numbers of finished and of attempted trees."""
        return self._finalized_trees, self._attempted_trees

    # Prediction

    def predict(self, mode: str) -> dict[str, Tensor]:
        """Predictions of the ensemble.

        Args:
            mode: a mode of tf.contrib.learn.ModeKeys.

        Returns:
            {name: tensor}: "predictions", the stamp of the ensemble, the leaf of each example in
            the tree that grows, and the counters of the ensemble.
        """
        handle = self._ensemble_handle
        stamp = build.TreeEnsembleStampToken(handle)
        *_, trees, layers = build.TreeEnsembleStats(handle, stamp)
        used, mask = build.TreeEnsembleUsedHandlers(
            handle, stamp, num_all_handlers=len(self._features.names)
        )
        training = _is_training(mode)
        features = self._features[1:]
        with_leaves = self._output_leaf_index and mode in self._output_leaf_index_modes
        predict = (
            build.GradientTreesPredictionVerbose if with_leaves else build.GradientTreesPrediction
        )
        config = self._learner_config
        predicted = predict(
            handle,
            trees if training else constant(-1, dtypes.int64),
            *features,
            learner_config=self._serialized_config,
            apply_dropout=training,
            apply_averaging=not training,
            center_bias=self._center_bias,
            reduce_dim=self._logits_dimension + 1 == config.num_classes,
        )
        result = {
            ENSEMBLE_STAMP: stamp,
            PREDICTIONS: predicted[0],
            PARTITION_IDS: build.GradientTreesPartitionExamples(handle, *features),
            NUM_LAYERS_ATTEMPTED: layers,
            NUM_TREES_ATTEMPTED: trees,
            NUM_USED_HANDLERS: used,
            USED_HANDLERS_MASK: mask,
        }
        if with_leaves:
            result[LEAF_INDEX] = predicted[2]
        return result

    # Training

    def train(self, loss: Tensor, predictions_dict: dict[str, Tensor], labels: Any) -> Operation:
        """Makes the op of a step: gathers statistics, and grows a layer from enough of them.

        Args:
            loss: the loss of the batch.
            predictions_dict: what `predict` returned.
            labels: unused.

        Returns:
            The op.
        """
        updates, state = self.update_stats(loss, predictions_dict)
        with control_dependencies(updates):
            grow = self.increment_step_counter_and_maybe_update_ensemble(predictions_dict, state)
        return group(grow, *updates)

    def update_stats(
        self, loss: Tensor, predictions_dict: dict[str, Tensor]
    ) -> tuple[list[Operation], GBDTTrainingState]:
        """Makes the ops that gather the statistics of a batch.

        Args:
            loss: the loss of the batch.
            predictions_dict: what `predict` returned.

        Returns:
            The ops, and what training keeps between steps.
        """
        predictions = predictions_dict[PREDICTIONS]
        partitions = predictions_dict[PARTITION_IDS]
        stamp = predictions_dict[ENSEMBLE_STAMP]
        gradients, hessians = self._derivatives(loss, predictions, predictions_dict)
        weights = self._get_weights(self._hessian_shape, hessians)
        handlers = self._make_handlers()
        bias = self._accumulator("BiasAccumulator", self._logits_shapes())
        state = GBDTTrainingState(
            num_layer_examples=_counter("num_layer_examples"),
            num_layer_steps=_counter("num_layer_steps"),
            num_layers=_counter("num_layers"),
            active_tree=_counter("active_tree"),
            active_layer=_counter("active_layer"),
            continue_centering=_counter("continue_centering", self._center_bias),
            bias_stats_accumulator=bias,
            steps_accumulator=self._accumulator(
                "StepsAccumulator", (TensorShape([]), TensorShape([]))
            ),
            handlers=handlers,
        )
        reads = run_handler_scheduled_ops(
            {handler: handler.scheduled_reads() for handler in handlers}, stamp, None
        )
        active = self._active_handlers(len(handlers), predictions_dict)
        updates: list[Operation] = []
        scheduled: dict[Any, Any] = {}
        empty = gradients[:0], hessians[:0]
        for place, handler in enumerate(handlers):
            update, scheduled[handler] = handler.update_stats(
                stamp,
                partitions,
                gradients,
                hessians,
                *empty,
                weights,
                active[place],
                reads[handler],
            )
            updates.append(update)
        for made in run_handler_scheduled_ops(scheduled, stamp, None).values():
            updates += made
        if self._center_bias:
            with_bias = self._make_update_bias_stats_fn(stamp, predictions, loss, bias)
            updates.append(
                group(cond(state.continue_centering, with_bias, lambda: build.Identity(False)))
            )
        return updates, state

    def increment_step_counter_and_maybe_update_ensemble(
        self, predictions_dict: dict[str, Tensor], training_state: GBDTTrainingState
    ) -> Operation:
        """Makes the op that counts a step, and grows a layer once there were enough examples.

        Args:
            predictions_dict: what `predict` returned.
            training_state: what `update_stats` returned.

        Returns:
            The op.
        """
        state = training_state
        stamp = predictions_dict[ENSEMBLE_STAMP]
        count = shape(predictions_dict[PREDICTIONS])[:1]
        one = constant([1.0])
        add = state.steps_accumulator.add(stamp, [0], [[0, 0]], cast(count, "float32"), one)
        if not self._is_chief:
            return add
        with control_dependencies([add]):
            *_, examples, steps = state.steps_accumulator.saveable.serialize()
            # Nothing is there if another task has begun a new layer.
            examples = cast(reduce_sum(examples), dtypes.int64)
            steps = cast(reduce_sum(steps), dtypes.int64)
            noted = [
                state.num_layer_examples.assign(examples).op,
                state.num_layer_steps.assign(steps).op,
            ]
        needed = self._examples_per_layer
        if callable(needed):
            needed = needed(predictions_dict[NUM_LAYERS_ATTEMPTED])
        is_due = greater_equal(examples, cast(needed, dtypes.int64))
        update = self.make_update_ensemble_fn(
            stamp,
            state,
            predictions_dict[NUM_TREES_ATTEMPTED],
            self._get_class_id(predictions_dict),
        )
        with control_dependencies(noted):
            return group(cond(is_due, update, lambda: build.Identity(False)))

    def make_update_ensemble_fn(
        self,
        ensemble_stamp: Tensor,
        training_state: GBDTTrainingState,
        dropout_seed: Tensor,
        class_id: Tensor,
    ) -> Callable[[], Tensor]:
        """Returns the function that makes the ops of growing a layer, or of centering the bias.

        Args:
            ensemble_stamp: the stamp of the ensemble.
            training_state: what `update_stats` returned.
            dropout_seed: the seed that says which trees were left out.
            class_id: the class that the tree is for; -1 for all.
        """
        state = training_state

        def update() -> Tensor:
            next_stamp = ensemble_stamp + 1
            _, examples, *_ = state.steps_accumulator.flush(ensemble_stamp, next_stamp)

            def grow() -> Tensor:
                return grown(
                    self._ensemble_handle,
                    ensemble_stamp,
                    next_stamp,
                    state.handlers,
                    self._learner_config,
                    dropout_seed,
                    class_id,
                    self._max_tree_depth,
                    self._center_bias,
                )

            def center() -> Tensor:
                return centered(
                    self._ensemble_handle,
                    ensemble_stamp,
                    next_stamp,
                    state.handlers,
                    self._learner_config,
                    state.bias_stats_accumulator,
                    state.continue_centering,
                )

            with control_dependencies([examples]):
                done = cond(state.continue_centering, center, grow) if self._center_bias else grow()
            with control_dependencies([done]):
                noted = self._note_stats(next_stamp, state)
            with control_dependencies(noted):
                return build.Identity(True)

        return update

    def _note_stats(self, stamp: Tensor, state: GBDTTrainingState) -> list[Operation]:
        """Copies the counters of the ensemble to variables, and to summaries."""
        finished, layers, tree, layer, attempted, _ = build.TreeEnsembleStats(
            self._ensemble_handle, stamp
        )
        pairs = (
            (self._finalized_trees, finished),
            (self._attempted_trees, attempted),
            (state.num_layers, layers),
            (state.active_tree, tree),
            (state.active_layer, layer),
        )
        return [variable.assign(value).op for variable, value in pairs]

    # Parts of steps

    def _accumulator(self, name: str, shapes: tuple[TensorShape, TensorShape]) -> StatsAccumulator:
        return StatsAccumulator(0, *shapes, name=name)

    def _logits_shapes(self) -> tuple[TensorShape, TensorShape]:
        if self._logits_dimension == 1:
            return TensorShape([]), TensorShape([])
        if self._hessian_shape.ndims == 2:
            return self._gradient_shape, self._hessian_shape
        return TensorShape([self._logits_dimension]), TensorShape([self._logits_dimension])

    def _derivatives(
        self, loss: Tensor, predictions: Tensor, predictions_dict: dict[str, Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Gradients and hessians of examples, of the shapes that handlers take."""
        gradients = gradients_of(loss, predictions)[0]
        if self._logits_dimension == 1:
            hessians = gradients_of(gradients, predictions)[0]
            return squeeze(gradients, [1]), squeeze(hessians, [1])
        if self._is_per_class:
            chosen = self._get_class_id(predictions_dict)
            gradients = gather(gradients, chosen, axis=1)
            hessians = gradients_of(gradients, predictions)[0]
            return gradients, gather(hessians, chosen, axis=1)
        if self._hessian_shape.ndims == 2:
            return gradients, self._full_hessian(gradients, predictions)
        return gradients, self._diagonal_hessian(gradients, predictions)

    def _full_hessian(self, grads: Tensor, predictions: Tensor) -> Tensor:
        """The hessians of examples, [examples, logits, logits]."""
        rows = [
            gradients_of(grads[:, row], predictions)[0] for row in range(self._logits_dimension)
        ]
        return stack(rows, axis=2)

    def _diagonal_hessian(self, grads: Tensor, predictions: Tensor) -> Tensor:
        """The diagonals of the hessians of examples, [examples, logits]."""
        columns = [
            gradients_of(grads[:, row], predictions)[0][:, row]
            for row in range(self._logits_dimension)
        ]
        return stack(columns, axis=1)

    def _get_weights(self, hessian_shape: TensorShape, hessians: Tensor) -> Tensor:
        """The weights of examples in quantiles, [examples, 1]."""
        if hessian_shape.ndims == 0:
            return expand_dims(hessians, 1)
        axes = 1 if hessian_shape.ndims == 1 else [1, 2]
        lengths = norm(hessians, axis=axes)
        return expand_dims(lengths, 1)

    def _get_class_id(self, predictions_dict: dict[str, Tensor]) -> Tensor:
        """The class that the next layer is for; -1 for all."""
        if not self._is_per_class or self._logits_dimension == 1:
            return constant(-1, dtypes.int32)
        trees = predictions_dict[NUM_TREES_ATTEMPTED]
        return cast(mod(trees, self._logits_dimension), dtypes.int32)

    def _make_handlers(self) -> list[BaseSplitHandler]:
        """A handler for each feature."""
        config, features = self._learner_config, self._features
        depth_options: dict[str, Any] = {
            "l1_regularization": config.regularization.l1,
            "l2_regularization": config.regularization.l2,
            "tree_complexity_regularization": config.regularization.tree_complexity,
            "min_node_weight": config.constraints.min_node_weight,
            "gradient_shape": self._gradient_shape,
            "hessian_shape": self._hessian_shape,
            "multiclass_strategy": config.multi_class_strategy,
            "loss_uses_sum_reduction": self._loss_uses_sum_reduction,
        }
        count = self._num_quantiles
        quantiles = {"epsilon": 1.0 / count, "num_quantiles": count}
        learner = {"weak_learner_type": config.weak_learner_type}
        names = iter(features.names)
        handlers: list[BaseSplitHandler] = []
        for group_id, dense in enumerate(features.dense_floats):
            options = {**depth_options, **quantiles, **learner, "feature_column_group_id": group_id}
            handlers.append(DenseSplitHandler(dense, name=next(names), **options))
        for group_id, sparse in enumerate(features.sparse_floats()):
            options = {**depth_options, **quantiles, "feature_column_group_id": group_id}
            handlers.append(SparseSplitHandler(sparse, name=next(names), **options))
        for group_id, ids in enumerate(features.sparse_ints()):
            options = {**depth_options, **learner, "feature_column_group_id": group_id}
            handlers.append(EqualitySplitHandler(ids, name=next(names), **options))
        return handlers

    def _active_handlers(self, count: int, predictions_dict: dict[str, Tensor]) -> Tensor:
        """Which features are used, bool [handlers, 2]: in this layer, and in the next one."""
        config = self._learner_config
        which = config.WhichOneof("feature_fraction")
        if which is None:
            active = fill([count, 2], True)
        else:
            fraction = getattr(config, which)

            def drawn(number: Tensor, salt: int) -> Tensor:
                seed = stack([number, constant(salt, dtypes.int64)])
                return less(stateless_random_uniform([count], seed=seed), fraction)

            if which == "feature_fraction_per_tree":
                now = drawn(predictions_dict[NUM_TREES_ATTEMPTED], 2)
                later = fill([count], True)
            else:
                layer = predictions_dict[NUM_LAYERS_ATTEMPTED]
                now, later = drawn(layer, 1), drawn(layer + 1, 1)
            active = stack([now, later], axis=1)
        most = config.constraints.max_number_of_unique_feature_columns
        if most > 0:
            may_add = less(predictions_dict[NUM_USED_HANDLERS], most)
            used = expand_dims(predictions_dict[USED_HANDLERS_MASK], 1)
            allowed = where(may_add, fill([count, 1], True), used)
            active = logical_and(active, allowed)
        return active

    def _make_update_bias_stats_fn(
        self,
        ensemble_stamp: Tensor,
        predictions: Tensor,
        loss: Tensor,
        bias_stats_accumulator: StatsAccumulator,
    ) -> Callable[[], Tensor]:
        """Returns the function that makes the op of adding a batch to the bias."""
        gradients = gradients_of(loss, predictions)[0]
        if self._logits_dimension == 1:
            hessians = gradients_of(gradients, predictions)[0]
            gradients, hessians = squeeze(gradients, [1]), squeeze(hessians, [1])
        elif self._hessian_shape.ndims == 2:
            hessians = self._full_hessian(gradients, predictions)
        else:
            hessians = self._diagonal_hessian(gradients, predictions)

        def update() -> Tensor:
            count = shape(predictions)[0]
            add = bias_stats_accumulator.add(
                ensemble_stamp,
                zeros([count], dtypes.int32),
                zeros([count, 2], dtypes.int64),
                gradients,
                hessians,
            )
            with control_dependencies([add]):
                return build.Identity(True)

        return update

    def _get_replica_device_setter(self, worker_device: Any) -> Any:
        """The function that places ops on devices."""
        return replica_device_setter(
            worker_device=worker_device,
            ps_tasks=self._num_ps_replicas,
            merge_devices=True,
        )


def _uses_sum(loss_reduction: str) -> bool:
    means = (
        Reduction.SUM_OVER_BATCH_SIZE,
        Reduction.SUM_OVER_NONZERO_WEIGHTS,
        Reduction.SUM_BY_NONZERO_WEIGHTS,
        Reduction.MEAN,
    )
    if loss_reduction in means:
        return False
    if loss_reduction == Reduction.SUM:
        return True
    raise ValueError(f"Invalid loss reduction is provided: {loss_reduction}.")


def _completed(config: Any) -> Any:
    """Fills in what a LearnerConfig leaves open."""
    kinds = learner_pb2.LearnerConfig
    if config.multi_class_strategy == kinds.MULTI_CLASS_STRATEGY_UNSPECIFIED:
        several = config.num_classes > 2
        config.multi_class_strategy = kinds.DIAGONAL_HESSIAN if several else kinds.TREE_PER_CLASS
    if config.growing_mode == kinds.GROWING_MODE_UNSPECIFIED:
        config.growing_mode = kinds.LAYER_BY_LAYER
    oblivious = config.weak_learner_type == kinds.OBLIVIOUS_DECISION_TREE
    if config.pruning_mode == kinds.PRUNING_MODE_UNSPECIFIED:
        config.pruning_mode = kinds.PRE_PRUNE if oblivious else kinds.POST_PRUNE
    if oblivious and config.pruning_mode == kinds.POST_PRUNE:
        raise ValueError("Post pruning is not implmented for oblivious decision trees.")
    if config.constraints.max_tree_depth == 0:
        # Trees of this depth grow from a thousand examples without becoming stumps.
        config.constraints.max_tree_depth = 4
    return config
