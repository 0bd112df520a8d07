"""tf.keras.optimizers: three steps give the values of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf

KERAS = tf.keras
OPTIMIZERS: dict[str, Any] = {
    "SGD": lambda: KERAS.optimizers.SGD(0.1),
    "momentum": lambda: KERAS.optimizers.SGD(0.1, momentum=0.9),
    "nesterov": lambda: KERAS.optimizers.SGD(0.1, momentum=0.9, nesterov=True, decay=0.1),
    "RMSprop": lambda: KERAS.optimizers.RMSprop(0.1),
    "RMSprop_m": lambda: KERAS.optimizers.RMSprop(0.1, momentum=0.5, centered=True),
    "RMSprop_mm": lambda: KERAS.optimizers.RMSprop(0.1, momentum=0.5),
    "Adam": lambda: KERAS.optimizers.Adam(0.1),
    "amsgrad": lambda: KERAS.optimizers.Adam(0.1, amsgrad=True),
    "Adagrad": lambda: KERAS.optimizers.Adagrad(0.1),
    "Adadelta": lambda: KERAS.optimizers.Adadelta(1.0),
    "Adamax": lambda: KERAS.optimizers.Adamax(0.1),
    "Nadam": lambda: KERAS.optimizers.Nadam(0.1),
    "Ftrl": lambda: KERAS.optimizers.Ftrl(
        0.1, l1_regularization_strength=0.01, l2_shrinkage_regularization_strength=0.1
    ),
    "clip": lambda: KERAS.optimizers.SGD(0.1, clipnorm=0.5),
    "clipv": lambda: KERAS.optimizers.SGD(0.1, clipvalue=0.5),
    "sched": lambda: KERAS.optimizers.SGD(KERAS.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
    "sched2": lambda: KERAS.optimizers.SGD(KERAS.optimizers.schedules.PolynomialDecay(0.1, 3)),
    "sched3": lambda: KERAS.optimizers.SGD(
        KERAS.optimizers.schedules.PiecewiseConstantDecay([1, 2], [0.3, 0.2, 0.1])
    ),
    "sched4": lambda: KERAS.optimizers.SGD(
        KERAS.optimizers.schedules.InverseTimeDecay(0.1, 2, 0.5, staircase=True)
    ),
}

# Name -> (the variables after three steps, the names of the optimizer's variables).
EXPECTED: dict[str, Any] = {
    "SGD": (
        [
            [0.5120000243186951, -1.0240000486373901],
            [
                [0.2160000056028366, 0.4320000112056732],
                [3.0, 4.0],
                [2.559999942779541, 3.072000026702881],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "momentum": (
        [
            [0.06199999898672104, -0.12399999797344208],
            [
                [-0.5400000214576721, -1.0800000429153442],
                [3.0, 4.0],
                [0.3100000023841858, 0.3720000088214874],
            ],
        ],
        ["SGD/iter:0", "SGD/v/momentum:0", "SGD/w/momentum:0"],
    ),
    "nesterov": (
        [
            [-0.07050000131130219, 0.14100000262260437],
            [
                [-0.45388999581336975, -0.9077799916267395],
                [3.0, 4.0],
                [-0.35249999165534973, -0.4230000078678131],
            ],
        ],
        ["SGD/iter:0", "SGD/v/momentum:0", "SGD/w/momentum:0"],
    ),
    "RMSprop": (
        [
            [0.36917999386787415, -1.3087199926376343],
            [
                [0.36917999386787415, 1.3087199926376343],
                [3.0, 4.0],
                [4.279290199279785, 5.276309967041016],
            ],
        ],
        ["RMSprop/iter:0", "RMSprop/v/rms:0", "RMSprop/w/rms:0"],
    ),
    "RMSprop_m": (
        [
            [0.020840000361204147, -0.8969399929046631],
            [
                [0.020840000361204147, 0.8969399929046631],
                [3.0, 4.0],
                [3.8403000831604004, 4.834780216217041],
            ],
        ],
        [
            "RMSprop/iter:0",
            "RMSprop/v/rms:0",
            "RMSprop/w/rms:0",
            "RMSprop/v/momentum:0",
            "RMSprop/w/momentum:0",
            "RMSprop/v/mg:0",
            "RMSprop/w/mg:0",
        ],
    ),
    "RMSprop_mm": (
        [
            [0.07639999687671661, -0.9800599813461304],
            [
                [0.07639999687671661, 0.9800599813461304],
                [3.0, 4.0],
                [3.9354100227355957, 4.931000232696533],
            ],
        ],
        [
            "RMSprop/iter:0",
            "RMSprop/v/rms:0",
            "RMSprop/w/rms:0",
            "RMSprop/v/momentum:0",
            "RMSprop/w/momentum:0",
        ],
    ),
    "Adam": (
        [
            [0.7015900015830994, -1.7006200551986694],
            [
                [0.7015900015830994, 1.7006200551986694],
                [3.0, 4.0],
                [4.700210094451904, 5.7001800537109375],
            ],
        ],
        ["Adam/iter:0", "Adam/v/m:0", "Adam/w/m:0", "Adam/v/v:0", "Adam/w/v:0"],
    ),
    "amsgrad": (
        [
            [0.7015900015830994, -1.7006200551986694],
            [
                [0.7015900015830994, 1.7006200551986694],
                [3.0, 4.0],
                [4.700210094451904, 5.7001800537109375],
            ],
        ],
        [
            "Adam/iter:0",
            "Adam/v/m:0",
            "Adam/w/m:0",
            "Adam/v/v:0",
            "Adam/w/v:0",
            "Adam/v/vhat:0",
            "Adam/w/vhat:0",
        ],
    ),
    "Adagrad": (
        [
            [0.7822999954223633, -1.7762999534606934],
            [
                [0.7809200286865234, 1.77593994140625],
                [3.0, 4.0],
                [4.7733001708984375, 5.7729902267456055],
            ],
        ],
        ["Adagrad/iter:0", "Adagrad/v/accumulator:0", "Adagrad/w/accumulator:0"],
    ),
    "Adadelta": (
        [
            [0.995710015296936, -1.995710015296936],
            [
                [0.995710015296936, 1.995710015296936],
                [3.0, 4.0],
                [4.9957098960876465, 5.9957098960876465],
            ],
        ],
        [
            "Adadelta/iter:0",
            "Adadelta/v/accum_grad:0",
            "Adadelta/w/accum_grad:0",
            "Adadelta/v/accum_var:0",
            "Adadelta/w/accum_var:0",
        ],
    ),
    "Adamax": (
        [
            [0.715499997138977, -1.7076499462127686],
            [
                [0.715499997138977, 1.7076499462127686],
                [3.0, 4.0],
                [4.702889919281006, 5.702360153198242],
            ],
        ],
        ["Adamax/iter:0", "Adamax/v/m:0", "Adamax/w/m:0", "Adamax/v/v:0", "Adamax/w/v:0"],
    ),
    "Nadam": (
        [
            [0.7527300119400024, -1.7475099563598633],
            [
                [0.7527300119400024, 1.7475099563598633],
                [3.0, 4.0],
                [4.744609832763672, 5.74429988861084],
            ],
        ],
        [
            "Nadam/iter:0",
            "Nadam/momentum_cache:0",
            "Nadam/v/m:0",
            "Nadam/w/m:0",
            "Nadam/v/v:0",
            "Nadam/w/v:0",
        ],
    ),
    "Ftrl": (
        [
            [0.6181399822235107, -1.602180004119873],
            [
                [0.6973199844360352, 1.688439965248108],
                [3.0, 4.0],
                [4.594709873199463, 5.593979835510254],
            ],
        ],
        [
            "Ftrl/iter:0",
            "Ftrl/v/accumulator:0",
            "Ftrl/v/linear:0",
            "Ftrl/w/accumulator:0",
            "Ftrl/w/linear:0",
        ],
    ),
    "clip": (
        [
            [0.932919979095459, -1.865839958190918],
            [
                [0.9645799994468689, 1.9291599988937378],
                [3.0, 4.0],
                [4.910920143127441, 5.893099784851074],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "clipv": (
        [
            [0.8500000238418579, -1.850000023841858],
            [
                [0.699999988079071, 1.7000000476837158],
                [3.0, 4.0],
                [4.849999904632568, 5.849999904632568],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "sched": (
        [
            [0.618179976940155, -1.2363500595092773],
            [
                [0.3442400097846985, 0.6884700059890747],
                [3.0, 4.0],
                [3.0908799171447754, 3.709059953689575],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "sched2": (
        [
            [0.6469699740409851, -1.2939399480819702],
            [
                [0.3811500072479248, 0.7622900009155273],
                [3.0, 4.0],
                [3.234839916229248, 3.881809949874878],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "sched3": (
        [
            [0.09600000083446503, -0.19200000166893005],
            [
                [0.00800000037997961, 0.01600000075995922],
                [3.0, 4.0],
                [0.47999998927116394, 0.5759999752044678],
            ],
        ],
        ["SGD/iter:0"],
    ),
    "sched4": (
        [
            [0.554669976234436, -1.1093300580978394],
            [
                [0.2639999985694885, 0.527999997138977],
                [3.0, 4.0],
                [2.773329973220825, 3.328000068664551],
            ],
        ],
        ["SGD/iter:0"],
    ),
}


@pytest.mark.parametrize("name", list(EXPECTED))
def test_three_steps_are_those_of_tensorflow(name: str) -> None:
    optimizer = OPTIMIZERS[name]()
    v = tf.Variable([1.0, -2.0], use_resource=True, name="v")
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True, name="w")
    loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.gather(w, [0, 2, 0]) ** 2)
    step = optimizer.get_updates(loss, [v, w])
    # Interpreted: compiling each of the small programs would take most of the time.
    options = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
    config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=options))
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        found_v, found_w, count = session.run([v, w, optimizer.iterations])
    (expected_v, expected_w), names = EXPECTED[name]
    np.testing.assert_allclose(found_v, expected_v, atol=2e-5)
    np.testing.assert_allclose(found_w, expected_w, atol=2e-5)
    assert (count, [weight.name for weight in optimizer.weights]) == (3, names)


def test_hyperparameters_can_be_changed() -> None:
    optimizer = KERAS.optimizers.get("adam")
    v = tf.Variable([1.0], use_resource=True)
    optimizer.get_updates(tf.reduce_sum(v), [v])
    optimizer.lr = 0.5
    assert KERAS.backend.get_value(optimizer.learning_rate) == 0.5
    assert optimizer.get_config()["learning_rate"] == 0.5
    weights = optimizer.get_weights()
    optimizer.set_weights([weights[0] + 7, *weights[1:]])
    assert KERAS.backend.get_value(optimizer.iterations) == 7
    with pytest.raises(ValueError, match="but the optimizer was expecting 3 weights"):
        optimizer.set_weights([1])


def test_configurations_make_the_same_optimizer() -> None:
    schedule = KERAS.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    for made in (KERAS.optimizers.SGD(schedule), KERAS.optimizers.Nadam(0.2, clipnorm=1.0)):
        again = KERAS.optimizers.deserialize(KERAS.optimizers.serialize(made))
        assert type(again) is type(made)
        assert str(again.get_config()) == str(made.get_config())


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="Unexpected keyword argument passed to optimizer: foo"):
        KERAS.optimizers.SGD(foo=1)
    with pytest.raises(ValueError, match="Expected clipnorm >= 0, received: -1"):
        KERAS.optimizers.SGD(clipnorm=-1)
    with pytest.raises(ValueError, match="Unknown optimizer: nope"):
        KERAS.optimizers.get("nope")
    v = tf.Variable([1.0], use_resource=True, name="v")
    with pytest.raises(ValueError, match="has `None` for gradient"):
        KERAS.optimizers.SGD().get_gradients(tf.constant(1.0), [v])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        KERAS.optimizers.SGD().apply_gradients([(None, v)])


class Halving(tf.keras.optimizers.Optimizer):
    """An optimizer of a program: with the methods that subclasses have in TensorFlow."""

    def __init__(self, learning_rate=0.5, name="Halving", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", learning_rate)

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "count", "ones")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        rate = apply_state[var.device, var.dtype.base_dtype]["lr_t"]
        count = self.get_slot(var, "count")
        with tf.control_dependencies([var.assign_sub(rate * grad / count)]):
            return count.assign(2 * count)

    def _resource_apply_sparse(self, grad, var, indices):
        return self._resource_scatter_add(var, indices, -grad * self._decayed_lr(var.dtype))

    def get_config(self):
        return {**super().get_config(), "learning_rate": 0.5}


def test_optimizer_of_a_program():
    v = tf.get_variable("v", initializer=[8.0, 4.0], use_resource=True)
    w = tf.get_variable("w", initializer=[8.0, 4.0], use_resource=True)
    optimizer = Halving()
    step = optimizer.minimize(lambda: tf.reduce_sum(v) + 2 * tf.gather(w, 1), [v, w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for wanted in ([7.5, 3.5], [7.25, 3.25], [7.125, 3.125]):
            session.run(step)
            assert session.run(v).tolist() == wanted
        assert session.run(w).tolist() == [8.0, 1.0]
        assert session.run(optimizer.get_slot(v, "count")).tolist() == [8.0, 8.0]


class Reversed(tf.keras.optimizers.SGD):
    """A subclass that hands changed gradients to the optimizer's own update."""

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(-grad, var, apply_state)


def test_subclass_of_an_optimizer():
    v = tf.get_variable("v", initializer=[8.0, 4.0], use_resource=True)
    step = Reversed(0.5).minimize(lambda: tf.reduce_sum(v), v)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(v).tolist() == [8.5, 4.5]
