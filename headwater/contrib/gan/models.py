"""tf.contrib.gan: functions that build models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.contrib.framework.variables import get_trainable_variables
from headwater.contrib.gan.auxiliary_losses import check_distributions
from headwater.contrib.gan.namedtuples import (
    ACGANModel,
    CycleGANModel,
    GANModel,
    InfoGANModel,
    StarGANModel,
)
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.one_hot import one_hot
from headwater.ops.random.uniform import random_uniform

GENERATOR, DISCRIMINATOR = "Generator", "Discriminator"


def _tensors(values: Any) -> Any:
    """Inputs of a network: a tensor, or a list or dict of tensors."""
    if isinstance(values, (list, tuple)):
        return [convert_to_tensor(x) for x in values]
    if isinstance(values, dict):
        return {key: convert_to_tensor(value) for key, value in values.items()}
    return convert_to_tensor(values)


def _check_shapes(generated_data: Any, real_data: Any) -> None:
    if not generated_data.shape.is_compatible_with(real_data.shape):
        raise ValueError(
            "Generator output shape "
            f"({generated_data.shape}) must be the same shape as real data "
            f"({real_data.shape})."
        )


@export("contrib.gan.gan_model")
def gan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    generator_inputs: Any,
    generator_scope: Any = GENERATOR,
    discriminator_scope: Any = DISCRIMINATOR,
    check_shapes: bool = True,
) -> GANModel:
    """Builds a generator and a discriminator.

    Args:
        generator_fn: a function of the inputs that returns data.
        discriminator_fn: a function of data and of the inputs of the generator that returns
            logits.
        real_data: the real data.
        generator_inputs: a tensor, or a list or dict of tensors.
        generator_scope: the variable scope of the generator.
        discriminator_scope: the variable scope of the discriminator.
        check_shapes: whether generated data must have the shape of real data.

    Returns:
        A GANModel.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(generator_scope) as gen_scope:
        generator_inputs = _tensors(generator_inputs)
        generated_data = generator_fn(generator_inputs)
    with variable_scope(discriminator_scope) as dis_scope:
        gen_outputs = discriminator_fn(generated_data, generator_inputs)
    with variable_scope(dis_scope, reuse=True):
        real_data = _tensors(real_data)
        real_outputs = discriminator_fn(real_data, generator_inputs)
    if check_shapes:
        _check_shapes(generated_data, real_data)
    return GANModel(
        generator_inputs,
        generated_data,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real_data,
        real_outputs,
        gen_outputs,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
    )


@export("contrib.gan.infogan_model")
def infogan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    unstructured_generator_inputs: Sequence[Any],
    structured_generator_inputs: Sequence[Any],
    generator_scope: Any = GENERATOR,
    discriminator_scope: Any = DISCRIMINATOR,
) -> InfoGANModel:
    """Builds a model whose discriminator predicts the structured inputs of its generator.

    Args:
        generator_fn: a function of a list of inputs that returns data.
        discriminator_fn: a function of data and of that list that returns logits and a list of
            Distributions.
        real_data: the real data.
        unstructured_generator_inputs: the inputs that are not predicted.
        structured_generator_inputs: the inputs that are predicted.
        generator_scope: the variable scope of the generator.
        discriminator_scope: the variable scope of the discriminator.

    Returns:
        An InfoGANModel.

    Raises:
        ValueError: if the shapes do not fit, or there is not one Distribution for each structured
            input.
    """
    with variable_scope(generator_scope) as gen_scope:
        unstructured = _tensors(unstructured_generator_inputs)
        structured = _tensors(structured_generator_inputs)
        generator_inputs = unstructured + structured
        generated_data = generator_fn(generator_inputs)
    with variable_scope(discriminator_scope) as dis_scope:
        gen_outputs, distributions = discriminator_fn(generated_data, generator_inputs)
    with variable_scope(dis_scope, reuse=True):
        real_data = convert_to_tensor(real_data)
        real_outputs, _ = discriminator_fn(real_data, generator_inputs)
    _check_predictions(distributions, structured)
    _check_shapes(generated_data, real_data)

    def logits_fn(data: Any, inputs: Any) -> Any:
        return discriminator_fn(data, inputs)[0]

    return InfoGANModel(
        generator_inputs,
        generated_data,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real_data,
        real_outputs,
        gen_outputs,
        get_trainable_variables(dis_scope),
        dis_scope,
        logits_fn,
        structured,
        distributions,
        discriminator_fn,
    )


def _check_predictions(distributions: Sequence[Any], structured: Sequence[Any]) -> None:
    if len(distributions) != len(structured):
        raise ValueError(
            f"Length of `predicted_distributions` {len(distributions)} must be the same as the "
            f"length of structured noise {len(structured)}."
        )
    check_distributions(distributions)


