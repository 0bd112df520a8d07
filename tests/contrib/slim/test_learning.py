"""slim.learning: the training op and the loop that runs it; numbers and log lines of 1.15.5."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

slim = tf.contrib.slim
INPUTS = np.random.RandomState(0).rand(16, 4).astype("f")
LABELS = (INPUTS.sum(1, keepdims=True) > 2).astype("f")


def _loss() -> tf.Tensor:
    tf.set_random_seed(0)
    predictions = slim.fully_connected(tf.constant(INPUTS), 1, activation_fn=tf.sigmoid, scope="fc")
    return tf.losses.log_loss(LABELS, predictions)


def _train_op(**arguments: Any) -> tf.Tensor:
    return slim.learning.create_train_op(
        _loss(), tf.train.GradientDescentOptimizer(1.0), **arguments
    )


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level("INFO", logger="tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def test_training_reduces_the_loss_as_in_tensorflow(lines: Any) -> None:
    assert slim.learning.train(_train_op(), None, number_of_steps=3) == pytest.approx(
        0.67365575, rel=1e-5
    )
    steps = [line for line in lines() if line.startswith("global step")]
    assert [re.sub(r"\(.*sec/step\)", "", line) for line in steps] == [
        "global step 1: loss = 0.7002 ",
        "global step 2: loss = 0.6843 ",
        "global step 3: loss = 0.6737 ",
    ]
    assert [line for line in lines() if "step" not in line and "local_init_op" not in line] == [
        "Starting Session.",
        "Starting Queues.",
        "Stopping Training.",
    ]


def test_multiplied_and_clipped_gradients(tmp_path: Path) -> None:
    train_op = _train_op(
        clip_gradient_norm=4, summarize_gradients=True, gradient_multipliers={"fc/weights": 2.0}
    )
    assert [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)] == [
        "summarize_grads/fc/weights_gradient",
        "summarize_grads/fc/weights_gradient_norm",
        "summarize_grads/fc/biases_gradient",
        "summarize_grads/fc/biases_gradient_norm",
    ]
    loss = slim.learning.train(
        train_op, str(tmp_path), number_of_steps=5, log_every_n_steps=0, trace_every_n_steps=2
    )
    assert loss == pytest.approx(0.63663846, rel=1e-5)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"graph.pbtxt", "model.ckpt-5.index", "tf_trace-1.json", "tf_trace-5.json"} <= names
    assert tf.train.load_variable(str(tmp_path), "global_step") == 5


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    for steps in (2, 4):
        with tf.Graph().as_default():
            slim.learning.train(_train_op(), str(tmp_path), number_of_steps=steps)
    with tf.Graph().as_default():
        through = slim.learning.train(_train_op(), None, number_of_steps=4)
    with tf.Graph().as_default():
        train_op = _train_op()
        with tf.Session() as session:
            tf.train.Saver().restore(session, tf.train.latest_checkpoint(str(tmp_path)))
            assert session.run(tf.train.get_global_step()) == 4
            assert session.run(train_op) < through


def test_update_ops_run_before_the_gradients(session: tf.Session) -> None:
    weight = tf.get_variable("w", initializer=1.0)
    update = weight.assign(5.0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    with tf.control_dependencies([update]):
        loss = tf.square(weight.read_value())
    train_op = slim.learning.create_train_op(
        loss, tf.train.GradientDescentOptimizer(0.1), global_step=None
    )
    assert train_op in tf.get_collection(tf.GraphKeys.TRAIN_OP)
    session.run(tf.global_variables_initializer())
    assert session.run(train_op) == 25.0
    assert session.run(weight) == 4.0


def test_only_some_variables_are_trained(session: tf.Session) -> None:
    first, second = (tf.get_variable(name, initializer=1.0) for name in "ab")
    train_op = slim.learning.create_train_op(
        first * second, tf.train.GradientDescentOptimizer(0.5), variables_to_train=[second]
    )
    session.run(tf.global_variables_initializer())
    session.run(train_op)
    assert session.run([first, second]) == [1.0, 0.5]


def test_a_loss_that_is_not_a_number() -> None:
    train_op = slim.learning.create_train_op(
        _loss() * float("nan"), tf.train.GradientDescentOptimizer(1.0)
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="LossTensor is inf or nan : Tensor had NaN values"
    ):
        slim.learning.train(train_op, None, number_of_steps=2)


def test_step_function_session_wrapper_and_init_fn() -> None:
    seen: dict[str, Any] = {}

    def step(sess: Any, train_op: Any, global_step: Any, arguments: dict[str, Any]) -> Any:
        seen["step"] = sorted(arguments)
        return sess.run(train_op), True

    def wrap(sess: Any) -> Any:
        seen["session"] = type(sess)
        return sess

    def init(sess: Any) -> None:
        seen["init"] = sess.run("fc/biases:0").tolist()

    loss = slim.learning.train(
        _train_op(), None, train_step_fn=step, session_wrapper=wrap, init_fn=init
    )
    assert loss == pytest.approx(0.7002131, rel=1e-5)
    assert seen == {
        "step": ["should_log", "should_stop", "summary_writer"],
        "session": tf.Session,
        "init": [0.0],
    }


def test_end_of_input_ends_training(tmp_path: Path, lines: Any) -> None:
    def step(*_: Any) -> Any:
        raise tf.errors.OutOfRangeError(None, None, "end")

    assert slim.learning.train(_train_op(), str(tmp_path), train_step_fn=step) is None
    assert "Caught OutOfRangeError. Stopping Training. end" in lines()
    assert "Finished training! Saving model to disk." in lines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number_of_steps": 0}, "`number_of_steps` must be either None or a positive number."),
        ({"train_op": None}, "train_op cannot be None."),
        ({"trace_every_n_steps": 3}, "Cannot provide trace_every_n_steps because logdir=None"),
        ({"saver": 1}, "Cannot provide saver because logdir=None"),
        (
            {"sync_optimizer": 1, "startup_delay_steps": 4},
            "startup_delay_steps must be zero when sync_optimizer is supplied.",
        ),
    ],
)
def test_arguments_that_exclude_each_other(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        slim.learning.train(**{"train_op": tf.no_op(), "logdir": None, **arguments})


@pytest.mark.parametrize("module", [slim.learning, tf.contrib.training])
def test_multiply_gradients_checks_its_arguments(module: Any) -> None:
    variable = tf.get_variable("w", [2])
    pairs = [(tf.ones([2]), variable)]
    with pytest.raises(ValueError, match=r"`gradient_multipliers` is empty\."):
        module.multiply_gradients(pairs, {})
    with pytest.raises(ValueError, match=r"`gradient_multipliers` must be a dict\."):
        module.multiply_gradients(pairs, [1])
    with pytest.raises(ValueError, match=r"`grads_and_vars` must be a list\."):
        module.multiply_gradients(tuple(pairs), {variable: 2.0})
    with pytest.raises(ValueError, match=r"Requested multiple of `None` gradient\."):
        module.multiply_gradients([(None, variable)], {"w": 1.0})


def test_gradients_of_rows(session: tf.Session) -> None:
    variable = tf.get_variable("w", [3, 2])
    rows = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))
    [(doubled, _)] = slim.learning.multiply_gradients([(rows, variable)], {"w": 2})
    [(clipped, _), (none, _)] = slim.learning.clip_gradient_norms(
        [(rows, variable), (None, variable)], 1.0
    )
    assert none is None
    np.testing.assert_allclose(session.run(doubled.values), [[6.0, 8.0]])
    np.testing.assert_allclose(session.run(clipped.values), [[0.6, 0.8]], rtol=1e-6)
    [(by_fn, _)] = tf.contrib.training.clip_gradient_norms_fn(1.0)([(rows, variable)])
    np.testing.assert_allclose(session.run(by_fn.values), [[0.6, 0.8]], rtol=1e-6)


def test_contrib_training_loop(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    hooks = [tf.train.StopAtStepHook(3)]
    with pytest.raises(
        ValueError, match="logdir cannot be None when save_summaries_steps is not None"
    ):
        tf.contrib.training.train(tf.assign_add(step, 1), None)
    assert tf.contrib.training.train(tf.assign_add(step, 1), str(tmp_path), hooks=hooks) == 3
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-3")


def test_queue_runners_run_in_a_block(session: tf.Session) -> None:
    queue = tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False)
    pair = tf.stack([queue.dequeue(), queue.dequeue()])
    session.run(tf.local_variables_initializer())
    with slim.queues.QueueRunners(session):
        assert sorted(session.run(pair)) == [b"a", b"b"]
        with (
            pytest.raises(
                slim.queues.NestedQueueRunnerError, match="QueueRunners cannot be nested"
            ),
            slim.queues.QueueRunners(session),
        ):
            pass


def test_analysis_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    variable = tf.get_variable("v", [2, 3])
    inputs = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.matmul(inputs, variable, name="y")
    assert slim.model_analyzer.analyze_vars([variable], print_info=True) == (6, 24)
    assert capsys.readouterr().out.splitlines()[3:] == [
        "v:0 (float32_ref 2x3) [6, bytes: 24]",
        "Total size of variables: 6",
        "Total bytes of variables: 24",
    ]
    assert slim.model_analyzer.analyze_ops(tf.get_default_graph(), print_info=True) == 41
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "x \t-> (float32 ?x2) [0]",
        "y \t-> (float32 ?x3) [0]",
    ]
    with pytest.raises(ValueError, match=r"Cannot iterate over a shape with unknown rank\."):
        slim.model_analyzer.tensor_description(tf.placeholder(tf.float32))


def test_summaries_take_the_names_of_tensors() -> None:
    images = tf.placeholder(tf.float32, [4, 5, 5, 3], name="x")
    mean = tf.reduce_mean(images)
    summaries = slim.summaries
    made = [
        summaries.add_histogram_summary(images),
        summaries.add_image_summary(images, print_summary=True),
        summaries.add_scalar_summary(mean, "nm", "pre"),
        summaries.add_zero_fraction_summary(images),
        *summaries.add_histogram_summaries([images, mean], prefix="P"),
        *summaries.add_scalar_summaries([mean], "T"),
        *summaries.add_image_summaries([images], "Q"),
        *summaries.add_zero_fraction_summaries([mean]),
    ]
    assert [summary.op.name for summary in made] == [
        "x_1",
        "Print",
        "pre/nm",
        "x/Fraction_of_Zero_Values",
        "P/x",
        "P/Mean",
        "T/Mean",
        "Q/x",
        "Mean/Fraction_of_Zero_Values",
    ]
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == made
