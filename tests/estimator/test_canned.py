"""Canned estimators (golden values of TensorFlow 1.15.5, seed 7)."""

import tempfile

import numpy as np
import pytest

import headwater as tf

_RNG = np.random.RandomState(0)
X = _RNG.randn(64, 3).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.int32)


def column():
    return tf.feature_column.numeric_column("x", shape=3)


def config(**kwargs):
    return tf.estimator.RunConfig(tf_random_seed=7, **kwargs)


def batches(labels, size):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, labels)).batch(size)


def repeated(labels):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, labels)).repeat(10).batch(8)


def trained(make, labels, steps=3):
    estimator = make(tempfile.mkdtemp())
    return estimator.train(repeated(labels), steps=steps)


def shapes(estimator):
    return {n: estimator.get_variable_value(n).shape for n in estimator.get_variable_names()}


def test_wide_and_deep_variables_and_values():
    estimator = trained(
        lambda folder: tf.estimator.DNNLinearCombinedClassifier(
            folder,
            [column()],
            dnn_feature_columns=[column()],
            dnn_hidden_units=[3],
            config=config(),
        ),
        Y,
    )
    kernel = estimator.get_variable_value("dnn/hiddenlayer_0/kernel")
    np.testing.assert_allclose(kernel.ravel()[:3], [0.2926, -0.9689, -0.0549], atol=6e-5)
    weights = estimator.get_variable_value("linear/linear_model/x/weights")
    np.testing.assert_allclose(weights.ravel(), [0.0082, 0.0074, 0.0119], atol=6e-5)
    assert shapes(estimator) == {
        "dnn/hiddenlayer_0/bias": (3,),
        "dnn/hiddenlayer_0/bias/Adagrad": (3,),
        "dnn/hiddenlayer_0/kernel": (3, 3),
        "dnn/hiddenlayer_0/kernel/Adagrad": (3, 3),
        "dnn/logits/bias": (1,),
        "dnn/logits/bias/Adagrad": (1,),
        "dnn/logits/kernel": (3, 1),
        "dnn/logits/kernel/Adagrad": (3, 1),
        "global_step": (),
        "linear/linear_model/bias_weights": (1,),
        "linear/linear_model/bias_weights/Ftrl": (1,),
        "linear/linear_model/bias_weights/Ftrl_1": (1,),
        "linear/linear_model/x/weights": (3, 1),
        "linear/linear_model/x/weights/Ftrl": (3, 1),
        "linear/linear_model/x/weights/Ftrl_1": (3, 1),
    }


def test_names_of_layers_and_their_slots():
    estimator = trained(
        lambda folder: tf.estimator.DNNClassifier(
            [4], [column()], folder, dropout=0.5, batch_norm=True, config=config()
        ),
        Y,
        steps=1,
    )
    layer = "dnn/hiddenlayer_0"
    assert set(shapes(estimator)) == {
        "global_step",
        f"{layer}/batchnorm_0/moving_mean",
        f"{layer}/batchnorm_0/moving_variance",
        *(
            f"{name}{slot}"
            for name in (
                f"{layer}/batchnorm_0/beta",
                f"{layer}/batchnorm_0/gamma",
                f"{layer}/bias",
                f"{layer}/kernel",
                "dnn/logits/bias",
                "dnn/logits/kernel",
            )
            for slot in ("", "/t_0/Adagrad")
        ),
    }


def test_linear_classifier():
    estimator = tf.estimator.LinearClassifier([column()], tempfile.mkdtemp(), config=config())
    result = estimator.train(repeated(Y)).evaluate(batches(Y, 10))
    expected = {
        "accuracy": 0.98438,
        "accuracy_baseline": 0.53125,
        "auc": 1.0,
        "auc_precision_recall": 1.0,
        "average_loss": 0.16082,
        "global_step": 80,
        "label/mean": 0.53125,
        "loss": 1.4704,
        "precision": 0.97143,
        "prediction/mean": 0.5317,
        "recall": 1.0,
    }
    assert result == pytest.approx(expected, rel=1e-4)
    prediction = next(estimator.predict(batches(Y, 10)))
    assert prediction["classes"] == [b"1"]
    np.testing.assert_allclose(prediction["probabilities"], [0.0048, 0.9952], atol=6e-5)
    assert set(estimator.get_variable_names()) == {
        "global_step",
        *(
            f"linear/linear_model/{name}{slot}"
            for name in ("bias_weights", "x/weights")
            for slot in ("", "/part_0/Ftrl", "/part_0/Ftrl_1")
        ),
    }


def test_baseline_regressor():
    estimator = tf.estimator.BaselineRegressor(tempfile.mkdtemp(), config=config())
    result = estimator.train(repeated(X.sum(1))).evaluate(batches(X.sum(1), 10))
    expected = {
        "average_loss": 3.4099,
        "global_step": 80,
        "label/mean": 0.15535,
        "loss": 31.176,
        "prediction/mean": 0.13091,
    }
    assert result == pytest.approx(expected, rel=1e-4)


def test_warm_start_and_given_head():
    first = trained(lambda folder: tf.estimator.DNNRegressor([2], [column()], folder), X[:, 0])
    second = tf.estimator.DNNEstimator(
        tf.contrib.estimator.regression_head(),
        [2],
        [column()],
        warm_start_from=first.model_dir,
        optimizer=tf.train.GradientDescentOptimizer(0.0),
    ).train(batches(X[:, 0], 8), steps=1)
    name = "dnn/hiddenlayer_0/kernel"
    np.testing.assert_array_equal(first.get_variable_value(name), second.get_variable_value(name))


def test_export_signatures():
    estimator = trained(lambda folder: tf.estimator.LinearRegressor([column()], folder), X[:, 0], 1)
    spec = tf.feature_column.make_parse_example_spec([column()])
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    path = estimator.export_saved_model(tempfile.mkdtemp(), receiver)
    predictor = tf.contrib.predictor.from_saved_model(path.decode())
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([1.0, 2.0, 3.0])
    output = predictor({"inputs": [example.SerializeToString()]})
    assert list(output) == ["outputs"]
    assert output["outputs"].shape == (1, 1)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: trained(
                lambda f: tf.estimator.LinearClassifier([column()], f, optimizer="unknown"), Y
            ),
            ValueError,
            "Unsupported optimizer name: unknown. Supported names are: "
            r"\('Adagrad', 'Adam', 'Ftrl', 'RMSProp', 'SGD'\)",
        ),
        (
            lambda: trained(
                lambda f: tf.estimator.DNNClassifier([2], [column()], f, optimizer=object()), Y
            ),
            ValueError,
            "The given object is not an Optimizer instance.",
        ),
        (
            lambda: tf.estimator.DNNLinearCombinedClassifier(),
            ValueError,
            "Either linear_feature_columns or dnn_feature_columns must be defined.",
        ),
        (
            lambda: trained(
                lambda f: tf.estimator.DNNLinearCombinedRegressor(
                    f, dnn_feature_columns=[column()]
                ),
                X[:, 0],
            ),
            ValueError,
            "dnn_hidden_units must be defined when dnn_feature_columns is specified.",
        ),
        (
            lambda: tf.estimator.LinearRegressor([column()]).train(
                lambda: tf.data.Dataset.from_tensors((X, Y))
            ),
            ValueError,
            "features should be a dictionary of `Tensor`s.",
        ),
        (
            lambda: tf.estimator.experimental.dnn_logit_fn_builder(
                "2", [1], [], None, None, None, False
            ),
            ValueError,
            "units must be an int.  Given type: <class 'str'>",
        ),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()
