"""tf.contrib.gan.losses.wargs: the losses of generators and discriminators."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, export, name_scope, zeros_like
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.collections import add_loss
from headwater.model.losses.losses import sigmoid_cross_entropy
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.ops.array.fill import ones_like
from headwater.ops.math.arithmetic import squared_difference
from headwater.ops.math.cast import to_float
from headwater.ops.summary.scalar import scalar


def summarize_parts(prefix: str, generated: Tensor, real: Tensor, total: Tensor) -> None:
    """Makes summaries of a loss of the discriminator and of its two parts.

    Args:
        prefix: the kind of loss, such as "wass".
        generated: the part of generated data.
        real: the part of real data.
        total: the loss.
    """
    scalar(f"discriminator_gen_{prefix}_loss", generated)
    scalar(f"discriminator_real_{prefix}_loss", real)
    scalar(f"discriminator_{prefix}_loss", total)


@export("contrib.gan.losses.wargs.wasserstein_generator_loss")
def wasserstein_generator_loss(
    discriminator_gen_outputs: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The Wasserstein loss of a generator: minus the score of what it made.

    Args:
        discriminator_gen_outputs: the scores of generated data.
        weights: a scalar, or a tensor that broadcasts to the scores.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the scores.
    """
    with name_scope(
        scope, "generator_wasserstein_loss", (discriminator_gen_outputs, weights)
    ) as scope:
        scores = to_float(discriminator_gen_outputs)
        loss = compute_weighted_loss(-scores, weights, scope, loss_collection, reduction)
        if add_summaries:
            scalar("generator_wass_loss", loss)
    return loss


