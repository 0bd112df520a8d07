"""The models, losses and train ops of adversarial networks: tuples with names."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base.export import export


@export("contrib.gan.GANModel")
class GANModel(
    namedtuple(
        "GANModel",
        "generator_inputs generated_data generator_variables generator_scope generator_fn "
        "real_data discriminator_real_outputs discriminator_gen_outputs discriminator_variables "
        "discriminator_scope discriminator_fn",
    )
):
    """A generator and a discriminator.

    Args:
        generator_inputs: what the generator gets.
        generated_data: what it makes.
        generator_variables: its trainable variables.
        generator_scope: its VariableScope.
        generator_fn: the function that builds it.
        real_data: the real data.
        discriminator_real_outputs: the logits of real data.
        discriminator_gen_outputs: the logits of generated data.
        discriminator_variables: the trainable variables of the discriminator.
        discriminator_scope: its VariableScope.
        discriminator_fn: the function that builds it.
    """


@export("contrib.gan.InfoGANModel")
class InfoGANModel(
    namedtuple(
        "InfoGANModel",
        "generator_inputs generated_data generator_variables generator_scope generator_fn "
        "real_data discriminator_real_outputs discriminator_gen_outputs discriminator_variables "
        "discriminator_scope discriminator_fn "
        "structured_generator_inputs predicted_distributions discriminator_and_aux_fn",
    )
):
    """A GANModel whose discriminator also predicts the structured inputs of the generator.

    Args:
        structured_generator_inputs: the inputs that are predicted.
        predicted_distributions: a Distribution for each of them.
        discriminator_and_aux_fn: the function that returns logits and distributions.
    """


@export("contrib.gan.ACGANModel")
class ACGANModel(
    namedtuple(
        "ACGANModel",
        "generator_inputs generated_data generator_variables generator_scope generator_fn "
        "real_data discriminator_real_outputs discriminator_gen_outputs discriminator_variables "
        "discriminator_scope discriminator_fn "
        "one_hot_labels discriminator_real_classification_logits "
        "discriminator_gen_classification_logits",
    )
):
    """A GANModel whose discriminator also classifies.

    Args:
        one_hot_labels: the labels, [batch, classes].
        discriminator_real_classification_logits: the class logits of real data.
        discriminator_gen_classification_logits: the class logits of generated data.
    """


@export("contrib.gan.CycleGANModel")
class CycleGANModel(
    namedtuple("CycleGANModel", "model_x2y model_y2x reconstructed_x reconstructed_y")
):
    """Two GANModels that translate between two kinds of data.

    Args:
        model_x2y: the GANModel that makes y from x.
        model_y2x: the GANModel that makes x from y.
        reconstructed_x: x, translated to y and back.
        reconstructed_y: y, translated to x and back.
    """


@export("contrib.gan.StarGANModel")
class StarGANModel(
    namedtuple(
        "StarGANModel",
        "input_data input_data_domain_label generated_data generated_data_domain_target "
        "reconstructed_data discriminator_input_data_source_predication "
        "discriminator_generated_data_source_predication "
        "discriminator_input_data_domain_predication "
        "discriminator_generated_data_domain_predication generator_variables generator_scope "
        "generator_fn discriminator_variables discriminator_scope discriminator_fn",
    )
):
    """A model that translates between many domains.

    Args:
        input_data: the real data.
        input_data_domain_label: their domains, [batch, domains].
        generated_data: the translated data.
        generated_data_domain_target: the domains they were translated to, [batch, domains].
        reconstructed_data: the data translated back.
        discriminator_input_data_source_predication: the logits of real data.
        discriminator_generated_data_source_predication: the logits of generated data.
        discriminator_input_data_domain_predication: the domain logits of real data.
        discriminator_generated_data_domain_predication: the domain logits of generated data.
        generator_variables: the trainable variables of the generator.
        generator_scope: its VariableScope.
        generator_fn: the function that builds it.
        discriminator_variables: the trainable variables of the discriminator.
        discriminator_scope: its VariableScope.
        discriminator_fn: the function that builds it.
    """


@export("contrib.gan.GANLoss")
class GANLoss(namedtuple("GANLoss", "generator_loss discriminator_loss")):
    """The losses of a model.

    Args:
        generator_loss: a scalar.
        discriminator_loss: a scalar.
    """


@export("contrib.gan.CycleGANLoss")
class CycleGANLoss(namedtuple("CycleGANLoss", "loss_x2y loss_y2x")):
    """The losses of a CycleGANModel.

    Args:
        loss_x2y: the GANLoss of the first model.
        loss_y2x: the GANLoss of the second model.
    """


@export("contrib.gan.GANTrainOps")
class GANTrainOps(
    namedtuple(
        "GANTrainOps",
        "generator_train_op discriminator_train_op global_step_inc_op train_hooks",
    )
):
    """The train ops of a model.

    Args:
        generator_train_op: what trains the generator, or a list of such ops.
        discriminator_train_op: what trains the discriminator, or a list of such ops.
        global_step_inc_op: what increments the global step.
        train_hooks: SessionRunHooks that the optimizers need.
    """

    def __new__(
        cls,
        generator_train_op: Any,
        discriminator_train_op: Any,
        global_step_inc_op: Any,
        train_hooks: Sequence[Any] = (),
    ) -> GANTrainOps:
        """Makes the tuple."""
        return super().__new__(
            cls, generator_train_op, discriminator_train_op, global_step_inc_op, train_hooks
        )


@export("contrib.gan.GANTrainSteps")
class GANTrainSteps(namedtuple("GANTrainSteps", "generator_train_steps discriminator_train_steps")):
    """How many steps each network makes per global step.

    Args:
        generator_train_steps: the steps of the generator.
        discriminator_train_steps: the steps of the discriminator.
    """
