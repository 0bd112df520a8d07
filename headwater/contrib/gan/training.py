"""tf.contrib.gan: train ops, hooks and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.gan.namedtuples import (
    CycleGANLoss,
    CycleGANModel,
    GANTrainOps,
    GANTrainSteps,
)
from headwater.contrib.slim.learning import train_step
from headwater.contrib.training.training import create_train_op, train
from headwater.graph import name_scope
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_or_create_global_step
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.sync_replicas import SyncReplicasOptimizer

GetHooks = Callable[[GANTrainOps], list[Any]]

ONE_STEP_EACH = GANTrainSteps(1, 1)


@export("contrib.gan.gan_train_ops")
def gan_train_ops(
    model: Any,
    loss: Any,
    generator_optimizer: Optimizer,
    discriminator_optimizer: Optimizer,
    check_for_unused_update_ops: bool = True,
    is_chief: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """Makes the train ops of a model.

    Args:
        model: a model of this package.
        loss: its GANLoss; for a CycleGANModel its CycleGANLoss.
        generator_optimizer: the optimizer of the generator.
        discriminator_optimizer: the optimizer of the discriminator.
        check_for_unused_update_ops: whether an update op outside of the scopes of both networks is
            an error.
        is_chief: whether this task makes the hooks of optimizers with replicas as the chief.
        **kwargs: more arguments of `tf.contrib.training.create_train_op`.

    Returns:
        A GANTrainOps.

    Raises:
        ValueError: if there is an update op that is not used.
    """
    if isinstance(model, CycleGANModel):
        return _cyclegan_train_ops(
            model,
            loss,
            generator_optimizer,
            discriminator_optimizer,
            check_for_unused_update_ops,
            is_chief,
            **kwargs,
        )
    global_step = get_or_create_global_step()
    global_step_inc = global_step.assign_add(1)
    gen_updates, dis_updates = _update_ops(
        kwargs,
        model.generator_scope.name,
        model.discriminator_scope.name,
        check_for_unused_update_ops,
    )
    gen_op, gen_hooks = _network_train_op(
        "generator",
        loss.generator_loss,
        generator_optimizer,
        model.generator_variables,
        gen_updates,
        global_step,
        is_chief,
        kwargs,
    )
    dis_op, dis_hooks = _network_train_op(
        "discriminator",
        loss.discriminator_loss,
        discriminator_optimizer,
        model.discriminator_variables,
        dis_updates,
        global_step,
        is_chief,
        kwargs,
    )
    return GANTrainOps(gen_op, dis_op, global_step_inc, gen_hooks + dis_hooks)


def _cyclegan_train_ops(
    model: CycleGANModel, loss: CycleGANLoss, *args: Any, **kwargs: Any
) -> GANTrainOps:
    with name_scope("cyclegan_x2y_train"):
        x2y = gan_train_ops(model.model_x2y, loss.loss_x2y, *args, **kwargs)
    with name_scope("cyclegan_y2x_train"):
        y2x = gan_train_ops(model.model_y2x, loss.loss_y2x, *args, **kwargs)
    return GANTrainOps(
        [x2y.generator_train_op, y2x.generator_train_op],
        [x2y.discriminator_train_op, y2x.discriminator_train_op],
        get_or_create_global_step().assign_add(1),
        [*x2y.train_hooks, *y2x.train_hooks],
    )


def _update_ops(
    kwargs: dict[str, Any], gen_scope: str, dis_scope: str, check_for_unused: bool
) -> tuple[list[Any], list[Any]]:
    """The update ops of the generator and of the discriminator."""
    wanted = kwargs.pop("update_ops", None)
    if wanted is None:
        wanted = get_collection(GraphKeys.UPDATE_OPS)
    gen_all = set(get_collection(GraphKeys.UPDATE_OPS, gen_scope))
    dis_all = set(get_collection(GraphKeys.UPDATE_OPS, dis_scope))
    if check_for_unused:
        unused = set(wanted) - gen_all - dis_all
        if unused:
            raise ValueError(f"There are unused update ops: {unused}")
    return [op for op in wanted if op in gen_all], [op for op in wanted if op in dis_all]


def _network_train_op(
    network: str,
    loss: Any,
    optimizer: Optimizer,
    variables: Sequence[Any],
    update_ops: Sequence[Any],
    global_step: Any,
    is_chief: bool,
    kwargs: dict[str, Any],
) -> tuple[Any, list[Any]]:
    """The train op of a network, and the hooks that its optimizer needs."""
    own_step, hooks = None, []
    if isinstance(optimizer, SyncReplicasOptimizer):
        # The optimizer counts its steps; the global step counts those of both networks.
        own_step = get_variable(
            f"dummy_global_step_{network}",
            shape=[],
            dtype=global_step.dtype.base_dtype,
            initializer=Zeros(),
            trainable=False,
        )
        update_ops = [*update_ops, own_step.assign(global_step)]
    with name_scope(f"{network}_train"):
        train_op = create_train_op(
            loss,
            optimizer,
            global_step=own_step,
            update_ops=update_ops,
            variables_to_train=variables,
            **kwargs,
        )
    if isinstance(optimizer, SyncReplicasOptimizer):
        hooks.append(optimizer.make_session_run_hook(is_chief))
    return train_op, hooks


@export("contrib.gan.RunTrainOpsHook")
class RunTrainOpsHook(SessionRunHook):
    """Runs ops some times before each step.

    Args:
        train_ops: an op, or a list of ops.
        train_steps: how many times they run.
    """

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        if not isinstance(train_ops, (list, tuple)):
            train_ops = [train_ops]
        self._train_ops = train_ops
        self._train_steps = train_steps

    def before_run(self, run_context: Any) -> None:
        """Runs the ops.

        Args:
            run_context: the SessionRunContext, whose session runs them.
        """
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


@export("contrib.gan.get_sequential_train_hooks")
def get_sequential_train_hooks(train_steps: GANTrainSteps = ONE_STEP_EACH) -> GetHooks:
    """Makes a function for `gan_train` that trains first the generator, then the discriminator.

    Args:
        train_steps: how many steps each of them makes.

    Returns:
        A function of GANTrainOps that returns hooks.
    """

    def get_hooks(train_ops: GANTrainOps) -> list[Any]:
        return [
            RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
            RunTrainOpsHook(
                train_ops.discriminator_train_op, train_steps.discriminator_train_steps
            ),
        ]

    return get_hooks


@export("contrib.gan.get_joint_train_hooks")
def get_joint_train_hooks(train_steps: GANTrainSteps = ONE_STEP_EACH) -> GetHooks:
    """Makes a function for `gan_train` that trains both networks at once.

    Steps that only one of them makes follow after that.

    Args:
        train_steps: how many steps each of them makes.

    Returns:
        A function of GANTrainOps that returns hooks.
    """
    gen_steps, dis_steps = train_steps
    joint_steps = min(gen_steps, dis_steps)

    def get_hooks(train_ops: GANTrainOps) -> list[Any]:
        gen_ops = _as_list(train_ops.generator_train_op)
        dis_ops = _as_list(train_ops.discriminator_train_op)
        return [
            RunTrainOpsHook(gen_ops + dis_ops, joint_steps),
            RunTrainOpsHook(gen_ops, gen_steps - joint_steps),
            RunTrainOpsHook(dis_ops, dis_steps - joint_steps),
        ]

    return get_hooks


def _as_list(ops: Any) -> list[Any]:
    return list(ops) if isinstance(ops, (list, tuple)) else [ops]


_SEQUENTIAL_HOOKS = get_sequential_train_hooks()


@export("contrib.gan.gan_train")
def gan_train(
    train_ops: GANTrainOps,
    logdir: str | None,
    get_hooks_fn: GetHooks = _SEQUENTIAL_HOOKS,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
) -> Any:
    """Trains until a hook requests a stop.

    Args:
        train_ops: the train ops.
        logdir: the folder of checkpoints and summaries, or None.
        get_hooks_fn: a function of the train ops that returns the hooks that train.
        master: where the graph runs; "" is this process.
        is_chief: whether this task initializes and saves the model.
        scaffold: a Scaffold, or None for the defaults.
        hooks: more SessionRunHooks.
        chief_only_hooks: SessionRunHooks of the chief only.
        save_checkpoint_secs: the interval of checkpoints in seconds, or None.
        save_summaries_steps: the interval of summaries in steps, or None.
        config: a ConfigProto or None.

    Returns:
        The global step at the end.

    Raises:
        ValueError: if `logdir` is None and there are checkpoints or summaries to write.
    """
    all_hooks = [*(hooks or ()), *get_hooks_fn(train_ops), *train_ops.train_hooks]
    return train(
        train_ops.global_step_inc_op,
        logdir,
        master=master,
        is_chief=is_chief,
        scaffold=scaffold,
        hooks=all_hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    )


@export("contrib.gan.get_sequential_train_steps")
def get_sequential_train_steps(
    train_steps: GANTrainSteps = ONE_STEP_EACH,
) -> Callable[..., tuple[Any, Any]]:
    """Makes a `train_step_fn` for `tf.contrib.slim.learning.train`.

    Args:
        train_steps: how many steps each network makes per global step.

    Returns:
        A function of a session, GANTrainOps, the global step and the arguments of
        `tf.contrib.slim.learning.train_step`; it returns the sum of the losses and whether to stop.
    """

    def sequential_train_steps(
        sess: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: dict[str, Any]
    ) -> tuple[Any, Any]:
        # Whether to stop is asked once, after the global step was incremented.
        kwargs = {k: v for k, v in train_step_kwargs.items() if k != "should_stop"}
        gen_loss = dis_loss = 0
        for _ in range(train_steps.generator_train_steps):
            loss, _ = train_step(sess, train_ops.generator_train_op, global_step, kwargs)
            gen_loss += loss
        for _ in range(train_steps.discriminator_train_steps):
            loss, _ = train_step(sess, train_ops.discriminator_train_op, global_step, kwargs)
            dis_loss += loss
        sess.run(train_ops.global_step_inc_op)
        should_stop = False
        if "should_stop" in train_step_kwargs:
            should_stop = sess.run(train_step_kwargs["should_stop"])
        return gen_loss + dis_loss, should_stop

    return sequential_train_steps
