"""tf.contrib.gan.losses.wargs: losses made of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    gradients,
    name_scope,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.model.variables.variable_lists import trainable_variables
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.shape import shape
from headwater.ops.math.clip_by_norm import global_norm
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum
from headwater.ops.random.uniform import random_uniform
from headwater.ops.summary.scalar import scalar


@export("contrib.gan.losses.wargs.wasserstein_gradient_penalty")
def wasserstein_gradient_penalty(
    real_data: TensorLike,
    generated_data: TensorLike,
    generator_inputs: Any,
    discriminator_fn: Callable[..., Any],
    discriminator_scope: Any,
    epsilon: float = 1e-10,
    target: float = 1.0,
    one_sided: bool = False,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    add_summaries: bool = False,
) -> Tensor:
    """A penalty for gradients of the discriminator whose norm is not `target`.

    The gradients are those at random points between real and generated data.

    Args:
        real_data: the real data, [batch, ...].
        generated_data: the generated data, of the same shape.
        generator_inputs: the second argument of the discriminator.
        discriminator_fn: the function that builds the discriminator.
        discriminator_scope: the VariableScope of the discriminator.
        epsilon: what is added to squared norms before their square root is taken.
        target: the norm that is not penalized.
        one_sided: whether only norms above `target` are penalized.
        weights: a scalar, or one number per example.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        add_summaries: whether summaries are made.

    Returns:
        A scalar, or for Reduction.NONE one number per example.

    Raises:
        ValueError: if a rank is not known or the shapes do not fit.
    """
    with name_scope(scope, "wasserstein_gradient_penalty", [real_data, generated_data]) as scope:
        real_data = convert_to_tensor(real_data)
        generated_data = convert_to_tensor(generated_data)
        if real_data.shape.ndims is None:
            raise ValueError("`real_data` can't have unknown rank.")
        if generated_data.shape.ndims is None:
            raise ValueError("`generated_data` can't have unknown rank.")
        points = _points_between(real_data, generated_data)
        # The discriminator's nodes are named after its own scope.
        with name_scope(None), variable_scope(discriminator_scope, reuse=True):
            outputs = discriminator_fn(points, generator_inputs)
        if isinstance(outputs, tuple):
            outputs = outputs[0]
        (gradient,) = gradients(outputs, [points])
        axes = list(range(1, len(points.shape.dims)))
        squares: Any = reduce_sum(build.Square(gradient), axis=axes)
        norms: Any = build.Sqrt(squares + epsilon)
        excess = norms / target - 1.0
        if one_sided:
            excess = build.Maximum(0.0, excess)
        loss = compute_weighted_loss(
            build.Square(excess), weights, scope, loss_collection, reduction
        )
        if add_summaries:
            scalar("gradient_penalty_loss", loss)
    return loss


def _points_between(real_data: Any, generated_data: Any) -> Any:
    """A random point between each real example and a generated one."""
    differences = generated_data - real_data
    batch_size = differences.shape.dims[0].value
    if batch_size is None:
        sizes: Any = shape(differences)
        batch_size = sizes[0]
    ones = [1] * (generated_data.shape.ndims - 1)
    alpha: Any = random_uniform(shape=[batch_size, *ones])
    return real_data + alpha * differences


def _stable_global_norm(tensors: Sequence[Any]) -> Any:
    """The norm of a list of tensors, computed without overflow."""
    if all(x is None for x in tensors):
        return 0.0
    largest: Any = reduce_max([reduce_max(build.Abs(x)) for x in tensors if x is not None])
    scaled = [x / largest for x in tensors if x is not None]
    return largest * global_norm(scaled)


@export("contrib.gan.losses.wargs.combine_adversarial_loss")
def combine_adversarial_loss(
    main_loss: TensorLike,
    adversarial_loss: TensorLike,
    weight_factor: TensorLike | None = None,
    gradient_ratio: TensorLike | None = None,
    gradient_ratio_epsilon: float = 1e-6,
    variables: Sequence[Any] | None = None,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
    scope: str | None = None,
) -> Tensor:
    """Adds an adversarial loss to another loss.

    Args:
        main_loss: a scalar.
        adversarial_loss: a scalar.
        weight_factor: by what the adversarial loss is multiplied; or None.
        gradient_ratio: how many times as large the gradients of `main_loss` are to be as those of
            the adversarial loss; or None.
        gradient_ratio_epsilon: what is added to the norm that is divided by.
        variables: the variables of the gradients; all trainable ones by default.
        scalar_summaries: whether summaries of the losses are made.
        gradient_summaries: whether summaries of the norms of gradients are made.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if both or none of `weight_factor` and `gradient_ratio` are given, or a loss is
            no scalar.
    """
    _check_factors([main_loss, adversarial_loss], weight_factor, gradient_ratio)
    if variables is None:
        variables = trainable_variables()
    with name_scope(scope, "adversarial_loss", [main_loss, adversarial_loss]):
        if gradient_summaries or gradient_ratio is not None:
            main_norm = _stable_global_norm(gradients(main_loss, variables))
            adversarial_norm = _stable_global_norm(gradients(adversarial_loss, variables))
        if scalar_summaries:
            scalar("main_loss", main_loss)
            scalar("adversarial_loss", adversarial_loss)
        if gradient_summaries:
            scalar("main_loss_gradients", main_norm)
            scalar("adversarial_loss_gradients", adversarial_norm)
        factor: Any = weight_factor if gradient_ratio is None else gradient_ratio
        if constant_value(convert_to_tensor(factor)) == 0.0:
            return convert_to_tensor(main_loss)
        if gradient_ratio is not None:
            factor = main_norm / (adversarial_norm + gradient_ratio_epsilon)
            factor = factor / gradient_ratio
            scalar("adversarial_coefficient", factor)
        weighted: Any = build.StopGradient(factor) * adversarial_loss
        return main_loss + weighted


def _check_factors(losses: Sequence[Any], weight_factor: Any, gradient_ratio: Any) -> None:
    for loss in losses:
        loss.shape.assert_is_compatible_with([])
    if weight_factor is None and gradient_ratio is None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be `None.`")
    if weight_factor is not None and gradient_ratio is not None:
        raise ValueError("`weight_factor` and `gradient_ratio` cannot both be specified.")
