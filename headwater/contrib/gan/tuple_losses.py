"""tf.contrib.gan.losses: the losses of models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.contrib.gan import adversarial_losses, auxiliary_losses, gradient_losses
from headwater.contrib.gan.namedtuples import CycleGANModel, GANLoss, StarGANModel
from headwater.graph import Tensor

LossFn = Callable[..., Tensor]


def _of_model(loss_fn: LossFn) -> LossFn:
    """The function of a model whose fields are the arguments of `loss_fn`."""
    parameters = inspect.signature(loss_fn).parameters
    required = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty]
    name = loss_fn.__name__

    def new_loss_fn(gan_model: Any, **kwargs: Any) -> Tensor:
        fields = [field for field in gan_model._fields if field in parameters]
        twice = set(fields) & set(kwargs)
        if twice:
            raise ValueError(
                "The following args are present in both the tuple and keyword args for "
                f"{name}: {twice}"
            )
        for argument in required:
            if argument not in fields and argument not in kwargs:
                raise ValueError(f"`{argument}` must be supplied to {name} loss function.")
        return loss_fn(**{field: getattr(gan_model, field) for field in fields}, **kwargs)

    new_loss_fn.__name__ = name
    new_loss_fn.__doc__ = (
        f"`tf.contrib.gan.losses.wargs.{name}` of a model.\n\n"
        "Args:\n"
        "    gan_model: a tuple whose fields are arguments of that function.\n"
        "    **kwargs: more arguments of that function.\n\n"
        "Returns:\n"
        "    What that function returns.\n\n"
        "Raises:\n"
        "    ValueError: if an argument is missing, or given by the model and by `kwargs`.\n"
    )
    return new_loss_fn


acgan_discriminator_loss = export("contrib.gan.losses.acgan_discriminator_loss")(
    _of_model(auxiliary_losses.acgan_discriminator_loss)
)
acgan_generator_loss = export("contrib.gan.losses.acgan_generator_loss")(
    _of_model(auxiliary_losses.acgan_generator_loss)
)
least_squares_discriminator_loss = export("contrib.gan.losses.least_squares_discriminator_loss")(
    _of_model(adversarial_losses.least_squares_discriminator_loss)
)
least_squares_generator_loss = export("contrib.gan.losses.least_squares_generator_loss")(
    _of_model(adversarial_losses.least_squares_generator_loss)
)
minimax_discriminator_loss = export("contrib.gan.losses.minimax_discriminator_loss")(
    _of_model(adversarial_losses.minimax_discriminator_loss)
)
minimax_generator_loss = export("contrib.gan.losses.minimax_generator_loss")(
    _of_model(adversarial_losses.minimax_generator_loss)
)
modified_discriminator_loss = export("contrib.gan.losses.modified_discriminator_loss")(
    _of_model(adversarial_losses.modified_discriminator_loss)
)
modified_generator_loss = export("contrib.gan.losses.modified_generator_loss")(
    _of_model(adversarial_losses.modified_generator_loss)
)
mutual_information_penalty = export("contrib.gan.losses.mutual_information_penalty")(
    _of_model(auxiliary_losses.mutual_information_penalty)
)
wasserstein_discriminator_loss = export("contrib.gan.losses.wasserstein_discriminator_loss")(
    _of_model(adversarial_losses.wasserstein_discriminator_loss)
)
wasserstein_generator_loss = export("contrib.gan.losses.wasserstein_generator_loss")(
    _of_model(adversarial_losses.wasserstein_generator_loss)
)
wasserstein_gradient_penalty = export("contrib.gan.losses.wasserstein_gradient_penalty")(
    _of_model(gradient_losses.wasserstein_gradient_penalty)
)


@export("contrib.gan.losses.combine_adversarial_loss")
def combine_adversarial_loss(
    gan_loss: GANLoss,
    gan_model: Any,
    non_adversarial_loss: Tensor,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
) -> GANLoss:
    """Adds another loss to that of the generator.

    Args:
        gan_loss: the losses of a model.
        gan_model: the model.
        non_adversarial_loss: the loss that is added, a scalar.
        weight_factor: by what the adversarial loss is multiplied; or None.
        gradient_ratio: how many times as large the gradients of the other loss are to be as those
            of the adversarial loss; or None.
        gradient_ratio_epsilon: what is added to the norm that is divided by.
        scalar_summaries: whether summaries of the losses are made.
        gradient_summaries: whether summaries of the norms of gradients are made.

    Returns:
        The GANLoss with the new loss of the generator.

    Raises:
        ValueError: if both or none of `weight_factor` and `gradient_ratio` are given.
    """
    combined = gradient_losses.combine_adversarial_loss(
        non_adversarial_loss,
        gan_loss.generator_loss,
        weight_factor,
        gradient_ratio,
        gradient_ratio_epsilon,
        gan_model.generator_variables,
        scalar_summaries,
        gradient_summaries,
    )
    return gan_loss._replace(generator_loss=combined)


@export("contrib.gan.losses.cycle_consistency_loss")
def cycle_consistency_loss(
    cyclegan_model: CycleGANModel, scope: str | None = None, add_summaries: bool = False
) -> Tensor:
    """The mean absolute difference between data and data translated there and back.

    Args:
        cyclegan_model: the model.
        scope: the name scope.
        add_summaries: whether summaries are made.

    Returns:
        A scalar.

    Raises:
        ValueError: if the model is no CycleGANModel.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}."
        )
    return auxiliary_losses.cycle_consistency_loss(
        cyclegan_model.model_x2y.generator_inputs,
        cyclegan_model.reconstructed_x,
        cyclegan_model.model_y2x.generator_inputs,
        cyclegan_model.reconstructed_y,
        scope,
        add_summaries,
    )


