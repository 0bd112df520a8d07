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


def _loss_of_model(loss_fn: LossFn, gan_model: Any, kwargs: dict[str, Any]) -> Tensor:
    """Calls `loss_fn` with the fields of a model that are arguments of it, and with `kwargs`."""
    parameters = inspect.signature(loss_fn).parameters
    name = loss_fn.__name__
    fields = [field for field in gan_model._fields if field in parameters]
    twice = set(fields) & set(kwargs)
    if twice:
        raise ValueError(
            f"The following args are present in both the tuple and keyword args for {name}: {twice}"
        )
    for argument, parameter in parameters.items():
        required = parameter.default is inspect.Parameter.empty
        if required and argument not in fields and argument not in kwargs:
            raise ValueError(f"`{argument}` must be supplied to {name} loss function.")
    return loss_fn(**{field: getattr(gan_model, field) for field in fields}, **kwargs)


@export("contrib.gan.losses.acgan_discriminator_loss")
def acgan_discriminator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The cross entropy of the classes of real and of generated data of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.acgan_discriminator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(auxiliary_losses.acgan_discriminator_loss, gan_model, kwargs)


@export("contrib.gan.losses.acgan_generator_loss")
def acgan_generator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The cross entropy of the classes of generated data of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.acgan_generator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(auxiliary_losses.acgan_generator_loss, gan_model, kwargs)


@export("contrib.gan.losses.least_squares_discriminator_loss")
def least_squares_discriminator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The least squares loss of the discriminator of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.least_squares_discriminator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.least_squares_discriminator_loss, gan_model, kwargs)


@export("contrib.gan.losses.least_squares_generator_loss")
def least_squares_generator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The least squares loss of the generator of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.least_squares_generator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.least_squares_generator_loss, gan_model, kwargs)


@export("contrib.gan.losses.minimax_discriminator_loss")
def minimax_discriminator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The cross entropy of the discriminator of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.minimax_discriminator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.minimax_discriminator_loss, gan_model, kwargs)


@export("contrib.gan.losses.minimax_generator_loss")
def minimax_generator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The loss of the generator of a model that is minus the discriminator's.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.minimax_generator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.minimax_generator_loss, gan_model, kwargs)


@export("contrib.gan.losses.modified_discriminator_loss")
def modified_discriminator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The same as `minimax_discriminator_loss`, the partner of `modified_generator_loss`.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.modified_discriminator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.modified_discriminator_loss, gan_model, kwargs)


@export("contrib.gan.losses.modified_generator_loss")
def modified_generator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The loss of the generator of a model whose data are to be taken for real.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.modified_generator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.modified_generator_loss, gan_model, kwargs)


@export("contrib.gan.losses.mutual_information_penalty")
def mutual_information_penalty(gan_model: Any, **kwargs: Any) -> Tensor:
    """Minus the log probability of the structured inputs of a model in what it predicts.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.mutual_information_penalty`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(auxiliary_losses.mutual_information_penalty, gan_model, kwargs)


@export("contrib.gan.losses.wasserstein_discriminator_loss")
def wasserstein_discriminator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The Wasserstein loss of the discriminator of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.wasserstein_discriminator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.wasserstein_discriminator_loss, gan_model, kwargs)


@export("contrib.gan.losses.wasserstein_generator_loss")
def wasserstein_generator_loss(gan_model: Any, **kwargs: Any) -> Tensor:
    """The Wasserstein loss of the generator of a model.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.wasserstein_generator_loss`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(adversarial_losses.wasserstein_generator_loss, gan_model, kwargs)


@export("contrib.gan.losses.wasserstein_gradient_penalty")
def wasserstein_gradient_penalty(gan_model: Any, **kwargs: Any) -> Tensor:
    """A penalty for gradients of the discriminator of a model whose norm is not `target`.

    Args:
        gan_model: a tuple whose fields are arguments of
            `tf.contrib.gan.losses.wargs.wasserstein_gradient_penalty`.
        **kwargs: more arguments of that function.

    Returns:
        What that function returns.

    Raises:
        ValueError: if an argument is missing, or given by the model and by `kwargs`.
    """
    return _loss_of_model(gradient_losses.wasserstein_gradient_penalty, gan_model, kwargs)


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
