"""Losses, accuracies, constraints, activations: values are those of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headwater as tf

KERAS = tf.keras
P = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
T = np.array([[0, 1, 0], [1, 0, 0]], np.float32)
W = (
    np.array(
        [
            [[i * 16 + j * 4 + c * 2 + f for f in range(2)] for c in range(2)]
            for i in range(3)
            for j in range(3)
        ],
        np.float32,
    ).reshape(3, 3, 2, 2)
    / 10
)
V = np.array([[3.0, -4.0], [0.5, 0.5]], np.float32)
C: dict[str, Any] = {}
for n in (
    "mean_squared_error mean_absolute_error mean_absolute_percentage_error "
    "mean_squared_logarithmic_error squared_hinge "
    "hinge categorical_hinge logcosh kullback_leibler_divergence poisson "
    "cosine_similarity binary_crossentropy categorical_crossentropy"
).split():
    C["losses." + n] = lambda n=n: getattr(KERAS.losses, n)(tf.constant(T), tf.constant(P))
for n in "BinaryCrossentropy CategoricalCrossentropy".split():
    C["smooth " + n] = lambda n=n: getattr(KERAS.losses, n)(label_smoothing=0.2)(
        tf.constant(T), tf.constant(P)
    )
C["Huber"] = lambda: KERAS.losses.Huber(0.4)(tf.constant(T), tf.constant(P))
C["SparseCategoricalCrossentropy"] = lambda: KERAS.losses.SparseCategoricalCrossentropy(
    from_logits=True
)(tf.constant([1, 0]), tf.constant(P), tf.constant([1.0, 3.0]))
C["CosineSimilarity"] = lambda: KERAS.losses.CosineSimilarity()(tf.constant(T), tf.constant(P))
C["none"] = lambda: KERAS.losses.MeanSquaredError(reduction="none")(
    tf.constant(T), tf.constant(P), tf.constant([1.0, 3.0])
)
for n in "binary_accuracy categorical_accuracy".split():
    C["metrics." + n] = lambda n=n: getattr(KERAS.metrics, n)(tf.constant(T), tf.constant(P))
C["metrics.sparse"] = lambda: KERAS.metrics.sparse_categorical_accuracy(
    tf.constant([[1.0], [0.0]]), tf.constant(P)
)
C["metrics.top"] = lambda: KERAS.metrics.top_k_categorical_accuracy(
    tf.constant(T), tf.constant(P), k=2
)
C["metrics.sparse_top"] = lambda: KERAS.metrics.sparse_top_k_categorical_accuracy(
    tf.constant([1.0, 0.0]), tf.constant(P), k=2
)
for n in "MaxNorm NonNeg UnitNorm MinMaxNorm".split():
    C["constraints." + n] = lambda n=n: getattr(KERAS.constraints, n)()(tf.constant(V))
C["radial3"] = lambda: KERAS.constraints.RadialConstraint()(tf.constant(W))[:, :, 0, 0]
C["radial4"] = lambda: KERAS.constraints.RadialConstraint()(
    tf.constant(np.arange(16, dtype=np.float32).reshape(4, 4, 1, 1))
)[:, :, 0, 0]
C["selu"] = lambda: KERAS.activations.selu(tf.constant(V))
C["softmax"] = lambda: KERAS.activations.softmax(tf.constant(W[0]), axis=1)
C["l1_l2"] = lambda: KERAS.regularizers.l1_l2(0.1, 0.2)(tf.constant(V))
C["normal"] = lambda: KERAS.initializers.RandomNormal(seed=3)((3,))
C["uniform"] = lambda: KERAS.initializers.get("uniform").__class__(seed=3)((3,))

EXPECTED = {
    "losses.mean_squared_error": ("float32", [0.1267, 0.4867]),
    "losses.mean_absolute_error": ("float32", [0.3333, 0.6]),
    "losses.mean_absolute_percentage_error": ("float32", [166666688.0, 300000032.0]),
    "losses.mean_squared_logarithmic_error": ("float32", [0.0616, 0.2373]),
    "losses.squared_hinge": ("float32", [1.1267, 1.7533]),
    "losses.hinge": ("float32", [1.0, 1.2667]),
    "losses.categorical_hinge": ("float32", [0.8, 1.7]),
    "losses.logcosh": ("float32", [0.0614, 0.2185]),
    "losses.kullback_leibler_divergence": ("float32", [0.6931, 2.3026]),
    "losses.poisson": ("float32", [0.5644, 1.1009]),
    "losses.cosine_similarity": ("float32", [0.8111, 0.1231]),
    "losses.binary_crossentropy": ("float32", [0.4243, 1.3391]),
    "losses.categorical_crossentropy": ("float32", [0.6931, 2.3026]),
    "smooth BinaryCrossentropy": ("float32", 0.8958),
    "smooth CategoricalCrossentropy": ("float32", 1.4761),
    "Huber": ("float32", 0.1183),
    "SparseCategoricalCrossentropy": ("float32", 2.5545),
    "CosineSimilarity": ("float32", 0.4671),
    "none": ("float32", [0.1267, 1.46]),
    "metrics.binary_accuracy": ("float32", [0.6667, 0.3333]),
    "metrics.categorical_accuracy": ("float32", [1.0, 0.0]),
    "metrics.sparse": ("float32", [1.0, 0.0]),
    "metrics.top": ("float32", [1.0, 1.0]),
    "metrics.sparse_top": ("float32", [1.0, 1.0]),
    "constraints.MaxNorm": ("float32", [[1.9728, -1.9846], [0.3288, 0.2481]]),
    "constraints.NonNeg": ("float32", [[3.0, -0.0], [0.5, 0.5]]),
    "constraints.UnitNorm": ("float32", [[0.9864, -0.9923], [0.1644, 0.124]]),
    "constraints.MinMaxNorm": ("float32", [[0.9864, -0.9923], [0.1644, 0.124]]),
    "radial3": ("float32", [[2.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 2.0]]),
    "radial4": (
        "float32",
        [
            [15.0, 15.0, 15.0, 15.0],
            [15.0, 5.0, 5.0, 15.0],
            [15.0, 5.0, 5.0, 15.0],
            [15.0, 15.0, 15.0, 15.0],
        ],
    ),
    "selu": ("float32", [[3.1521, -1.7259], [0.5254, 0.5254]]),
    "softmax": (
        "float32",
        [
            [[0.4502, 0.4502], [0.5498, 0.5498]],
            [[0.4502, 0.4502], [0.5498, 0.5498]],
            [[0.4502, 0.4502], [0.5498, 0.5498]],
        ],
    ),
    "l1_l2": ("float32", 5.9),
    "normal": ("float32", [0.0531, -0.0439, 0.0056]),
    "uniform": ("float32", [-0.0113, -0.014, 0.0477]),
}


def test_values_are_those_of_tensorflow() -> None:
    names = list(EXPECTED)
    results = KERAS.backend.get_session().run([C[name]() for name in names])
    for name, result in zip(names, results, strict=True):
        kind, expected = EXPECTED[name]
        assert result.dtype == kind, name
        np.testing.assert_allclose(result, expected, rtol=2e-4, atol=1e-4, err_msg=name)


def test_objects_survive_serialization() -> None:
    for module, made in (
        (KERAS.constraints, KERAS.constraints.MinMaxNorm(0.1, 2.0, axis=1)),
        (KERAS.initializers, KERAS.initializers.RandomNormal(1.0, 2.0, seed=3)),
        (KERAS.losses, KERAS.losses.Huber(2.0)),
        (KERAS.regularizers, KERAS.regularizers.l1_l2(0.5, 0.25)),
    ):
        again = module.deserialize(module.serialize(made))
        assert type(again) is type(made)
        assert again.get_config() == made.get_config()
    assert (
        KERAS.activations.get(KERAS.activations.serialize(KERAS.activations.selu)).__name__
        == "selu"
    )


def test_names_find_objects() -> None:
    assert KERAS.activations.get(None)(3) == 3
    assert KERAS.losses.get("mse") is KERAS.losses.mean_squared_error
    assert KERAS.initializers.get("he_normal").get_config()["scale"] == 2.0
    assert KERAS.initializers.get("normal").get_config()["stddev"] == 0.05
    assert KERAS.regularizers.get("l2").get_config() == {"l1": 0.0, "l2": 0.009999999776482582}
    assert KERAS.constraints.get("non_neg").get_config() == {}
    assert [m.get(None) for m in (KERAS.losses, KERAS.initializers, KERAS.constraints)] == [
        None
    ] * 3


def test_custom_objects_are_known_in_their_scope() -> None:
    def double(x: Any) -> Any:
        return x * 2

    with KERAS.utils.custom_object_scope({"double": double}):
        assert KERAS.activations.get("double") is double
    with pytest.raises(ValueError, match="Unknown activation function:double"):
        KERAS.activations.get("double")


def test_unknown_names_are_refused() -> None:
    for module, text in (
        (KERAS.initializers, "Unknown initializer:nope"),
        (KERAS.regularizers, "Unknown regularizer:nope"),
        (KERAS.constraints, "Unknown constraint: nope"),
        (KERAS.losses, "Unknown loss function:nope"),
    ):
        with pytest.raises(ValueError, match=text):
            module.get("nope")
        with pytest.raises(ValueError, match="Could not interpret"):
            module.get(3)
    with pytest.raises(ValueError, match="Invalid Reduction Key nope"):
        KERAS.losses.MeanSquaredError(reduction="nope")
    with pytest.raises(ValueError, match="Cannot apply softmax to a tensor that is 1D"):
        KERAS.activations.softmax(tf.zeros([3]))
