"""Training ops of one loss, and loops that run them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import trainable_variables
from headwater.ops.array.check_numerics import check_numerics as checked
from headwater.ops.array.constant import constant
from headwater.ops.control.identity import no_op
from headwater.ops.math.clip_by_norm import clip_by_norm, global_norm
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.scalar import scalar
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.sessions.monitored_training_session import MonitoredTrainingSession
from headwater.train.sessions.scaffold import Scaffold

# Stands for the global step of the graph where None means that there is none.
USE_GLOBAL_STEP = 0

Gradient = Tensor | IndexedSlices | None
GradsAndVars = list[tuple[Any, Any]]


@export("contrib.training.add_gradients_summaries")
def add_gradients_summaries(grads_and_vars: Sequence[tuple[Any, Any]]) -> list[Tensor]:
    """Makes summaries of the distributions and norms of gradients.

    Args:
        grads_and_vars: pairs of gradient and variable; pairs without gradient are skipped.

    Returns:
        The summaries.
    """
    return gradients_summaries(grads_and_vars, "_")


def gradients_summaries(grads_and_vars: Sequence[tuple[Any, Any]], separator: str) -> list[Tensor]:
    """Makes summaries with names such as "weights_gradient_norm".

    Args:
        grads_and_vars: pairs of gradient and variable; pairs without gradient are skipped.
        separator: what stands between the name of the variable and "gradient".

    Returns:
        The summaries.
    """
    summaries: list[Tensor] = []
    for grad, var in grads_and_vars:
        if grad is None:
            logging.info("Var %s has no gradient", var.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        name = f"{var.op.name}{separator}gradient"
        summaries.append(histogram(name, values))
        summaries.append(scalar(f"{name}_norm", global_norm([values])))
    return summaries


@export("contrib.training.clip_gradient_norms", "contrib.slim.learning.clip_gradient_norms")
def clip_gradient_norms(
    gradients_to_variables: Sequence[tuple[Any, Any]], max_norm: TensorLike
) -> GradsAndVars:
    """Clips each gradient to a norm.

    Args:
        gradients_to_variables: pairs of gradient, which may be None, and variable.
        max_norm: the largest norm.

    Returns:
        The pairs with the clipped gradients.
    """
    return [(_clipped(grad, max_norm), var) for grad, var in gradients_to_variables]


def _clipped(grad: Gradient, max_norm: TensorLike) -> Gradient:
    if isinstance(grad, IndexedSlices):
        values = clip_by_norm(grad.values, max_norm)
        return IndexedSlices(values, grad.indices, grad.dense_shape)
    return None if grad is None else clip_by_norm(grad, max_norm)


@export("contrib.training.clip_gradient_norms_fn")
def clip_gradient_norms_fn(max_norm: TensorLike) -> Callable[[GradsAndVars], GradsAndVars]:
    """Returns `clip_gradient_norms` as a function of the gradients only.

    Args:
        max_norm: the largest norm.

    Returns:
        A function from pairs of gradient and variable to such pairs.
    """

    def clip_norms(gradients_to_variables: GradsAndVars) -> GradsAndVars:
        return clip_gradient_norms(gradients_to_variables, max_norm)

    return clip_norms


@export("contrib.training.multiply_gradients", "contrib.slim.learning.multiply_gradients")
def multiply_gradients(
    grads_and_vars: Sequence[tuple[Any, Any]], gradient_multipliers: dict[Any, Any]
) -> GradsAndVars:
    """Multiplies some of the gradients.

    Args:
        grads_and_vars: pairs of gradient and variable.
        gradient_multipliers: factors by variable or by name of a variable.

    Returns:
        The pairs with the multiplied gradients.

    Raises:
        ValueError: if `grads_and_vars` is not a list, if `gradient_multipliers` is not a dict or
            empty, or if a gradient to multiply is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    multiplied: GradsAndVars = []
    for grad, var in grads_and_vars:
        key = var if var in gradient_multipliers else var.op.name
        if key in gradient_multipliers:
            grad = _multiplied(grad, gradient_multipliers[key])
        multiplied.append((grad, var))
    return multiplied


