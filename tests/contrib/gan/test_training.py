"""Models, losses and training of tf.contrib.gan; the numbers are those of TensorFlow 1.14."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

gan = tf.contrib.gan


def _dense(x, units, value, name):
    return tf.layers.dense(x, units, kernel_initializer=tf.constant_initializer(value), name=name)


def _generator(z):
    with tf.variable_scope("l"):
        return _dense(z, 2, 0.5, "g")


def _discriminator(x, _):
    return _dense(x, 1, 0.25, "d")


def _classifying(x, inputs):
    return _discriminator(x, inputs), _dense(x, 2, 0.1, "c")


def _data():
    random = np.random.RandomState(3)
    tf.set_random_seed(7)
    real, noise = random.randn(3, 2), random.randn(3, 4)
    return tf.constant(real.astype("f")), tf.constant(noise.astype("f"))


def _model():
    return gan.gan_model(_generator, _discriminator, *_data())


def _values(tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensors)


def test_networks_have_scopes_and_their_own_variables():
    model = _model()
    names = [v.name for v in model.generator_variables + model.discriminator_variables]
    assert names == [
        "Generator/l/g/kernel:0",
        "Generator/l/g/bias:0",
        "Discriminator/d/kernel:0",
        "Discriminator/d/bias:0",
    ]
    assert model.generated_data.name == "Generator/l/g/BiasAdd:0"
    assert model.discriminator_gen_outputs.name == "Discriminator/d/BiasAdd:0"
    assert model.discriminator_real_outputs.name == "Discriminator_1/d/BiasAdd:0"
    loss = gan.gan_loss(model)
    np.testing.assert_allclose(_values(tuple(loss)), [0.12630089, -0.11180053], rtol=1e-6)


def test_classes_and_gradients_have_losses():
    labels = tf.one_hot([0, 1, 1], 2)
    model = gan.acgan_model(_generator, _classifying, *_data(), labels)
    assert model.discriminator_gen_classification_logits.name == (
        "Discriminator/generated/c/BiasAdd:0"
    )
    loss = gan.gan_loss(
        model,
        aux_cond_generator_weight=1.0,
        aux_cond_discriminator_weight=0.5,
        gradient_penalty_weight=1.0,
        tensor_pool_fn=gan.features.tensor_pool,
    )
    np.testing.assert_allclose(_values(tuple(loss)), [0.81944805, 0.99923986], rtol=1e-5)
    assert [x.name for x in tf.losses.get_losses()] == [
        "generator_wasserstein_loss/value:0",
        "discriminator_wasserstein_loss/sub:0",
        "wasserstein_gradient_penalty/value:0",
        "acgan_generator_loss/value:0",
        "acgan_discriminator_loss/add:0",
    ]


def test_predicted_inputs_have_a_loss():
    real, noise = _data()

    def discriminator(x, inputs):
        mean = _dense(x, 1, 0.1, "n")
        return _discriminator(x, inputs), [tf.distributions.Normal(mean, 1.0)]

    def generator(inputs):
        return _generator(tf.concat(inputs, 1))

    model = gan.infogan_model(generator, discriminator, real, [noise], [tf.ones([3, 1])])
    loss = gan.gan_loss(model, mutual_information_penalty_weight=2.0)
    np.testing.assert_allclose(_values(tuple(loss)), [2.6556904, 2.9175892], rtol=1e-5)
    message = "1 must be the same as the length of structured noise 2"
    with tf.variable_scope("other"), pytest.raises(ValueError, match=message):
        gan.infogan_model(generator, discriminator, real, [noise], [noise, noise])


def test_translation_there_and_back():
    x, _ = _data()

    def generator(data):
        return _dense(data, 2, 0.5, "g")

    model = gan.cyclegan_model(generator, _discriminator, x, x * 2)
    assert model.reconstructed_y.name == "Generator_1/g/BiasAdd:0"
    loss = gan.cyclegan_loss(model)
    assert loss.loss_x2y.generator_loss.name == "cyclegan_loss_x2y/add_2:0"
    np.testing.assert_allclose(
        _values([tuple(part) for part in loss]),
        [[9.07646, 0.9703092], [9.355745, 0.9558089]],
        rtol=1e-6,
    )
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
    assert [op.name for op in ops.generator_train_op] == [
        "cyclegan_x2y_train/generator_train/train_op/control_dependency:0",
        "cyclegan_y2x_train/generator_train/train_op/control_dependency:0",
    ]


def test_translation_between_domains():
    x, _ = _data()

    def generator(data, domains):
        return _dense(tf.concat([data, domains], 1), 2, 0.5, "g")

    def discriminator(data, num_domains):
        return _dense(data, 1, 0.25, "d"), _dense(data, num_domains, 0.35, "c")

    model = gan.stargan_model(generator, discriminator, x, tf.one_hot([0, 1, 2], 3))
    loss = gan.stargan_loss(model)
    np.testing.assert_allclose(_values(tuple(loss)), [10.8631115, 5.5275445], rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gradient_penalty_weight": -1.0}, "`gradient_penalty_weight` must be greater than 0"),
        ({"mutual_information_penalty_weight": 1.0}, "must be an `InfoGANModel`"),
        ({"aux_cond_generator_weight": 1.0}, "must be an `ACGANModel`"),
    ],
)
def test_weights_fit_the_model(arguments, message):
    with pytest.raises(ValueError, match=message):
        gan.gan_loss(_model(), **arguments)


def test_an_update_op_of_no_network_is_an_error():
    model = _model()
    loss = gan.gan_loss(model)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="stray"))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match=r"There are unused update ops: .*stray"):
        gan.gan_train_ops(model, loss, optimizer, optimizer)


def test_hooks_run_the_steps_of_both_networks():
    counters = [tf.get_local_variable(n, [], initializer=tf.zeros_initializer()) for n in "ab"]
    ops = gan.GANTrainOps(counters[0].assign_add(1.0), counters[1].assign_add(1.0), tf.constant(1))
    with tf.Session() as session:
        context = tf.train.SessionRunContext(None, session)
        for get_hooks in (gan.get_sequential_train_hooks, gan.get_joint_train_hooks):
            session.run(tf.local_variables_initializer())
            for hook in get_hooks(gan.GANTrainSteps(1, 3))(ops):
                hook.before_run(context)
            assert session.run(counters) == [1.0, 3.0]


def test_train_steps_add_the_losses():
    model = _model()
    loss = gan.gan_loss(model)
    ops = gan.gan_train_ops(
        model,
        loss,
        tf.train.GradientDescentOptimizer(0.1),
        tf.train.GradientDescentOptimizer(0.2),
    )
    step = tf.train.get_global_step()
    train_step = gan.get_sequential_train_steps(gan.GANTrainSteps(2, 3))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        kwargs = {"should_stop": step >= 2}
        results = [train_step(session, ops, step, kwargs) for _ in range(2)]
    np.testing.assert_allclose([r[0] for r in results], [-0.42087479, -1.21881162], rtol=1e-5)
    assert [bool(r[1]) for r in results] == [False, True]


def test_gan_train_returns_the_global_step():
    model = _model()
    loss = gan.gan_loss(model)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    ops = gan.gan_train_ops(model, loss, optimizer, optimizer)
    hooks = [tf.train.StopAtStepHook(num_steps=4)]
    steps = gan.gan_train(
        ops, None, hooks=hooks, save_checkpoint_secs=None, save_summaries_steps=None
    )
    assert steps == 4
