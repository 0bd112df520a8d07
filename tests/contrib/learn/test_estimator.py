"""contrib.learn's Estimator: fit, evaluate, predict, export, with values of TensorFlow 1.15.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.contrib.learn.estimating.metric_specs import make_metrics_ops
from headwater.contrib.learn.exporting.inspection import print_tensors_in_checkpoint_file

learn = tf.contrib.learn
X = np.arange(8, dtype=np.float32)
Y = 3 * X


def bare_model(features: Any, labels: Any, mode: str) -> Any:
    """A model function of the older kind: it returns predictions, loss and the training op."""
    weight = tf.get_variable("w", initializer=0.0)
    predictions = features * weight
    if labels is None:
        return predictions, None, None
    loss = tf.reduce_mean(tf.square(predictions - labels))
    train = None
    if mode == learn.ModeKeys.TRAIN:
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train = optimizer.minimize(loss, tf.train.get_global_step())
    return predictions, loss, train


def named_model(features: Any, labels: Any, mode: str, params: Any) -> Any:
    weight = tf.get_variable("w", initializer=2.0)
    predictions = {"y": features["x"] * weight}
    if mode == learn.ModeKeys.INFER:
        return learn.ModelFnOps(mode, predictions)
    loss = tf.reduce_mean(tf.square(predictions["y"] - labels))
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    train = optimizer.minimize(loss, tf.train.get_global_step())
    return learn.ModelFnOps(mode, predictions, loss, train)


def named_input() -> Any:
    return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([[3.0], [6.0]])


def named(folder: Path, **config: Any) -> Any:
    return learn.Estimator(
        named_model, str(folder), config=learn.RunConfig(**config), params={"rate": 0.1}
    )


def test_arrays_are_shuffled_and_fed_as_in_tensorflow(tmp_path: Path) -> None:
    estimator = learn.Estimator(bare_model, str(tmp_path))
    assert estimator.fit(X, Y, steps=3, batch_size=4) is estimator
    assert estimator.evaluate(X, Y, steps=1, batch_size=8) == {
        "loss": np.float32(7775.106),
        "global_step": 3,
    }
    spec = learn.MetricSpec(tf.contrib.metrics.streaming_mean_squared_error)
    results = estimator.evaluate(X, Y, batch_size=2, metrics={"mse": spec})
    np.testing.assert_allclose([results["mse"], results["loss"]], [7048.4307, 7083.034], rtol=1e-6)
    predicted = estimator.predict(X, as_iterable=False)
    assert predicted.shape == (8, 1)
    np.testing.assert_allclose(predicted[1], [23.069067], rtol=1e-6)
    assert len(list(estimator.predict(X))) == 8
    assert estimator.get_variable_names() == ["global_step", "w"]
    with pytest.raises(ValueError, match="Features are incompatible with given information"):
        estimator.fit(input_fn=lambda: (tf.constant(X), tf.constant(Y)), steps=2)


def test_limits_of_steps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    estimator = named(tmp_path, save_checkpoints_steps=2)
    estimator.fit(input_fn=named_input, steps=4).fit(input_fn=named_input, max_steps=4)
    assert estimator.get_variable_value("global_step") == 4
    assert estimator.get_variable_value("w") == 2.9375
    assert (tmp_path / "model.ckpt-2.index").exists()
    assert (tmp_path / "model.ckpt-4.index").exists()
    with pytest.raises(ValueError, match="Can not provide both steps and max_steps"):
        estimator.fit(input_fn=named_input, steps=1, max_steps=2)


def test_predictions_end_with_the_first_batch_of_a_constant_input(tmp_path: Path) -> None:
    estimator = named(tmp_path).fit(input_fn=named_input, steps=1)
    rows = list(estimator.predict(input_fn=named_input))
    assert [sorted(row) for row in rows] == [["y"], ["y"]]
    (batch,) = estimator.predict(input_fn=named_input, iterate_batches=True)
    assert batch["y"].shape == (2, 1)
    with pytest.raises(ValueError, match="Expected to run at least one output from"):
        estimator.predict(input_fn=named_input, outputs=["zz"])


def test_errors_of_arguments(tmp_path: Path) -> None:
    estimator = named(tmp_path)
    with pytest.raises(learn.NotFittedError, match="Couldn't find trained model at"):
        estimator.evaluate(input_fn=named_input, steps=1)
    with pytest.raises(learn.NotFittedError, match="Couldn't find trained model at"):
        estimator.predict(input_fn=named_input)
    with pytest.raises(ValueError, match=r"Either x or input_fn must be provided\."):
        estimator.predict()
    with pytest.raises(ValueError, match="Can not provide both input_fn and batch_size"):
        estimator.predict(input_fn=named_input, batch_size=3)
    with pytest.raises(ValueError, match=r"Inputs cannot be tensors\. Please provide input_fn\."):
        estimator.fit(x=tf.constant(1.0))
    with pytest.raises(ValueError, match=r"Metrics argument should be None or dict\. Got \[3\]\."):
        estimator.evaluate(input_fn=named_input, metrics=[3])
    with pytest.raises(ValueError, match="does not have a params argument, but params"):
        learn.Estimator(bare_model, str(tmp_path), params={"a": 1})
    with pytest.raises(ValueError, match="model_dir are set both in constructor and RunConfig"):
        learn.Estimator(bare_model, "/a", config=learn.RunConfig(model_dir="/b"))


def test_saved_models_have_a_signature_for_each_output(tmp_path: Path) -> None:
    estimator = named(tmp_path / "model").fit(input_fn=named_input, steps=1)
    serving = learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})
    folder = estimator.export_savedmodel(str(tmp_path / "exports"), serving)
    assert isinstance(folder, bytes)
    with tf.Session(graph=tf.Graph()) as session:
        meta_graph = tf.saved_model.loader.load(session, ["serve"], folder.decode())
        names = {"serving_default", "default_input_alternative:default_output_alternative"}
        assert set(meta_graph.signature_def) == names
        signature = meta_graph.signature_def["serving_default"]
        feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0]))
        example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
        result = session.run(
            signature.outputs["y"].name,
            {signature.inputs["examples"].name: [example.SerializeToString()]},
        )
    np.testing.assert_allclose(result, [[2.5]])
    bundle = estimator.export(str(tmp_path / "bundles"), exports_to_keep=2)
    assert bundle.endswith(b"/00000001")


def test_model_fn_ops_checks_its_parts() -> None:
    values = tf.constant([[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"Missing train_op\."):
        learn.ModelFnOps("train", predictions=values, loss=1.0)
    with pytest.raises(ValueError, match=r"Missing loss\."):
        learn.ModelFnOps("eval")
    with pytest.raises(ValueError, match=r"Missing predictions\."):
        learn.ModelFnOps("infer")
    with pytest.raises(ValueError, match=r"Invalid mode evil\."):
        learn.ModelFnOps("evil")
    with pytest.raises(ValueError, match="Loss must be scalar: Tensor"):
        learn.ModelFnOps("eval", predictions=values, loss=values)
    with pytest.raises(TypeError, match="must be SessionRunHook instances, got instance"):
        learn.ModelFnOps("infer", predictions=values, training_hooks=[3])
    ops = learn.ModelFnOps("eval", predictions=values, loss=tf.constant([1.0]))
    assert ops.loss.get_shape() == () and ops.training_scaffold is None
    spec = learn.ModelFnOps(
        "infer",
        values,
        output_alternatives={"a": (1, {"scores": values}), "b": (2, {"scores": values})},
    )
    assert set(spec.estimator_spec("a").export_outputs) == {"a", "b", "serving_default"}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda labels, predictions: (labels, predictions), ("L", "P")),
        (lambda predictions, targets: (targets, predictions), ("L", "P")),
        (lambda logit, label, weight=None: (label, logit, weight), ("L", "P", None)),
        (lambda x, labels: (labels, x), ("L", "P")),
        (lambda labels, x: (labels, x), ("L", "P")),
        (lambda x: x, "P"),
        (lambda *args: args, ("P",)),
    ],
)
def test_metric_functions_of_every_form(function: Any, expected: Any) -> None:
    assert learn.MetricSpec(function).create_metric_ops(None, "L", "P") == expected


def test_metric_specs_choose_tensors_by_name() -> None:
    def metric(predictions: Any, labels: Any, weights: Any = None) -> Any:
        return predictions, labels, weights

    spec = learn.MetricSpec(metric, prediction_key="p", label_key="l", weight_key="w")
    assert spec.create_metric_ops({"w": "W"}, {"l": "L"}, {"p": "P"}) == ("P", "L", "W")
    assert str(spec) == (
        "MetricSpec(metric_fn=metric, prediction_key=p, label_key=l, weight_key=w)"
    )
    with pytest.raises(ValueError, match="MetricSpec with prediction_key specified requires"):
        spec.create_metric_ops({"w": "W"}, {"l": "L"}, "P")
    with pytest.raises(KeyError, match="Key 'l' missing from"):
        spec.create_metric_ops({"w": "W"}, {"m": "L"}, {"p": "P"})
    with pytest.raises(ValueError, match="Ambiguous arguments"):
        learn.MetricSpec(lambda labels, targets, predictions: None)
    with pytest.raises(ValueError, match="missing from <lambda>"):
        learn.MetricSpec(lambda predictions: None, label_key="l")


def test_metrics_that_are_bare_functions() -> None:
    def pair(predictions: Any, labels: Any) -> Any:
        return predictions, labels

    assert make_metrics_ops({"a": pair}, None, {"q": "L"}, "P") == {"a": ("P", "L")}
    assert make_metrics_ops({("a", "p"): pair}, None, "L", {"p": "P"}) == {"a": ("P", "L")}
    with pytest.raises(ValueError, match="Metrics passed provide only name, no prediction"):
        make_metrics_ops({"a": pair}, None, "L", {"p": "P"})
    with pytest.raises(ValueError, match="It returned a tuple with len 3, expected 2"):
        make_metrics_ops({("a", "p", "r"): pair}, None, "L", {"p": "P"})


def test_parameters_are_the_public_attributes(tmp_path: Path) -> None:
    estimator = learn.Estimator(named_model, str(tmp_path), params={"rate": 0.5})
    assert repr(estimator) == "Estimator(params={'rate': 0.5})"
    assert estimator.set_params(params=3).get_params() == {"params": 3}
    with pytest.raises(ValueError, match="Invalid parameter q for estimator Estimator"):
        estimator.set_params(q=1)


def test_real_valued_columns_of_input() -> None:
    first, second = learn.infer_real_valued_columns_from_input(
        {"u": np.zeros((4, 3)), "v": np.zeros(4, np.int32)}
    )
    assert (first.column_name, first.dimension, first.dtype) == ("u", 3, tf.float64)
    assert (second.column_name, second.dimension, second.dtype) == ("v", 1, tf.int32)


def test_checkpoints_are_inspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named(tmp_path).fit(input_fn=named_input, steps=1)
    path = tf.train.latest_checkpoint(str(tmp_path))
    print_tensors_in_checkpoint_file(path, "w")
    assert capsys.readouterr().out == "tensor_name:  w\n2.5\n"
    print_tensors_in_checkpoint_file(path, "")
    assert "w (DT_FLOAT) []" in capsys.readouterr().out


def test_names_of_older_releases() -> None:
    assert learn.basic_session_run_hooks.StopAtStepHook is tf.train.StopAtStepHook
    assert learn.session_run_hook.SessionRunHook is tf.train.SessionRunHook
    assert learn.estimators.RunConfig is learn.run_config.RunConfig is learn.RunConfig
    assert learn.model_fn.ModeKeys is learn.ModeKeys
    signature = learn.tensor_signature.create_signatures(tf.zeros([2, 3]))
    assert signature.get_placeholder().get_shape().as_list() == [None, 3]
    integers = learn.tensor_signature.create_signatures(tf.zeros([2, 3], tf.int32))
    assert integers.get_feature_spec().dtype == tf.int64


def test_a_model_function_names_the_signatures_of_an_export(tmp_path):
    """Release 0.12 has `signature_fn` as the sixth argument, where others have alternatives."""
    asked = []

    def signatures(examples, features, predictions):
        asked.append(predictions)
        return learn.utils.export.generic_signature_fn(examples, features, predictions)

    def model_fn(features, labels, mode):
        weight = tf.get_variable("weight", [])
        values = tf.reshape(features, [-1]) * weight
        loss = None if labels is None else tf.reduce_mean(tf.square(values - labels))
        train = tf.assign_add(tf.train.get_global_step(), 1)
        return learn.ModelFnOps(mode, values, loss, train, None, signatures)

    estimator = learn.Estimator(model_fn, model_dir=str(tmp_path / "model"))
    estimator.fit(x=np.ones([2, 1], np.float32), y=np.ones([2], np.float32), steps=1)
    estimator.export(
        str(tmp_path / "export"),
        input_fn=lambda unused, examples: tf.strings.to_number(tf.reshape(examples, [-1, 1])),
    )
    assert len(asked) == 1
    ops = learn.ModelFnOps("infer", tf.zeros([1]), signature_fn=signatures)
    assert (ops.signature_fn, ops.output_alternatives) == (signatures, None)
    assert learn.ModelFnOps("infer", tf.zeros([1])).signature_fn is None
