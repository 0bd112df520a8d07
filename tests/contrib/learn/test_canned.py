"""Linear and deep estimators: variables, losses and predictions of TensorFlow 1.15.5."""

from __future__ import annotations

import os

import numpy as np
import pytest

import headwater as tf

layers = tf.contrib.layers
learn = tf.contrib.learn


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """Ten steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def _absolute_error(scores, labels):
    return tf.contrib.metrics.streaming_mean_absolute_error(scores, tf.to_float(labels)[:, 0])


def _input():
    languages = tf.SparseTensor([[0, 0], [1, 0], [2, 0], [3, 0]], ["a", "b", "a", "c"], [4, 1])
    features = {"age": tf.constant([[1.0], [2.0], [3.0], [4.0]]), "lang": languages}
    return features, tf.constant([[1], [0], [1], [0]])


def _columns():
    age = layers.real_valued_column("age")
    language = layers.sparse_column_with_hash_bucket("lang", 20)
    crossed = layers.crossed_column(
        [language, layers.bucketized_column(age, [1.5, 3.0])], hash_bucket_size=10
    )
    return age, language, layers.embedding_column(language, dimension=2), crossed


def _trained(kind, path, steps=10, **arguments):
    config = learn.RunConfig(tf_random_seed=1)
    return kind(model_dir=str(path), config=config, **arguments).fit(input_fn=_input, steps=steps)


def test_a_linear_classifier(tmp_path):
    age, language, _, crossed = _columns()
    estimator = _trained(learn.LinearClassifier, tmp_path, feature_columns=[age, language, crossed])
    assert [name for name in estimator.get_variable_names() if "Ftrl" not in name] == [
        "global_step",
        "linear/age/weight",
        "linear/age_bucketized_X_lang/weights",
        "linear/bias_weight",
        "linear/lang/weights",
    ]
    assert "linear/age/weight/ad/linear/age/weight/part_0/Ftrl" in estimator.get_variable_names()
    np.testing.assert_allclose(estimator.bias_, [0.2391], atol=1e-4)
    assert sorted(estimator.weights_) == [
        "linear/age/weight",
        "linear/age_bucketized_X_lang/weights",
        "linear/lang/weights",
    ]
    np.testing.assert_allclose(estimator.weights_["linear/age/weight"], [[-0.2301]], atol=1e-4)
    results = estimator.evaluate(input_fn=_input, steps=1)
    assert results["global_step"] == 10
    np.testing.assert_allclose(results["loss"], 0.28465, atol=1e-5)
    assert list(estimator.predict(input_fn=_input)) == [1, 0, 1, 0]
    assert list(estimator.predict_classes(input_fn=_input)) == [1, 0, 1, 0]
    probabilities = estimator.predict_proba(input_fn=_input, as_iterable=False)
    np.testing.assert_allclose(probabilities[:, 1], [0.7643, 0.2464, 0.6851, 0.1882], atol=1e-4)


def test_a_linear_regressor(tmp_path):
    age, language, *_ = _columns()
    estimator = _trained(learn.LinearRegressor, tmp_path, feature_columns=[age, language])
    scores = list(estimator.predict(input_fn=_input))
    np.testing.assert_allclose(scores, [0.852, 0.0416, 0.9555, 0.0678], atol=1e-4)
    results = estimator.evaluate(
        input_fn=_input,
        steps=1,
        metrics={"error": _absolute_error},
    )
    np.testing.assert_allclose(results["loss"], 0.00756, atol=1e-5)
    np.testing.assert_allclose(results["error"], 0.0755, atol=1e-4)


def test_joint_weights_are_one_variable(tmp_path):
    _, language, _, crossed = _columns()
    estimator = _trained(
        learn.LinearClassifier, tmp_path, feature_columns=[language, crossed], _joint_weight=True
    )
    assert estimator.weights_.shape == (30, 1)
    assert "linear/linear_weights/weights" in estimator.get_variable_names()


def test_three_classes_and_clipped_gradients(tmp_path):
    age, language, *_ = _columns()
    estimator = _trained(
        learn.LinearClassifier,
        tmp_path,
        feature_columns=[age, language],
        n_classes=3,
        optimizer=lambda: tf.train.GradientDescentOptimizer(0.1),
        gradient_clip_norm=0.5,
    )
    np.testing.assert_allclose(estimator.bias_, [0.0402, 0.0869, -0.1271], atol=1e-4)


def test_a_deep_classifier(tmp_path):
    age, _, embedding, _ = _columns()
    estimator = _trained(
        learn.DNNClassifier, tmp_path, hidden_units=[3, 2], feature_columns=[age, embedding]
    )
    names = [name for name in estimator.get_variable_names() if "Adagrad" not in name]
    assert names == [
        "dnn/binary_logistic_head/dnn/learning_rate",
        "dnn/hiddenlayer_0/biases",
        "dnn/hiddenlayer_0/weights",
        "dnn/hiddenlayer_1/biases",
        "dnn/hiddenlayer_1/weights",
        "dnn/input_from_feature_columns/lang_embedding/weights",
        "dnn/logits/biases",
        "dnn/logits/weights",
        "global_step",
    ]
    weights, biases = estimator.weights_, estimator.bias_
    assert [part.shape for part in weights] == [(3, 3), (3, 2), (2, 1)]
    np.testing.assert_allclose(weights[0][0], [0.8848, -0.7227, 0.9605], atol=1e-4)
    np.testing.assert_allclose(weights[2], [[0.5243], [-0.3216]], atol=1e-4)
    np.testing.assert_allclose(biases[1], [-0.0413, 0.0156], atol=1e-4)
    np.testing.assert_allclose(
        estimator.evaluate(input_fn=_input, steps=1)["loss"], 0.69007, atol=1e-5
    )


def test_a_deep_regressor_with_a_centered_bias(tmp_path):
    age, *_ = _columns()
    estimator = _trained(
        learn.DNNRegressor,
        tmp_path,
        steps=1,
        hidden_units=[3],
        feature_columns=[age],
        enable_centered_bias=True,
    )
    assert [bias.shape for bias in estimator.bias_] == [(3,), (1,), (1,)]
    assert len(list(estimator.predict_scores(input_fn=_input))) == 4


def test_wide_and_deep(tmp_path):
    age, language, embedding, crossed = _columns()
    estimator = _trained(
        learn.DNNLinearCombinedClassifier,
        tmp_path,
        linear_feature_columns=[language, crossed],
        dnn_feature_columns=[age, embedding],
        dnn_hidden_units=[3, 2],
    )
    # Both optimizers count, as in TensorFlow.
    assert estimator.get_variable_value("global_step") == 12
    np.testing.assert_allclose(estimator.dnn_bias_[0], [0.0196, 0.0, -0.0220], atol=1e-4)
    crossed_weights = estimator.linear_weights_["linear/age_bucketized_X_lang/weights"]
    np.testing.assert_allclose(crossed_weights[:3, 0], [0.0, 0.2893, -0.38], atol=1e-4)


def test_steps_of_wide_and_deep_can_count_once(tmp_path):
    age, language, *_ = _columns()
    estimator = _trained(
        learn.DNNLinearCombinedRegressor,
        tmp_path,
        steps=3,
        linear_feature_columns=[language],
        dnn_feature_columns=[age],
        dnn_hidden_units=[2],
        fix_global_step_increment_bug=True,
    )
    assert estimator.get_variable_value("global_step") == 3


def test_embeddings_can_have_a_learning_rate_of_their_own(tmp_path):
    age, _, embedding, _ = _columns()
    estimator = _trained(
        learn.DNNClassifier,
        tmp_path,
        steps=1,
        hidden_units=[3],
        feature_columns=[age, embedding],
        embedding_lr_multipliers={embedding: 0.0},
    )
    name = "dnn/input_from_feature_columns/lang_embedding/weights"
    before = estimator.get_variable_value(name)
    estimator.fit(input_fn=_input, steps=1)
    np.testing.assert_array_equal(estimator.get_variable_value(name), before)
    wrong = learn.DNNClassifier([3], [age], embedding_lr_multipliers={"age": 0.0})
    with pytest.raises(ValueError, match="can only be defined for embedding columns"):
        wrong.fit(input_fn=_input, steps=1)


def test_columns_of_the_later_kind(tmp_path):
    age = tf.feature_column.numeric_column("age")
    estimator = _trained(learn.LinearClassifier, tmp_path, steps=1, feature_columns=[age])
    assert estimator.bias_.shape == (1,)
    estimator = _trained(
        learn.DNNClassifier, tmp_path / "deep", steps=1, hidden_units=[2], feature_columns=[age]
    )
    assert [part.shape for part in estimator.weights_] == [(1, 2), (2, 1)]


def test_estimators_with_heads_of_ones_own(tmp_path):
    age, *_ = _columns()
    head = learn.multi_class_head(2)
    linear = learn.LinearEstimator([age], head, model_dir=str(tmp_path / "linear"))
    deep = learn.DNNEstimator(head, [2], [age], model_dir=str(tmp_path / "deep"))
    both = learn.DNNLinearCombinedEstimator(
        head,
        str(tmp_path / "both"),
        linear_feature_columns=[age],
        dnn_feature_columns=[age],
        dnn_hidden_units=[2],
    )
    for estimator in (linear, deep, both):
        estimator.fit(input_fn=_input, steps=1)
        assert len(list(estimator.predict(input_fn=_input, outputs=["classes"]))) == 4


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: learn.LinearClassifier([]), AssertionError, None),
        (
            learn.DNNLinearCombinedClassifier,
            ValueError,
            "Either linear_feature_columns or dnn_feature_columns must be defined.",
        ),
        (
            lambda: learn.DNNLinearCombinedClassifier(
                dnn_feature_columns=[layers.real_valued_column("age")]
            ).fit(input_fn=_input, steps=1),
            ValueError,
            "dnn_hidden_units must be defined when dnn_feature_columns is specified.",
        ),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_columns_of_all_features_if_none_are_given():
    """As the quickstart of release 0.9 has it."""
    classifier = learn.DNNClassifier(hidden_units=[2], n_classes=3)
    classifier.fit(x=np.ones((4, 3), np.float32), y=np.array([0, 1, 2, 0]), steps=1)
    assert [part.shape for part in classifier.weights_] == [(3, 2), (2, 3)]


def test_flowers_as_the_quickstart_has_them():
    flowers = learn.datasets.load_iris()
    order = np.random.RandomState(0).permutation(150)
    features, classes = flowers.data[order], flowers.target[order]
    column = layers.real_valued_column("", dimension=4)
    classifier = learn.DNNClassifier(
        feature_columns=[column],
        hidden_units=[10, 20, 10],
        n_classes=3,
        config=learn.RunConfig(tf_random_seed=1),
    )
    classifier.fit(x=features[:120], y=classes[:120], steps=200)
    results = classifier.evaluate(x=features[120:], y=classes[120:])
    assert f"{results['accuracy']:f}" == "0.966667"
    assert list(classifier.predict(np.array([[6.4, 3.2, 4.5, 1.5], [5.8, 3.1, 5.0, 1.7]]))) == [
        1,
        2,
    ]


def test_an_export_parses_its_columns(tmp_path):
    age, language, *_ = _columns()
    estimator = _trained(
        learn.LinearClassifier, tmp_path / "model", steps=1, feature_columns=[age, language]
    )
    path = estimator.export(str(tmp_path / "export"))
    session, _ = (
        tf.contrib.session_bundle.bundle_shim.load_session_bundle_or_saved_model_bundle_from_path(
            path.decode()
        )
    )
    with session:
        assert session.graph.get_operations()
