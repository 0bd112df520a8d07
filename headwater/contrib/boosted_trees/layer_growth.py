"""The ops that grow a layer of an ensemble, or center its bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.boosted_trees.accumulators import StatsAccumulator
from headwater.contrib.boosted_trees.split_handlers import BaseSplitHandler
from headwater.graph import Tensor, build
from headwater.graph.default_graph import control_dependencies
from headwater.model.variables.variable import Variable
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.stack import stack
from headwater.ops.control.cond import cond
from headwater.ops.linalg.solve import matrix_solve
from headwater.ops.math.comparison import greater
from headwater.ops.math.reduce_functions import reduce_all
from headwater.ops.math.select import where


def grown(
    ensemble_handle: Tensor,
    stamp: Tensor,
    next_stamp: Tensor,
    handlers: Sequence[BaseSplitHandler],
    config: Any,
    dropout_seed: Tensor,
    class_id: Tensor,
    max_tree_depth: TensorLike,
    center_bias: bool,
) -> Tensor:
    """Makes the ops that add a layer to the ensemble.

    Args:
        ensemble_handle: the handle of the ensemble.
        stamp: its stamp.
        next_stamp: its next stamp.
        handlers: the handlers of features.
        config: a LearnerConfig message.
        dropout_seed: the seed that says which trees were left out.
        class_id: the class that the tree is for; -1 for all.
        max_tree_depth: the depth of trees.
        center_bias: whether the first tree is the bias.

    Returns:
        True, once the layer was added. Without splits of all handlers, only the stamp changes.
    """
    proposals = [handler.make_splits(stamp, next_stamp, class_id) for handler in handlers]
    columns = [list(column) for column in zip(*(splits for _, splits in proposals))]
    ready = reduce_all(stack([ready for ready, _ in proposals]))
    tuner = config.learning_rate_tuner
    which = tuner.WhichOneof("tuner")
    rate = getattr(tuner, which).learning_rate if which in ("fixed", "dropout") else None
    if rate is None:
        raise ValueError("Line search is not supported yet." if which else "No learning rate.")

    def grow(partition_ids: list[Tensor], gains: list[Tensor], splits: list[Tensor]) -> Tensor:
        op = build.GrowTreeEnsemble(
            ensemble_handle,
            stamp,
            next_stamp,
            rate,
            dropout_seed,
            max_tree_depth,
            config.weak_learner_type,
            partition_ids,
            gains,
            splits,
            learner_config=config.SerializeToString(),
            center_bias=center_bias,
        )
        with control_dependencies([op]):
            return build.Identity(True)

    with control_dependencies([tensor for column in columns for tensor in column]):
        return cond(ready, lambda: grow(*columns), lambda: grow([], [], []))


def centered(
    ensemble_handle: Tensor,
    stamp: Tensor,
    next_stamp: Tensor,
    handlers: Sequence[BaseSplitHandler],
    config: Any,
    accumulator: StatsAccumulator,
    continue_centering: Variable,
) -> Tensor:
    """Makes the ops that move the bias by a Newton step.

    Args:
        ensemble_handle: the handle of the ensemble.
        stamp: its stamp.
        next_stamp: its next stamp.
        handlers: the handlers of features, which begin anew.
        config: a LearnerConfig message.
        accumulator: the sums of gradients and hessians.
        continue_centering: the variable that says whether the bias is still to be centered.

    Returns:
        True, once the bias was moved.
    """
    _, _, _, gradients, hessians = accumulator.flush(stamp, next_stamp)
    again = build.CenterTreeEnsembleBias(
        ensemble_handle,
        stamp,
        next_stamp,
        _newton_step(gradients, hessians),
        learner_config=config.SerializeToString(),
    )
    with control_dependencies([again]):
        ops = [continue_centering.assign(again).op]
        ops += [handler.reset(stamp, next_stamp) for handler in handlers]
    with control_dependencies(ops):
        return build.Identity(True)


def _newton_step(gradients: Tensor, hessians: Tensor) -> Tensor:
    """The change of each logit; none where the loss is flat."""
    if hessians.shape.ndims == 3:
        return -squeeze(matrix_solve(hessians, expand_dims(gradients, 2)), [2])
    is_curved = greater(hessians, 0.0)
    divisors = where(is_curved, hessians, build.OnesLike(hessians))
    return where(is_curved, -gradients / divisors, build.ZerosLike(hessians))