def _multiplied(grad: Gradient, factor: TensorLike) -> Gradient:
    if grad is None:
        raise ValueError("Requested multiple of `None` gradient.")
    multiplier: Any = factor if isinstance(factor, Tensor) else constant(factor, grad.dtype)
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(grad.values * multiplier, grad.indices, grad.dense_shape)
    product: Tensor = grad * multiplier
    return product


@export("contrib.training.create_train_op")
def create_train_op(
    total_loss: Tensor,
    optimizer: Optimizer,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Sequence[Any] | None = None,
    variables_to_train: Sequence[Variable] | None = None,
    transform_grads_fn: Callable[[GradsAndVars], GradsAndVars] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """Makes the tensor that, when it is evaluated, does a training step and returns the loss.

    Args:
        total_loss: the loss, a scalar.
        optimizer: the optimizer.
        global_step: the variable that counts steps; that of the graph by default, and None for
            none.
        update_ops: ops that run before the gradients are computed; the collection UPDATE_OPS by
            default.
        variables_to_train: the variables to train; all trainable ones by default.
        transform_grads_fn: a function from pairs of gradient and variable to such pairs, or None.
        summarize_gradients: whether summaries of the gradients are made.
        gate_gradients: as in `Optimizer.compute_gradients`, like aggregation_method and
            colocate_gradients_with_ops.
        check_numerics: whether a loss that is not finite is an error.

    Returns:
        A scalar, also found in the collection TRAIN_OP.
    """
    if global_step is USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    total_loss = _after_updates(total_loss, update_ops)
    if variables_to_train is None:
        variables_to_train = trainable_variables()
    else:
        trainable = trainable_variables()
        assert all(any(v is var for var in trainable) for v in variables_to_train)
    assert variables_to_train
    grads: Any = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        grads = transform_grads_fn(grads)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(grads)
    grad_updates = optimizer.apply_gradients(grads, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        train_op: Tensor = with_dependencies([grad_updates], total_loss)
    collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
    if not any(train_op is op for op in collection):
        collection.append(train_op)
    return train_op


def _after_updates(total_loss: Tensor, update_ops: Sequence[Any] | None) -> Tensor:
    collected = get_collection(GraphKeys.UPDATE_OPS)
    if update_ops is None:
        update_ops = collected
    elif not {id(op) for op in collected} <= {id(op) for op in update_ops}:
        logging.warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    if not update_ops:
        return total_loss
    with control_dependencies(list(update_ops)):
        barrier = no_op(name="update_barrier")
    loss: Tensor = with_dependencies([barrier], total_loss)
    return loss


@export("contrib.training.train")
def train(
    train_op: NestedTensors,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: float = 7200,
    run_metadata: Any = None,
) -> Any:
    """Runs training steps until a hook requests a stop.

    Args:
        train_op: what each step fetches.
        logdir: the folder of checkpoints and summaries, or None.
        master: where the graph runs; "" is this process.
        is_chief: whether this task initializes and saves the model.
        scaffold: a Scaffold, or None for the defaults.
        hooks: SessionRunHooks.
        chief_only_hooks: SessionRunHooks of the chief only.
        save_checkpoint_secs: the interval of checkpoints in seconds, or None.
        save_summaries_steps: the interval of summaries in steps, or None.
        config: a ConfigProto or None.
        max_wait_secs: how many seconds another task waits for the chief.
        run_metadata: a RunMetadata that gets the metadata of each step, or None.

    Returns:
        The value of `train_op` at the last step; None if there was no step.

    Raises:
        ValueError: if `logdir` is None and there are checkpoints or summaries to write.
    """
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("logdir cannot be None when save_summaries_steps is not None")
        if save_checkpoint_secs:
            raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
        return loss
