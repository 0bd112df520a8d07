"""tf.contrib.gan: functions that make the losses of models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.contrib.gan import adversarial_losses, gradient_losses, tuple_losses
from headwater.contrib.gan.namedtuples import (
    ACGANModel,
    CycleGANLoss,
    CycleGANModel,
    GANLoss,
    InfoGANModel,
    StarGANModel,
)
from headwater.graph import Tensor, control_dependencies, name_scope
from headwater.model.losses.collections import get_regularization_loss
from headwater.model.losses.losses import absolute_difference, softmax_cross_entropy
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_greater_equal
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.summary.scalar import scalar

LossFn = Callable[..., Any]

_STARGAN_GENERATOR_LOSS = tuple_losses.stargan_generator_loss_wrapper(
    adversarial_losses.wasserstein_generator_loss
)
_STARGAN_DISCRIMINATOR_LOSS = tuple_losses.stargan_discriminator_loss_wrapper(
    adversarial_losses.wasserstein_discriminator_loss
)


def _checked_weight(weight: Any, name: str) -> Any:
    """The weight of an auxiliary loss; the graph checks that of a tensor."""
    if isinstance(weight, Tensor):
        with control_dependencies([assert_greater_equal(weight, 0.0)]):
            return identity(weight)
    if weight is not None and weight < 0:
        raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
    return weight


def _is_used(weight: Any) -> bool:
    return isinstance(weight, Tensor) or (weight is not None and weight > 0)


@export("contrib.gan.gan_loss")
def gan_loss(
    model: Any,
    generator_loss_fn: LossFn = tuple_losses.wasserstein_generator_loss,
    discriminator_loss_fn: LossFn = tuple_losses.wasserstein_discriminator_loss,
    gradient_penalty_weight: Any = None,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    mutual_information_penalty_weight: Any = None,
    aux_cond_generator_weight: Any = None,
    aux_cond_discriminator_weight: Any = None,
    tensor_pool_fn: Callable[[Any], Any] | None = None,
    add_summaries: bool = True,
) -> GANLoss:
    """Makes the losses of a model.

    Args:
        model: a GANModel, InfoGANModel or ACGANModel.
        generator_loss_fn: a function of the model.
        discriminator_loss_fn: a function of the model.
        gradient_penalty_weight: the weight of the Wasserstein gradient penalty; or None.
        gradient_penalty_epsilon: as in `losses.wargs.wasserstein_gradient_penalty`.
        gradient_penalty_target: the same.
        gradient_penalty_one_sided: the same.
        mutual_information_penalty_weight: the weight of the loss of structured inputs; or None.
        aux_cond_generator_weight: the weight of the classification loss of the generator; or None.
        aux_cond_discriminator_weight: the same of the discriminator.
        tensor_pool_fn: a function of (generator_inputs, generated_data) that returns earlier ones
            for the discriminator, such as `features.tensor_pool`; or None.
        add_summaries: whether summaries are made.

    Returns:
        A GANLoss, regularization losses included.

    Raises:
        ValueError: if a weight is negative, or does not fit the kind of model.
    """
    gradient_penalty_weight = _checked_weight(gradient_penalty_weight, "gradient_penalty_weight")
    info_weight = _checked_weight(mutual_information_penalty_weight, "infogan_weight")
    gen_class_weight = _checked_weight(aux_cond_generator_weight, "aux_cond_generator_weight")
    dis_class_weight = _checked_weight(
        aux_cond_discriminator_weight, "aux_cond_discriminator_weight"
    )
    uses_classes = _is_used(gen_class_weight) or _is_used(dis_class_weight)
    _check_kind(model, _is_used(info_weight), uses_classes)

    pooled = _pooled_model(model, tensor_pool_fn) if tensor_pool_fn else model
    gen_loss = generator_loss_fn(model, add_summaries=add_summaries)
    dis_loss = discriminator_loss_fn(pooled, add_summaries=add_summaries)
    if _is_used(gradient_penalty_weight):
        penalty: Any = tuple_losses.wasserstein_gradient_penalty(
            pooled,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
        dis_loss += gradient_penalty_weight * penalty
    if _is_used(info_weight):
        gen_info: Any = tuple_losses.mutual_information_penalty(model, add_summaries=add_summaries)
        dis_info: Any = gen_info
        if tensor_pool_fn:
            dis_info = tuple_losses.mutual_information_penalty(pooled, add_summaries=add_summaries)
        gen_loss += info_weight * gen_info
        dis_loss += info_weight * dis_info
    if _is_used(gen_class_weight):
        gen_class_loss = tuple_losses.acgan_generator_loss(model, add_summaries=add_summaries)
        gen_loss += gen_class_weight * gen_class_loss
    if _is_used(dis_class_weight):
        dis_class_loss = tuple_losses.acgan_discriminator_loss(pooled, add_summaries=add_summaries)
        dis_loss += dis_class_weight * dis_class_loss
    gen_regularization = get_regularization_loss(model.generator_scope.name)
    dis_regularization = get_regularization_loss(model.discriminator_scope.name)
    return GANLoss(gen_loss + gen_regularization, dis_loss + dis_regularization)


def _check_kind(model: Any, uses_information: bool, uses_classes: bool) -> None:
    if uses_information and not isinstance(model, InfoGANModel):
        raise ValueError(
            "When `mutual_information_penalty_weight` is provided, `model` must be an "
            f"`InfoGANModel`. Instead, was {type(model)}."
        )
    if uses_classes and not isinstance(model, ACGANModel):
        raise ValueError(
            "When `aux_cond_generator_weight` or `aux_cond_discriminator_weight` is provided, "
            f"`model` must be an `ACGANModel`. Instead, was {type(model)}."
        )


def _pooled_model(model: Any, tensor_pool_fn: Callable[[Any], Any]) -> Any:
    """The model whose discriminator sees data of the pool."""
    inputs, data = tensor_pool_fn((model.generator_inputs, model.generated_data))
    with variable_scope(model.discriminator_scope, reuse=True):
        if isinstance(model, InfoGANModel):
            outputs, distributions = model.discriminator_and_aux_fn(data, inputs)
            more = {"predicted_distributions": distributions}
        elif isinstance(model, ACGANModel):
            outputs, class_logits = model.discriminator_fn(data, inputs)
            more = {"discriminator_gen_classification_logits": class_logits}
        else:
            outputs, more = model.discriminator_fn(data, inputs), {}
    return model._replace(
        generator_inputs=inputs, generated_data=data, discriminator_gen_outputs=outputs, **more
    )


@export("contrib.gan.cyclegan_loss")
def cyclegan_loss(
    model: CycleGANModel,
    generator_loss_fn: LossFn = tuple_losses.least_squares_generator_loss,
    discriminator_loss_fn: LossFn = tuple_losses.least_squares_discriminator_loss,
    cycle_consistency_loss_fn: LossFn = tuple_losses.cycle_consistency_loss,
    cycle_consistency_loss_weight: Any = 10.0,
    **kwargs: Any,
) -> CycleGANLoss:
    """Makes the losses of a CycleGANModel.

    Args:
        model: the model.
        generator_loss_fn: a function of each of its GANModels.
        discriminator_loss_fn: a function of each of its GANModels.
        cycle_consistency_loss_fn: a function of the model.
        cycle_consistency_loss_weight: the weight of its value.
        **kwargs: more arguments of `gan_loss`.

    Returns:
        A CycleGANLoss.

    Raises:
        ValueError: if the model is no CycleGANModel, or a weight is negative.
    """
    if not isinstance(model, CycleGANModel):
        raise ValueError(f"`model` must be a `CycleGANModel`. Instead, was {type(model)}.")
    consistency: Any = cycle_consistency_loss_fn(
        model, add_summaries=kwargs.get("add_summaries", True)
    )
    weight = _checked_weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
    consistency = weight * consistency

    def part_loss(part: Any) -> GANLoss:
        loss = gan_loss(
            part,
            generator_loss_fn=generator_loss_fn,
            discriminator_loss_fn=discriminator_loss_fn,
            **kwargs,
        )
        return loss._replace(generator_loss=loss.generator_loss + consistency)

    with name_scope("cyclegan_loss_x2y"):
        loss_x2y = part_loss(model.model_x2y)
    with name_scope("cyclegan_loss_y2x"):
        loss_y2x = part_loss(model.model_y2x)
    return CycleGANLoss(loss_x2y, loss_y2x)


@export("contrib.gan.stargan_loss")
def stargan_loss(
    model: StarGANModel,
    generator_loss_fn: LossFn = _STARGAN_GENERATOR_LOSS,
    discriminator_loss_fn: LossFn = _STARGAN_DISCRIMINATOR_LOSS,
    gradient_penalty_weight: Any = 10.0,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    reconstruction_loss_fn: LossFn = absolute_difference,
    reconstruction_loss_weight: Any = 10.0,
    classification_loss_fn: LossFn = softmax_cross_entropy,
    classification_loss_weight: Any = 1.0,
    classification_one_hot: bool = True,
    add_summaries: bool = True,
) -> GANLoss:
    """Makes the losses of a StarGANModel.

    Args:
        model: the model.
        generator_loss_fn: a function of the model.
        discriminator_loss_fn: a function of the model.
        gradient_penalty_weight: the weight of the Wasserstein gradient penalty; or None.
        gradient_penalty_epsilon: as in `losses.wargs.wasserstein_gradient_penalty`.
        gradient_penalty_target: the same.
        gradient_penalty_one_sided: the same.
        reconstruction_loss_fn: a function of data and of data translated there and back.
        reconstruction_loss_weight: the weight of its value.
        classification_loss_fn: a function of `onehot_labels`, the domains, and their `logits`.
        classification_loss_weight: the weight of its value.
        classification_one_hot: without effect, as in TensorFlow.
        add_summaries: whether summaries are made.

    Returns:
        A GANLoss.
    """
    gen_loss = generator_loss_fn(model, add_summaries=add_summaries)
    dis_loss = discriminator_loss_fn(model, add_summaries=add_summaries)
    if _is_used(gradient_penalty_weight):
        penalty_fn = tuple_losses.stargan_gradient_penalty_wrapper(
            gradient_losses.wasserstein_gradient_penalty
        )
        penalty: Any = penalty_fn(
            model,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
        dis_loss += penalty * gradient_penalty_weight
    reconstruction = reconstruction_loss_fn(model.input_data, model.reconstructed_data)
    gen_loss += reconstruction * reconstruction_loss_weight
    if add_summaries:
        scalar("reconstruction_loss", reconstruction)

    def classification_loss(name: str, labels: Any, logits: Any) -> Any:
        with name_scope(name):
            loss = reduce_mean(classification_loss_fn(onehot_labels=labels, logits=logits))
            if add_summaries:
                scalar(name, loss)
        return loss

    gen_class_loss = classification_loss(
        "generator_classification_loss",
        model.generated_data_domain_target,
        model.discriminator_generated_data_domain_predication,
    )
    gen_loss += gen_class_loss * classification_loss_weight
    dis_class_loss = classification_loss(
        "discriminator_classification_loss",
        model.input_data_domain_label,
        model.discriminator_input_data_domain_predication,
    )
    dis_loss += dis_class_loss * classification_loss_weight
    return GANLoss(gen_loss, dis_loss)
