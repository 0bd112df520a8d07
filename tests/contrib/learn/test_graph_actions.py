"""graph_actions of contrib.learn, with values of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

actions = tf.contrib.learn.graph_actions


class Model:
    """A graph that trains a weight."""

    def __init__(self, factor: float = 1.0) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            step = tf.train.create_global_step()
            self.weight = tf.get_variable("w", initializer=1.0)
            self.loss = tf.square(self.weight - 3.0) * factor
            tf.summary.scalar("loss", self.loss)
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            self.train = optimizer.minimize(self.loss, step)


def trained(folder: Path, **arguments: Any) -> Any:
    model = Model()
    return actions.train(model.graph, str(folder), model.train, model.loss, **arguments)


def test_training_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    np.testing.assert_allclose(trained(tmp_path, steps=5), 0.6710887, rtol=1e-6)
    np.testing.assert_allclose(trained(tmp_path, steps=5), 0.07205748, rtol=1e-6)
    np.testing.assert_allclose(trained(tmp_path, max_steps=12), 0.029514713, rtol=1e-6)
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-12")


def test_evaluation(tmp_path: Path) -> None:
    trained(tmp_path, steps=12)
    path = tf.train.latest_checkpoint(str(tmp_path))
    model = Model()
    results, step = actions.evaluate(
        model.graph, str(tmp_path), path, {"w": model.weight, "l": model.loss}, max_steps=2
    )
    assert step == 12
    np.testing.assert_allclose([results["w"], results["l"]], [2.8625612, 0.018889416], rtol=1e-6)
    model = Model()
    with model.graph.as_default():
        local = [tf.GraphKeys.LOCAL_VARIABLES]
        count = tf.get_variable("c", initializer=0, collections=local, trainable=False)
        update = tf.assign_add(count, 1)
    results, _ = actions.evaluate(
        model.graph, str(tmp_path), path, {"c": count}, update_op=update, max_steps=3
    )
    assert results == {"c": 3}
    model = Model()
    results, step = actions.evaluate(
        model.graph, str(tmp_path), None, {"w": model.weight}, max_steps=1
    )
    assert (results, step) == ({"w": 1.0}, 0)


def test_inference(tmp_path: Path) -> None:
    trained(tmp_path, steps=1)
    path = tf.train.latest_checkpoint(str(tmp_path))
    model = Model()
    with model.graph.as_default():
        x = tf.placeholder(tf.float32)
        y = x * model.weight
    assert actions.infer(path, {"y": y}, {x: 2.0}) == {"y": np.float32(2.8)}
    assert actions.infer(None, {"y": y}, {x: 2.0}) == {"y": 2.0}
    assert actions.run_n({"y": y}, {x: 2.0}, n=3) == [{"y": 2.0}] * 3
    assert actions.run_feeds({"y": y}, [{x: 1.0}, {x: 2.0}]) == [{"y": 1.0}, {"y": 2.0}]
    assert list(actions.run_feeds_iter({"y": y}, [{x: 1.0}])) == [{"y": 1.0}]
    with pytest.raises(ValueError, match="output_dict is invalid: None"):
        actions.infer(None, None)
    with pytest.raises(ValueError, match=r"feed_dicts is invalid: \[\]"):
        actions.run_feeds({"y": y}, [])


def test_a_loss_that_is_nan(tmp_path: Path) -> None:
    model = Model(float("nan"))
    with pytest.raises(tf.contrib.learn.NanLossDuringTrainingError):
        actions.train(model.graph, str(tmp_path), model.train, model.loss, steps=3)
    model = Model(float("nan"))
    loss = actions.train(
        model.graph, str(tmp_path), model.train, model.loss, steps=2, fail_on_nan_loss=False
    )
    assert np.isnan(loss)


def test_a_monitor_stops_training(tmp_path: Path) -> None:
    trained(tmp_path, steps=9, monitors=[tf.contrib.learn.monitors.StopAtStep(num_steps=2)])
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-2")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: actions.train(m.graph, None, m.train, m.loss), "Output directory should be"),
        (lambda m: actions.train(m.graph, "/x", None, m.loss), "Missing train_op"),
        (lambda m: actions.train(m.graph, "/x", m.train, None), "Missing loss_op"),
        (
            lambda m: actions.train(m.graph, "/x", m.train, m.loss, steps=1, max_steps=2),
            "Can not provide both steps and max_steps",
        ),
        (
            lambda m: actions.train(tf.Graph(), "/x", m.train, m.loss, steps=1),
            'No "global_step" was provided or found in the graph',
        ),
        (lambda m: actions.evaluate(m.graph, None, None, {"w": m.weight}), "Output directory"),
    ],
)
def test_errors(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(Model())


def test_writers(tmp_path: Path) -> None:
    writer = actions.get_summary_writer(str(tmp_path))
    assert actions.get_summary_writer(str(tmp_path)) is writer
    actions.clear_summary_writers()
    assert actions.get_summary_writer(str(tmp_path)) is not writer