@export("contrib.gan.losses.wargs.wasserstein_discriminator_loss")
def wasserstein_discriminator_loss(
    discriminator_real_outputs: TensorLike,
    discriminator_gen_outputs: TensorLike,
    real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The Wasserstein loss of a discriminator: the score of generated less that of real data.

    Args:
        discriminator_real_outputs: the scores of real data.
        discriminator_gen_outputs: the scores of generated data.
        real_weights: a scalar, or a tensor that broadcasts to the scores of real data.
        generated_weights: the same for generated data.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the scores.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = (
        discriminator_real_outputs,
        discriminator_gen_outputs,
        real_weights,
        generated_weights,
    )
    with name_scope(scope, "discriminator_wasserstein_loss", values) as scope:
        real: Any = to_float(discriminator_real_outputs)
        generated: Any = to_float(discriminator_gen_outputs)
        real.shape.assert_is_compatible_with(generated.shape)
        on_generated: Any = compute_weighted_loss(
            generated, generated_weights, scope, None, reduction
        )
        on_real: Any = compute_weighted_loss(real, real_weights, scope, None, reduction)
        loss: Tensor = on_generated - on_real
        add_loss(loss, loss_collection)
        if add_summaries:
            summarize_parts("wass", on_generated, on_real, loss)
    return loss


@export("contrib.gan.losses.wargs.minimax_discriminator_loss")
def minimax_discriminator_loss(
    discriminator_real_outputs: TensorLike,
    discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.25,
    real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The loss of the discriminator of the first adversarial networks: its cross entropy.

    Args:
        discriminator_real_outputs: the logits of real data.
        discriminator_gen_outputs: the logits of generated data.
        label_smoothing: by how much the labels of real data are drawn towards 1/2.
        real_weights: a scalar, or a tensor that broadcasts to the logits of real data.
        generated_weights: the same for generated data.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the logits.
    """
    values = (
        discriminator_real_outputs,
        discriminator_gen_outputs,
        real_weights,
        generated_weights,
        label_smoothing,
    )
    with name_scope(scope, "discriminator_minimax_loss", values) as scope:
        on_real: Any = sigmoid_cross_entropy(
            ones_like(discriminator_real_outputs),
            discriminator_real_outputs,
            real_weights,
            label_smoothing,
            scope,
            loss_collection=None,
            reduction=reduction,
        )
        on_generated: Any = sigmoid_cross_entropy(
            zeros_like(convert_to_tensor(discriminator_gen_outputs)),
            discriminator_gen_outputs,
            generated_weights,
            scope=scope,
            loss_collection=None,
            reduction=reduction,
        )
        loss: Tensor = on_real + on_generated
        add_loss(loss, loss_collection)
        if add_summaries:
            summarize_parts("minimax", on_generated, on_real, loss)
    return loss


@export("contrib.gan.losses.wargs.minimax_generator_loss")
def minimax_generator_loss(
    discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.0,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The loss of the generator of the first adversarial networks: minus the discriminator's.

    Args:
        discriminator_gen_outputs: the logits of generated data.
        label_smoothing: by how much labels are drawn towards 1/2.
        weights: a scalar, or a tensor that broadcasts to the logits.
        scope: the name scope.
        loss_collection: the collection that gets the loss of the discriminator.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the logits.
    """
    with name_scope(scope, "generator_minimax_loss") as scope:
        loss: Tensor = -minimax_discriminator_loss(
            ones_like(discriminator_gen_outputs),
            discriminator_gen_outputs,
            label_smoothing,
            weights,
            weights,
            scope,
            loss_collection,
            reduction,
            add_summaries=False,
        )
    if add_summaries:
        scalar("generator_minimax_loss", loss)
    return loss


@export("contrib.gan.losses.wargs.modified_discriminator_loss")
def modified_discriminator_loss(
    discriminator_real_outputs: TensorLike,
    discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.25,
    real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The same as `minimax_discriminator_loss`, the partner of `modified_generator_loss`.

    Args:
        discriminator_real_outputs: the logits of real data.
        discriminator_gen_outputs: the logits of generated data.
        label_smoothing: by how much the labels of real data are drawn towards 1/2.
        real_weights: a scalar, or a tensor that broadcasts to the logits of real data.
        generated_weights: the same for generated data.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the logits.
    """
    return minimax_discriminator_loss(
        discriminator_real_outputs,
        discriminator_gen_outputs,
        label_smoothing,
        real_weights,
        generated_weights,
        scope or "discriminator_modified_loss",
        loss_collection,
        reduction,
        add_summaries,
    )


@export("contrib.gan.losses.wargs.modified_generator_loss")
def modified_generator_loss(
    discriminator_gen_outputs: TensorLike,
    label_smoothing: float = 0.0,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The loss of a generator whose data are to be taken for real: -log D(G(z)).

    Args:
        discriminator_gen_outputs: the logits of generated data.
        label_smoothing: by how much labels are drawn towards 1/2.
        weights: a scalar, or a tensor that broadcasts to the logits.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the logits.
    """
    with name_scope(scope, "generator_modified_loss", [discriminator_gen_outputs]) as scope:
        loss = sigmoid_cross_entropy(
            ones_like(discriminator_gen_outputs),
            discriminator_gen_outputs,
            weights,
            label_smoothing,
            scope,
            loss_collection,
            reduction,
        )
        if add_summaries:
            scalar("generator_modified_loss", loss)
    return loss


@export("contrib.gan.losses.wargs.least_squares_generator_loss")
def least_squares_generator_loss(
    discriminator_gen_outputs: TensorLike,
    real_label: float = 1,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The least squares loss of a generator: (D(G(z)) - real_label)^2 / 2.

    Args:
        discriminator_gen_outputs: the scores of generated data.
        real_label: the score of real data.
        weights: a scalar, or a tensor that broadcasts to the scores.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the scores.
    """
    with name_scope(scope, "lsq_generator_loss", (discriminator_gen_outputs, real_label)) as scope:
        scores = to_float(discriminator_gen_outputs)
        losses: Any = squared_difference(scores, real_label)
        loss = compute_weighted_loss(losses / 2.0, weights, scope, loss_collection, reduction)
    if add_summaries:
        scalar("generator_lsq_loss", loss)
    return loss


@export("contrib.gan.losses.wargs.least_squares_discriminator_loss")
def least_squares_discriminator_loss(
    discriminator_real_outputs: TensorLike,
    discriminator_gen_outputs: TensorLike,
    real_label: float = 1,
    fake_label: float = 0,
    real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The least squares loss of a discriminator.

    Args:
        discriminator_real_outputs: the scores of real data.
        discriminator_gen_outputs: the scores of generated data.
        real_label: the score that real data should have.
        fake_label: the score that generated data should have.
        real_weights: a scalar, or a tensor that broadcasts to the scores of real data.
        generated_weights: the same for generated data.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE a tensor of the shape of the scores.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = (discriminator_real_outputs, discriminator_gen_outputs, real_label, fake_label)
    with name_scope(scope, "lsq_discriminator_loss", values) as scope:
        real: Any = to_float(discriminator_real_outputs)
        generated: Any = to_float(discriminator_gen_outputs)
        real.shape.assert_is_compatible_with(generated.shape)
        real_losses: Any = squared_difference(real, real_label)
        real_losses = real_losses / 2.0
        generated_losses: Any = squared_difference(generated, fake_label)
        generated_losses = generated_losses / 2.0
        on_real: Any = compute_weighted_loss(real_losses, real_weights, scope, None, reduction)
        on_generated: Any = compute_weighted_loss(
            generated_losses, generated_weights, scope, None, reduction
        )
        loss: Tensor = on_real + on_generated
        add_loss(loss, loss_collection)
    if add_summaries:
        summarize_parts("lsq", on_generated, on_real, loss)
    return loss
