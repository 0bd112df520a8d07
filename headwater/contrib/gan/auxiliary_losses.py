"""tf.contrib.gan.losses.wargs: losses of labels, of structured inputs and of reconstructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.gan.adversarial_losses import summarize_parts
from headwater.graph import Tensor, export, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.distributions.distribution import Distribution
from headwater.model.losses.collections import add_loss
from headwater.model.losses.losses import absolute_difference, softmax_cross_entropy
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.summary.scalar import scalar


@export("contrib.gan.losses.wargs.acgan_discriminator_loss")
def acgan_discriminator_loss(
    discriminator_real_classification_logits: TensorLike,
    discriminator_gen_classification_logits: TensorLike,
    one_hot_labels: TensorLike,
    label_smoothing: float = 0.0,
    real_weights: TensorLike = 1.0,
    generated_weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The cross entropy of the classes of real and of generated data.

    Args:
        discriminator_real_classification_logits: the class logits of real data.
        discriminator_gen_classification_logits: the class logits of generated data.
        one_hot_labels: the labels, [batch, classes].
        label_smoothing: by how much labels of real data are drawn towards 1 / classes.
        real_weights: a scalar, or one number per example.
        generated_weights: the same for generated data.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE one loss per example.

    Raises:
        ValueError: if logits are None or the shapes do not fit.
    """
    values = (
        discriminator_real_classification_logits,
        discriminator_gen_classification_logits,
        one_hot_labels,
    )
    with name_scope(scope, "acgan_discriminator_loss", values) as scope:
        on_generated: Any = softmax_cross_entropy(
            one_hot_labels,
            discriminator_gen_classification_logits,
            generated_weights,
            scope=scope,
            loss_collection=None,
            reduction=reduction,
        )
        on_real: Any = softmax_cross_entropy(
            one_hot_labels,
            discriminator_real_classification_logits,
            real_weights,
            label_smoothing,
            scope=scope,
            loss_collection=None,
            reduction=reduction,
        )
        loss: Tensor = on_generated + on_real
        add_loss(loss, loss_collection)
        if add_summaries:
            summarize_parts("ac", on_generated, on_real, loss)
    return loss


@export("contrib.gan.losses.wargs.acgan_generator_loss")
def acgan_generator_loss(
    discriminator_gen_classification_logits: TensorLike,
    one_hot_labels: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """The cross entropy of the classes of generated data.

    Args:
        discriminator_gen_classification_logits: the class logits of generated data.
        one_hot_labels: the labels, [batch, classes].
        weights: a scalar, or one number per example.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE one loss per example.

    Raises:
        ValueError: if logits are None or the shapes do not fit.
    """
    values = (discriminator_gen_classification_logits, one_hot_labels)
    with name_scope(scope, "acgan_generator_loss", values) as scope:
        loss = softmax_cross_entropy(
            one_hot_labels,
            discriminator_gen_classification_logits,
            weights,
            scope=scope,
            loss_collection=loss_collection,
            reduction=reduction,
        )
        if add_summaries:
            scalar("generator_ac_loss", loss)
    return loss


@export("contrib.gan.losses.wargs.mutual_information_penalty")
def mutual_information_penalty(
    structured_generator_inputs: Sequence[TensorLike],
    predicted_distributions: Sequence[Distribution],
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """Minus the log probability of structured inputs in the distributions predicted for them.

    Args:
        structured_generator_inputs: the inputs.
        predicted_distributions: a Distribution for each input.
        weights: a scalar, or one number per input.
        scope: the name scope.
        loss_collection: the collection that gets the mean log probability.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar.

    Raises:
        ValueError: if the lists differ in length or there is something that is no Distribution.
    """
    inputs, distributions = structured_generator_inputs, predicted_distributions
    if len(inputs) != len(distributions):
        raise ValueError(
            f"`structured_generator_inputs` length {len(inputs)} must be the same as "
            f"`predicted_distributions` length {len(distributions)}."
        )
    check_distributions(distributions)
    with name_scope(scope, "mutual_information_loss") as scope:
        log_probs = [
            reduce_mean(distribution.log_prob(value))
            for distribution, value in zip(distributions, inputs, strict=True)
        ]
        loss: Any = compute_weighted_loss(log_probs, weights, scope, loss_collection, reduction)
        penalty: Tensor = -1 * loss
        if add_summaries:
            scalar("mutual_information_penalty", penalty)
    return penalty


def check_distributions(distributions: Sequence[Any]) -> None:
    """Checks that the elements of a list are Distributions.

    Raises:
        ValueError: if one of them is something else.
    """
    for value in distributions:
        if not isinstance(value, Distribution):
            raise ValueError(
                f"`distributions` must be a list of `Distributions`. Instead, found {type(value)}."
            )


@export("contrib.gan.losses.wargs.cycle_consistency_loss")
def cycle_consistency_loss(
    data_x: TensorLike,
    reconstructed_data_x: TensorLike,
    data_y: TensorLike,
    reconstructed_data_y: TensorLike,
    scope: str | None = None,
    add_summaries: bool = False,
) -> Tensor:
    """The mean absolute difference between data and data translated there and back.

    Args:
        data_x: data of the first kind.
        reconstructed_data_x: the same, translated to the second kind and back.
        data_y: data of the second kind.
        reconstructed_data_y: the same, translated to the first kind and back.
        scope: the name scope.
        add_summaries: whether summaries are made.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = [data_x, reconstructed_data_x, data_y, reconstructed_data_y]
    with name_scope(scope, "cycle_consistency_loss", values):
        loss_x: Any = absolute_difference(data_x, reconstructed_data_x)
        loss_y: Any = absolute_difference(data_y, reconstructed_data_y)
        loss: Tensor = (loss_x + loss_y) / 2.0
        if add_summaries:
            scalar("cycle_consistency_loss_x2x", loss_x)
            scalar("cycle_consistency_loss_y2y", loss_y)
            scalar("cycle_consistency_loss", loss)
    return loss