@export("contrib.gan.losses.stargan_generator_loss_wrapper")
def stargan_generator_loss_wrapper(loss_fn: LossFn) -> LossFn:
    """Makes a loss of StarGANModels of a loss of generators.

    Args:
        loss_fn: a function of the logits of generated data.

    Returns:
        A function of a StarGANModel.
    """

    def new_loss_fn(stargan_model: StarGANModel, **kwargs: Any) -> Tensor:
        return loss_fn(stargan_model.discriminator_generated_data_source_predication, **kwargs)

    new_loss_fn.__doc__ = f"{loss_fn.__name__} of a StarGANModel."
    return new_loss_fn


@export("contrib.gan.losses.stargan_discriminator_loss_wrapper")
def stargan_discriminator_loss_wrapper(loss_fn: LossFn) -> LossFn:
    """Makes a loss of StarGANModels of a loss of discriminators.

    Args:
        loss_fn: a function of the logits of real and of generated data.

    Returns:
        A function of a StarGANModel.
    """

    def new_loss_fn(stargan_model: StarGANModel, **kwargs: Any) -> Tensor:
        return loss_fn(
            stargan_model.discriminator_input_data_source_predication,
            stargan_model.discriminator_generated_data_source_predication,
            **kwargs,
        )

    new_loss_fn.__doc__ = f"{loss_fn.__name__} of a StarGANModel."
    return new_loss_fn


@export("contrib.gan.losses.stargan_gradient_penalty_wrapper")
def stargan_gradient_penalty_wrapper(loss_fn: LossFn) -> LossFn:
    """Makes a loss of StarGANModels of a penalty for gradients.

    Args:
        loss_fn: a function with the arguments of `wargs.wasserstein_gradient_penalty`.

    Returns:
        A function of a StarGANModel.
    """

    def new_loss_fn(stargan_model: StarGANModel, **kwargs: Any) -> Tensor:
        num_domains = stargan_model.input_data_domain_label.shape.as_list()[-1]
        return loss_fn(
            real_data=stargan_model.input_data,
            generated_data=stargan_model.generated_data,
            generator_inputs=num_domains,
            discriminator_fn=stargan_model.discriminator_fn,
            discriminator_scope=stargan_model.discriminator_scope,
            **kwargs,
        )

    new_loss_fn.__doc__ = f"{loss_fn.__name__} of a StarGANModel."
    return new_loss_fn
