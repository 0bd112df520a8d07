"""Experiment, learn_runner and export strategies, with values of TensorFlow 1.15.5."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import headwater as tf
from headwater.contrib.learn.running.runner import _get_default_schedule
from headwater.distributed import server

learn = tf.contrib.learn
exports = learn.utils.saved_model_export_utils
AFTER_10 = {"global_step": 10, "loss": 2.3841858e-06}


def model(features: Any, labels: Any, mode: str) -> Any:
    weight = tf.get_variable("w", initializer=2.0)
    predictions = {"y": features["x"] * weight}
    if mode == "infer":
        return learn.ModelFnOps(mode, predictions)
    loss = tf.reduce_mean(tf.square(predictions["y"] - labels))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train = optimizer.minimize(loss, tf.train.get_global_step())
    return learn.ModelFnOps(mode, predictions, loss, train)


def data() -> Any:
    return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([[3.0], [6.0]])


def serving() -> Any:
    return learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})()


def experiment_in(folder: Any, config: Any = None, **arguments: Any) -> Any:
    config = config or learn.RunConfig(model_dir=str(folder), save_checkpoints_steps=100)
    defaults = {
        "train_steps": 10,
        "eval_steps": 1,
        "eval_delay_secs": 0,
        "continuous_eval_throttle_secs": 0,
    }
    estimator = learn.Estimator(model, config=config)
    return learn.Experiment(estimator, data, data, **{**defaults, **arguments})


def test_training_then_evaluation(tmp_path: Path) -> None:
    experiment = experiment_in(tmp_path)
    experiment.train()
    assert experiment.evaluate() == pytest.approx(AFTER_10)
    assert list(tmp_path.glob("eval_one_pass/events*"))
    # The checkpoint is that of the last step: there is nothing to wait for.
    assert experiment.continuous_eval() is None


@pytest.mark.parametrize("each_checkpoint", [False, True])
def test_training_with_evaluations_and_exports(tmp_path: Path, each_checkpoint: bool) -> None:
    experiment = experiment_in(
        tmp_path,
        export_strategies=learn.make_export_strategy(serving, exports_to_keep=None),
        checkpoint_and_export=each_checkpoint,
        check_interval_secs=0,
    )
    results, (path,) = experiment.train_and_evaluate()
    assert results == pytest.approx(AFTER_10)
    assert path.startswith(str(tmp_path / "export" / "Servo").encode())
    assert tf.saved_model.loader.maybe_saved_model_directory(path)
    # The hooks of a run are forgotten.
    assert experiment.train_monitors == []


def test_training_and_evaluation_by_turns(tmp_path: Path) -> None:
    results, _ = experiment_in(
        tmp_path / "a", train_steps_per_iteration=4
    ).continuous_train_and_eval()
    assert results["global_step"] == 12
    experiment = experiment_in(tmp_path / "b")
    results, _ = experiment.continuous_train_and_eval(
        lambda results: results is None or results["global_step"] < 3
    )
    assert results["global_step"] == 3


def test_local_run_and_test(tmp_path: Path) -> None:
    experiment = experiment_in(tmp_path / "a", local_eval_frequency=2)
    results, _ = experiment.local_run()
    assert results == pytest.approx(AFTER_10)
    assert experiment_in(tmp_path / "b").test()["global_step"] == 1


def test_continuous_evaluation_asks_a_predicate(tmp_path: Path) -> None:
    asked: list[Any] = []

    def goes_on(results: Any, checkpoint_path: Any = None) -> bool:
        asked.append((results and results["global_step"], Path(checkpoint_path or "").name))
        return len(asked) % 4 != 0

    experiment = experiment_in(tmp_path, train_steps=20)
    experiment.estimator.fit(input_fn=data, steps=2)
    experiment.continuous_eval(continuous_eval_predicate_fn=goes_on)
    # The checkpoint is evaluated once; then there is no result.
    name = "model.ckpt-2"
    assert asked == [(None, ""), (2, name), ({}, name), ({}, name)]
    asked.clear()
    experiment.continuous_eval_on_train_data(continuous_eval_predicate_fn=goes_on)
    assert asked[1] == (2, name)
    assert list(tmp_path.glob("eval_continuous_on_train_data/events*"))


def test_hooks_and_strategies_are_replaced(tmp_path: Path) -> None:
    experiment = experiment_in(tmp_path)
    strategy = learn.make_export_strategy(serving)
    assert experiment.reset_export_strategies([strategy]) == ()
    assert experiment.reset_export_strategies() == (strategy,)
    experiment.extend_train_hooks([learn.monitors.StopAtStep(num_steps=1)])
    experiment.train()
    assert experiment.estimator.get_variable_value("global_step") == 1


def test_an_estimator_of_the_core(tmp_path: Path) -> None:
    def core_model(features: Any, labels: Any, mode: str) -> Any:
        return model(features, labels, mode).estimator_spec()

    estimator = tf.estimator.Estimator(core_model, str(tmp_path))
    experiment = learn.Experiment(estimator, data, data, train_steps=5, eval_steps=1)
    results, _ = experiment.train_and_evaluate()
    assert results == pytest.approx({"global_step": 5, "loss": 0.00244140625})
    with pytest.raises(ValueError, match=r"`eval_metrics` must be `None` with `tf\.estimator"):
        learn.Experiment(estimator, data, data, eval_metrics={"a": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"export_strategies": [3]}, "`export_strategies` must be an ExportStrategy"),
        ({"train_steps_per_iteration": "a"}, "`train_steps_per_iteration` must be an integer"),
        ({"saving_listeners": []}, "`saving_listeners` must be `None` with `tf.contrib.learn"),
    ],
)
def test_errors_of_arguments(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        experiment_in(tmp_path, **arguments)


def test_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="Could not start server; be sure to specify"):
        experiment_in(tmp_path).run_std_server()
    cluster = {"ps": ["a:1"], "worker": ["b:1"]}
    config = {"cluster": cluster, "task": {"type": "ps", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    started = mock.MagicMock()
    monkeypatch.setattr(server, "Server", started)
    experiment_in(tmp_path).run_std_server()
    assert started.call_args.kwargs["job_name"] == "ps"
    assert [name for name, _, _ in started.return_value.method_calls] == ["start", "join"]


def test_the_runner_calls_a_schedule(tmp_path: Path) -> None:
    run = learn.learn_runner.run
    results, _ = run(lambda output_dir: experiment_in(output_dir), str(tmp_path / "a"))
    assert results == pytest.approx(AFTER_10)
    results = run(lambda output_dir: experiment_in(output_dir), str(tmp_path / "b"), "test")
    assert results["global_step"] == 1
    config = learn.RunConfig(model_dir=str(tmp_path / "c"))
    results, _ = run(
        lambda run_config, hparams: experiment_in(None, run_config, train_steps=hparams.steps),
        run_config=config,
        hparams=tf.contrib.training.HParams(steps=3),
    )
    assert results["global_step"] == 3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"output_dir": "/x", "schedule": "no"}, ValueError, "references non-existent task no"),
        ({"output_dir": "/x", "schedule": "train_steps"}, TypeError, "non-callable member train"),
        ({}, ValueError, "Must set value for `output_dir` or `run_config`"),
        ({"output_dir": ""}, ValueError, "Must specify an output directory"),
        ({"output_dir": "/x", "hparams": 3}, ValueError, "Must set `hparams` as None"),
        ({"output_dir": "/x", "run_config": 3}, ValueError, "Cannot provide both `output_dir`"),
        ({"run_config": 3}, ValueError, "`run_config` must be `tf.contrib.learn.RunConfig`"),
        ({"output_dir": "/x", "experiment_fn": 5}, TypeError, 'Experiment builder "5" is not'),
        (
            {"output_dir": "/x", "experiment_fn": lambda output_dir: 3},
            TypeError,
            "did not return an Experiment instance",
        ),
    ],
)
def test_errors_of_the_runner(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    arguments.setdefault("experiment_fn", lambda output_dir: experiment_in(tmp_path))
    with pytest.raises(error, match=message):
        learn.learn_runner.run(**arguments)


def test_the_runner_checks_the_configuration(tmp_path: Path) -> None:
    config = learn.RunConfig(model_dir=str(tmp_path))
    with pytest.raises(RuntimeError, match="`RunConfig` instance is expected to be used by"):
        learn.learn_runner.run(lambda run_config, hparams: experiment_in("/y"), run_config=config)
    with pytest.raises(ValueError, match="Must specify a model directory `model_dir`"):
        learn.learn_runner.run(lambda run_config, hparams: None, run_config=learn.RunConfig())


def test_a_tuner_runs_experiments(tmp_path: Path) -> None:
    class Tuner:
        left = 2
        made: list[Any] = []  # noqa: RUF012

        def next_trial(self) -> bool:
            self.left -= 1
            return self.left >= 0

        def run_experiment(self, make: Callable[..., Any]) -> None:
            config = learn.RunConfig(model_dir=str(tmp_path))
            self.made.append(make(config, tf.contrib.training.HParams(b=2)))

    tuner = Tuner()
    learn.learn_runner.tune(lambda run_config, hparams: experiment_in(None, run_config), tuner)
    assert [type(experiment) for experiment in tuner.made] == [learn.Experiment] * 2


@pytest.mark.parametrize(
    ("jobs", "task", "schedule"),
    [
        (["ps", "worker"], "ps", "run_std_server"),
        (["ps", "worker"], "worker", "train"),
        (["ps", "worker", "master"], "master", "train_and_evaluate"),
        (["worker"], "worker", "train_and_evaluate"),
    ],
)
def test_default_schedules(
    monkeypatch: pytest.MonkeyPatch, jobs: list[str], task: str, schedule: str
) -> None:
    cluster = {job: [f"{job}:1"] for job in jobs}
    config = {"cluster": cluster, "task": {"type": task, "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert _get_default_schedule(learn.RunConfig()) == schedule


def test_the_best_model_is_exported(tmp_path: Path) -> None:
    strategy = exports.make_best_model_export_strategy(serving)
    experiment = experiment_in(tmp_path, export_strategies=[strategy])
    experiment.train()
    path = tf.train.latest_checkpoint(str(tmp_path))
    (first,) = experiment._maybe_export({"loss": 3.0}, path)
    assert first.startswith(str(tmp_path / "export" / "best_model" / "model.ckpt-10").encode())
    assert experiment._maybe_export({"loss": 4.0}, path) == [""]
    selector = exports.BestModelSelector()
    with pytest.raises(ValueError, match="Checkpoint path is empty"):
        selector.update("", {})
    selector.update("a", {"loss": 1.0})
    with pytest.raises(ValueError, match="cand_eval_result cannot be empty or no loss"):
        selector.update("a", {"x": 1})


def test_exports_are_changed_and_parsed(tmp_path: Path) -> None:
    experiment = experiment_in(tmp_path / "model")
    experiment.train()

    def change(exported: Any, folder: Any) -> Any:
        target = Path(folder.decode()) / "changed"
        Path(exported.decode()).rename(target)
        return str(target)

    column = tf.contrib.layers.real_valued_column("x")
    parsing = exports.make_parsing_export_strategy([column])
    strategy = exports.extend_export_strategy(parsing, change, "changed_model")
    path = strategy.export(experiment.estimator, str(tmp_path / "exports"))
    assert (strategy.name, path) == ("changed_model", str(tmp_path / "exports/changed").encode())
    assert [entry.name for entry in (tmp_path / "exports").iterdir()] == ["changed"]


def test_strategies_pass_what_their_function_takes() -> None:
    plain = learn.ExportStrategy("n", lambda estimator, path: (estimator, path))
    assert plain.export(1, 2, checkpoint_path="c", eval_result={}) == (1, 2)
    wrong = learn.ExportStrategy("n", lambda estimator, path, eval_result: 1)
    with pytest.raises(ValueError, match="An export_fn accepting eval_result must also accept"):
        wrong.export(1, 2)


def test_old_exports_are_deleted(tmp_path: Path) -> None:
    for name in ("1000000001", "1000000003", "1000000002", "other"):
        (tmp_path / name).mkdir()
    latest = exports.get_most_recent_export(str(tmp_path))
    assert latest.export_version == 1000000003
    exports.garbage_collect_exports(str(tmp_path), 2)
    names = sorted(entry.name for entry in tmp_path.iterdir())
    assert names == ["1000000002", "1000000003", "other"]
    assert exports.get_most_recent_export(str(tmp_path / "other")) is None
    assert exports.get_temp_export_dir(b"/a/b/1234") == b"/a/b/temp-1234"
