"""tf.contrib.gan.losses; the numbers are those of TensorFlow 1.14."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import headwater as tf

losses = tf.contrib.gan.losses
wargs = losses.wargs

REAL = np.float32([[0.3, -1.2], [2.5, 0.1]])
GENERATED = np.float32([[-0.7, 0.2], [1.5, -3.1]])


def _tensors():
    return tf.constant(REAL), tf.constant(GENERATED)


def test_values():
    real, generated = _tensors()
    labels = tf.one_hot([0, 1], 2)
    distributions = tf.distributions
    got = [
        wargs.wasserstein_generator_loss(generated),
        wargs.wasserstein_discriminator_loss(real, generated),
        wargs.minimax_generator_loss(generated, label_smoothing=0.1),
        wargs.minimax_discriminator_loss(real, generated),
        wargs.modified_generator_loss(generated, label_smoothing=0.1),
        wargs.modified_discriminator_loss(real, generated),
        wargs.least_squares_generator_loss(generated),
        wargs.least_squares_discriminator_loss(real, generated, real_label=2),
        wargs.acgan_generator_loss(generated, labels),
        wargs.acgan_discriminator_loss(real, generated, labels, label_smoothing=0.1),
        wargs.cycle_consistency_loss(real, generated, generated, real * 2),
        wargs.mutual_information_penalty(
            [tf.constant([0, 1]), real],
            [distributions.Categorical(logits=generated), distributions.Normal(real, 1.0)],
        ),
    ]
    with tf.Session() as session:
        values = session.run(got)
    expected = [
        0.525, -0.95, -1.0999622, 1.4750565, 1.2354505, 1.4750565, 2.57375, 3.6725001, 2.9255776,
        4.2472024, 2.1625, 1.9222581,
    ]  # fmt: skip
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    assert [x.name for x in tf.losses.get_losses()][:3] == [
        "generator_wasserstein_loss/value:0",
        "discriminator_wasserstein_loss/sub:0",
        "generator_minimax_loss/add_1:0",
    ]


def test_gradient_penalty():
    tf.set_random_seed(7)
    real, generated = _tensors()

    def discriminator(x, _):
        return tf.layers.dense(
            x, 1, kernel_initializer=tf.constant_initializer([0.5, 1.0]), name="fc"
        )

    with tf.variable_scope("D") as scope:
        discriminator(real, None)
    arguments = (real, generated, tf.zeros([2, 2]), discriminator, scope)
    both = wargs.wasserstein_gradient_penalty(*arguments)
    one = wargs.wasserstein_gradient_penalty(*arguments, one_sided=True, target=0.5)
    none = wargs.wasserstein_gradient_penalty(*arguments, one_sided=True, target=2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([both, one, none])
    np.testing.assert_allclose(values, [0.013932026, 1.5278641, 0.0], rtol=1e-5)
    unknown = tf.placeholder(tf.float32, None)
    with pytest.raises(ValueError, match=r"`generated_data` can't have unknown rank."):
        wargs.wasserstein_gradient_penalty(real, unknown, None, discriminator, scope)


def test_combined_losses():
    real, generated = _tensors()
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    main, adversarial = tf.reduce_sum(v * generated), tf.reduce_sum(v * v * real)
    weighted = wargs.combine_adversarial_loss(main, adversarial, weight_factor=0.5)
    scaled = wargs.combine_adversarial_loss(main, adversarial, gradient_ratio=0.5)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run([weighted, scaled]), [-1.25, -0.4], rtol=1e-5)
    assert wargs.combine_adversarial_loss(main, adversarial, weight_factor=0.0) is main
    with pytest.raises(ValueError, match=r"cannot both be `None.`"):
        wargs.combine_adversarial_loss(main, adversarial)
    with pytest.raises(ValueError, match="cannot both be specified"):
        wargs.combine_adversarial_loss(main, adversarial, 1.0, 1.0)
    model = namedtuple("Model", "generator_variables")([v])
    both = tf.contrib.gan.GANLoss(adversarial, adversarial)
    combined = losses.combine_adversarial_loss(both, model, main, weight_factor=0.5)
    assert combined.discriminator_loss is adversarial
    assert combined.generator_loss is not adversarial


def test_the_model_gives_the_arguments():
    _, generated = _tensors()
    model = namedtuple("Model", "discriminator_gen_outputs weights")(generated, 3.0)
    loss = losses.wasserstein_generator_loss(model, reduction=tf.losses.Reduction.NONE)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(loss), -3 * GENERATED)
    with pytest.raises(ValueError, match=r"both the tuple and keyword args .*\{'weights'\}"):
        losses.wasserstein_generator_loss(model, weights=2.0)
    other = namedtuple("Model", "a")(1)
    with pytest.raises(
        ValueError, match="`discriminator_gen_outputs` must be supplied to wasserstein_generator_"
    ):
        losses.wasserstein_generator_loss(other)


def test_wrong_arguments():
    real, generated = _tensors()
    with pytest.raises(ValueError, match=r"length 2 must be the same as .* length 1."):
        wargs.mutual_information_penalty([real, real], [tf.distributions.Normal(real, 1.0)])
    with pytest.raises(ValueError, match=r"must be a list of `Distributions`. Instead, found"):
        wargs.mutual_information_penalty([real], [3])
    with pytest.raises(ValueError, match=r"logits must not be None."):
        wargs.acgan_generator_loss(None, tf.one_hot([0, 1], 2))
    with pytest.raises(ValueError, match="`cyclegan_model` must be a `CycleGANModel`"):
        losses.cycle_consistency_loss(generated)