@export("contrib.gan.acgan_model")
def acgan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    real_data: Any,
    generator_inputs: Any,
    one_hot_labels: Any,
    generator_scope: Any = GENERATOR,
    discriminator_scope: Any = DISCRIMINATOR,
    check_shapes: bool = True,
) -> ACGANModel:
    """Builds a model whose discriminator also classifies.

    Args:
        generator_fn: a function of the inputs that returns data.
        discriminator_fn: a function of data and of the inputs of the generator that returns the
            tuple (logits, class logits).
        real_data: the real data.
        generator_inputs: a tensor, or a list or dict of tensors.
        one_hot_labels: the labels, [batch, classes].
        generator_scope: the variable scope of the generator.
        discriminator_scope: the variable scope of the discriminator.
        check_shapes: whether generated data must have the shape of real data.

    Returns:
        An ACGANModel.

    Raises:
        TypeError: if the discriminator returns no tuple of two.
        ValueError: if the shapes do not fit.
    """
    with variable_scope(generator_scope) as gen_scope:
        generator_inputs = _tensors(generator_inputs)
        generated_data = generator_fn(generator_inputs)
    with (
        variable_scope(discriminator_scope) as dis_scope,
        name_scope(f"{dis_scope.name}/generated/"),
    ):
        gen_logits, gen_classes = _two_outputs(discriminator_fn(generated_data, generator_inputs))
    with variable_scope(dis_scope, reuse=True), name_scope(f"{dis_scope.name}/real/"):
        real_data = convert_to_tensor(real_data)
        real_logits, real_classes = _two_outputs(discriminator_fn(real_data, generator_inputs))
    if check_shapes:
        _check_shapes(generated_data, real_data)
    return ACGANModel(
        generator_inputs,
        generated_data,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        real_data,
        real_logits,
        gen_logits,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
        one_hot_labels,
        real_classes,
        gen_classes,
    )


def _two_outputs(outputs: Any) -> tuple[Any, Any]:
    try:
        logits, classes = outputs
    except (TypeError, ValueError):
        raise TypeError(
            "A discriminator function for ACGAN must output a tuple consisting of "
            "(discrimination logits, classification logits)."
        ) from None
    return logits, classes


@export("contrib.gan.cyclegan_model")
def cyclegan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    data_x: Any,
    data_y: Any,
    generator_scope: str = GENERATOR,
    discriminator_scope: str = DISCRIMINATOR,
    model_x2y_scope: str = "ModelX2Y",
    model_y2x_scope: str = "ModelY2X",
    check_shapes: bool = True,
) -> CycleGANModel:
    """Builds two models that translate between two kinds of data.

    Args:
        generator_fn: a function of data of one kind that returns data of the other.
        discriminator_fn: a function of data and of the inputs of the generator that returns
            logits.
        data_x: data of the first kind.
        data_y: data of the second kind.
        generator_scope: the variable scope of the generators, inside those of the models.
        discriminator_scope: the variable scope of the discriminators.
        model_x2y_scope: the variable scope of the first model.
        model_y2x_scope: the variable scope of the second model.
        check_shapes: whether generated data must have the shape of real data.

    Returns:
        A CycleGANModel.

    Raises:
        ValueError: if the shapes do not fit.
    """

    def translation(scope: str, inputs: Any, real_data: Any) -> GANModel:
        with variable_scope(scope):
            return gan_model(
                generator_fn,
                discriminator_fn,
                real_data,
                inputs,
                generator_scope,
                discriminator_scope,
                check_shapes,
            )

    def translated(model: GANModel, data: Any) -> Any:
        with variable_scope(model.generator_scope, reuse=True):
            return model.generator_fn(data)

    model_x2y = translation(model_x2y_scope, data_x, data_y)
    model_y2x = translation(model_y2x_scope, data_y, data_x)
    reconstructed_x = translated(model_y2x, model_x2y.generated_data)
    reconstructed_y = translated(model_x2y, model_y2x.generated_data)
    return CycleGANModel(model_x2y, model_y2x, reconstructed_x, reconstructed_y)


@export("contrib.gan.stargan_model")
def stargan_model(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    input_data: Any,
    input_data_domain_label: Any,
    generator_scope: Any = GENERATOR,
    discriminator_scope: Any = DISCRIMINATOR,
) -> StarGANModel:
    """Builds a model that translates between many domains.

    Args:
        generator_fn: a function of data and of domains, [batch, domains], that returns data.
        discriminator_fn: a function of data and of the number of domains that returns logits and
            domain logits.
        input_data: the real data, a tensor or a list of tensors.
        input_data_domain_label: their domains, [batch, domains], or a list.
        generator_scope: the variable scope of the generator.
        discriminator_scope: the variable scope of the discriminator.

    Returns:
        A StarGANModel.

    Raises:
        ValueError: if the shape of the domains is not known.
    """
    data, labels = _one_tensor(input_data), _one_tensor(input_data_domain_label)
    labels.shape.assert_is_fully_defined()
    num_domains = labels.shape.as_list()[-1]
    with variable_scope(generator_scope) as gen_scope:
        target = _random_domains(labels.shape.as_list()[0], num_domains)
        generated = generator_fn(data, target)
    with variable_scope(gen_scope, reuse=True):
        reconstructed = generator_fn(generated, labels)
    with variable_scope(discriminator_scope) as dis_scope:
        generated_source, generated_domain = discriminator_fn(generated, num_domains)
    with variable_scope(dis_scope, reuse=True):
        data_source, data_domain = discriminator_fn(data, num_domains)
    return StarGANModel(
        data,
        labels,
        generated,
        target,
        reconstructed,
        data_source,
        generated_source,
        data_domain,
        generated_domain,
        get_trainable_variables(gen_scope),
        gen_scope,
        generator_fn,
        get_trainable_variables(dis_scope),
        dis_scope,
        discriminator_fn,
    )


def _one_tensor(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return concat([convert_to_tensor(x) for x in values], 0)
    return convert_to_tensor(values)


def _random_domains(batch_size: Any, num_domains: int) -> Tensor:
    domains = random_uniform([batch_size], minval=0, maxval=num_domains, dtype=dtypes.int32)
    return one_hot(domains, num_domains)
