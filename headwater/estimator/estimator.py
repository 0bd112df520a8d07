"""Estimator: a model function with everything that trains, evaluates and exports it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.estimator import replicated
from headwater.estimator.cluster import device_function
from headwater.estimator.estimator_checks import (
    check_members,
    check_positive,
    checked_hooks,
    checked_listeners,
    with_model_dir,
)
from headwater.estimator.eval_results import (
    add_loss_metric,
    update_and_values,
    write_checkpoint_path,
    write_results,
)
from headwater.estimator.export_methods import ExportMethods
from headwater.estimator.input_results import dataset_iterator, parse_input_fn_result
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import (
    EstimatorSpec,
    verify_model_fn_args,
)
from headwater.estimator.predicted import batch_length, selected, single_examples, warn_if_endless
from headwater.estimator.run_config import RunConfig
from headwater.estimator.task_config import TaskType
from headwater.estimator.training_run import run_training, trained_steps
from headwater.estimator.warm_start import start_warm, warm_start_settings
from headwater.graph import Graph, get_default_graph, group
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.seeds import set_random_seed
from headwater.io.files import join_path
from headwater.model.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    read_global_step,
)
from headwater.train.checkpoints.checkpoint_reader import (
    list_variables,
    load_variable,
)
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.hooks.checkpoint_saver import CheckpointSaverListener
from headwater.train.hooks.evaluation import StopAfterNEvalsHook, get_or_create_eval_step
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.hooks.stop_at_step import StopAtStepHook
from headwater.train.sessions.evaluation import evaluate_once
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_creators import ChiefSessionCreator

InputFn = Callable[..., Any]
Hooks = Sequence[SessionRunHook]


@export("estimator.Estimator")
class Estimator(ExportMethods):
    """A model function with everything that trains, evaluates, runs and exports it.

    Each call of a method builds a graph of its own: it calls the input function, then the model
    function, restores the latest checkpoint of the folder and runs a session.

    Args:
        model_fn: a function of `features` and, if it has these parameters, `labels`, `mode`,
            `params` and `config`, which returns an EstimatorSpec.
        model_dir: the folder of checkpoints and event files; by default that of the
            configuration, or else a temporary one.
        config: a RunConfig; or None.
        params: hyperparameters for the model function; or None.
        warm_start_from: WarmStartSettings, or the path of a checkpoint or SavedModel whose
            variables a new model starts with; or None.

    Raises:
        ValueError: if the parameters of the model function do not fit, a subclass overrides
            members, or folders differ.

    Example:
        >>> def model(features, labels, mode):
        ...     weight = tf.get_variable("w", initializer=0.0)
        ...     loss = tf.reduce_mean(tf.square(features * weight - labels))
        ...     step = tf.train.get_global_step()
        ...     train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)
        ...     return tf.estimator.EstimatorSpec(mode, features * weight, loss, train)
        >>> data = lambda: tf.data.Dataset.from_tensors(([1.0], [3.0])).repeat()
        >>> estimator = tf.estimator.Estimator(model, tempfile.mkdtemp()).train(data, steps=9)
        >>> print(estimator.get_variable_value("w"))
        3.0
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        # Through the class: libraries replace it there by a static method of one argument.
        type(self)._assert_members_are_not_overridden(self)
        self._config = with_model_dir(config, model_dir)
        self._train_distribution = self._config.train_distribute
        self._eval_distribution = self._config.eval_distribute
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        logging.info("Using config: %s", str(vars(self._config)))
        self._device_fn = self._config.device_fn or device_function(self._config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        verify_model_fn_args(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = warm_start_settings(warm_start_from)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the hyperparameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function, as a function of features, labels, mode and config."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint.

        Args:
            name: its name.

        Returns:
            An array, or a NumPy number or bytes of a scalar.

        Raises:
            ValueError: if there is no checkpoint yet.
        """
        self._check_checkpoint()
        return load_variable(self.model_dir, name)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the latest checkpoint.

        Returns:
            A sorted list.

        Raises:
            ValueError: if there is no checkpoint yet.
        """
        self._check_checkpoint()
        return [name for name, _ in list_variables(self.model_dir)]

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return latest_checkpoint(self.model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the event files of an evaluation.

        Args:
            name: the name of the evaluation; or None.

        Returns:
            The path.
        """
        return join_path(self._model_dir, f"eval_{name}" if name else "eval")

    def train(
        self,
        input_fn: InputFn,
        hooks: Hooks | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Estimator:
        """Trains from the latest checkpoint on.

        Args:
            input_fn: a function that returns features and labels, or a Dataset of them.
            hooks: SessionRunHooks; or None.
            steps: how many steps to train; None until the input ends.
            max_steps: the global step to stop at; or None.
            saving_listeners: CheckpointSaverListeners; or None.

        Returns:
            This object.

        Raises:
            ValueError: if both limits are given or one is not positive.
        """
        if self.config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                "Train has been called wrong configuration. Please use "
                "tf.estimator.train_and_evaluate which calls proper API according to given "
                f"configuration. Current configuration: {self.config}."
            )
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        check_positive("steps", steps)
        check_positive("max_steps", max_steps)
        if max_steps is not None and max_steps <= trained_steps(self._model_dir):
            logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = checked_hooks(hooks)
        all_hooks.extend(self._convert_train_steps_to_hooks(steps, max_steps))
        loss = self._train_model(input_fn, all_hooks, checked_listeners(saving_listeners))
        logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: InputFn,
        steps: int | None = None,
        hooks: Hooks | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
            input_fn: a function that returns features and labels, or a Dataset of them.
            steps: how many batches; None for all of the input.
            hooks: SessionRunHooks; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            name: the name of the evaluation, if there are several; or None.

        Returns:
            The values of the metrics by name, "loss" and "global_step" among them.

        Raises:
            ValueError: if `steps` is not positive.
        """
        return self._actual_eval(
            input_fn,
            strategy=self._eval_distribution,
            steps=steps,
            hooks=hooks,
            checkpoint_path=checkpoint_path,
            name=name,
        )

    def _actual_eval(
        self,
        input_fn: InputFn,
        strategy: Any = None,
        steps: int | None = None,
        hooks: Hooks | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        all_hooks = checked_hooks(hooks)
        all_hooks.extend(self._convert_eval_steps_to_hooks(steps))
        checkpoint_path = checkpoint_path or self._latest_or_initial("evaluate")
        replicates = strategy is not None and strategy.extended._copies_variables
        with Graph().as_default(), strategy.scope() if replicates else nullcontext():
            scaffold, update_op, eval_dict, all_hooks = self._evaluate_build_graph(
                input_fn, all_hooks, checkpoint_path
            )
            return self._evaluate_run(
                checkpoint_path=checkpoint_path,
                scaffold=scaffold,
                update_op=update_op,
                eval_dict=eval_dict,
                all_hooks=all_hooks,
                output_dir=self.eval_dir(name),
            )

    def predict(
        self,
        input_fn: InputFn,
        predict_keys: Sequence[str] | str | None = None,
        hooks: Hooks | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the predictions for an input.

        Args:
            input_fn: a function that returns features, or a Dataset of them; labels are ignored.
            predict_keys: names of predictions; None for all.
            hooks: SessionRunHooks; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            yield_single_examples: whether predictions come example by example rather than batch by
                batch.

        Yields:
            The predictions: values or values by name.

        Raises:
            ValueError: if none of `predict_keys` is a name of a prediction, or the batches of
                predictions differ in length.
        """
        all_hooks = checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._latest_or_initial("predict")
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            self._create_and_assert_global_step(graph)
            features, input_hooks = self._get_features_from_input_fn(input_fn, ModeKeys.PREDICT)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._maybe_warm_start(checkpoint_path)
            predictions = self._extract_keys(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path,
                master=self._config.master,
                scaffold=spec.scaffold,
                config=self._session_config,
            )
            all_hooks = [*input_hooks, *all_hooks, *spec.prediction_hooks]
            with MonitoredSession(session_creator=creator, hooks=all_hooks) as session:
                while not session.should_stop():
                    values = session.run(predictions)
                    if yield_single_examples:
                        yield from single_examples(values)
                    else:
                        yield values

    def _convert_train_steps_to_hooks(
        self, steps: int | None, max_steps: int | None
    ) -> list[SessionRunHook]:
        if steps is None and max_steps is None:
            return []
        return [StopAtStepHook(steps, max_steps)]

    def _convert_eval_steps_to_hooks(self, steps: int | None) -> list[SessionRunHook]:
        if steps is None:
            return []
        check_positive("steps", steps)
        return [StopAfterNEvalsHook(num_evals=steps)]

    def _assert_members_are_not_overridden(self) -> None:
        check_members(Estimator, self)

    def _check_checkpoint(self) -> None:
        if latest_checkpoint(self.model_dir) is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")

    def _latest_or_initial(self, action: str) -> str | None:
        """The latest checkpoint; without one the model is as it is initialized."""
        checkpoint_path = latest_checkpoint(self._model_dir)
        if not checkpoint_path:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.",
                self._model_dir,
                action,
            )
        return checkpoint_path

    def _get_features_from_input_fn(self, input_fn: InputFn, mode: str) -> tuple[Any, Any]:
        """The features of an input for predictions, and the hooks of the input."""
        result, hooks = dataset_iterator(self._call_input_fn(input_fn, mode))
        self._validate_features_in_predict_input(result)
        if isinstance(result, (list, tuple)):
            # Programs give predictions the input function of the evaluation, with labels.
            result = result[0]
        return result, hooks

    def _validate_features_in_predict_input(self, result: Any) -> None:
        warn_if_endless()

    def _get_features_and_labels_from_input_fn(
        self, input_fn: InputFn, mode: str
    ) -> tuple[Any, Any, list[SessionRunHook]]:
        return parse_input_fn_result(self._call_input_fn(input_fn, mode))

    def _extract_batch_length(self, preds_evaluated: dict[str, Any]) -> int:
        return batch_length(preds_evaluated)

    def _extract_keys(self, predictions: Any, predict_keys: Any) -> Any:
        return selected(predictions, predict_keys)

    def _create_global_step(self, graph: Graph) -> TensorLike:
        return create_global_step(graph)

    def _create_and_assert_global_step(self, graph: Graph) -> TensorLike:
        step = self._create_global_step(graph)
        assert step is get_global_step()
        assert_global_step(step)
        return step

    def _call_input_fn(self, input_fn: InputFn, mode: str, input_context: Any = None) -> Any:
        """Calls an input function with those of its parameters that it has.

        Args:
            input_fn: the function.
            mode: a value of ModeKeys.
            input_context: an InputContext of a distribution strategy; or None.

        Returns:
            What it returns.
        """
        names = fn_args(input_fn)
        given = {
            "mode": mode,
            "params": self.params if "params" in names else None,
            "config": self.config if "config" in names else None,
        }
        kwargs = {name: value for name, value in given.items() if name in names}
        strategy = self._train_distribution if mode == ModeKeys.TRAIN else None
        if input_context is None and strategy is not None:
            input_context = strategy.extended.input_context()
        if input_context and "input_context" in names:
            kwargs["input_context"] = input_context
        with get_default_graph().device("/cpu:0"):
            return input_fn(**kwargs)

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        """Calls the model function with those of its parameters that it has.

        Args:
            features: the features.
            labels: the labels, or None.
            mode: a value of ModeKeys.
            config: the RunConfig.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if the function takes no labels, but there are some, or if it returns
                something else.
        """
        names = fn_args(self._model_fn)
        kwargs: dict[str, Any] = {}
        if "labels" in names:
            kwargs["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        if "mode" in names:
            kwargs["mode"] = mode
        if "params" in names:
            kwargs["params"] = self.params
        if "config" in names:
            kwargs["config"] = config
        logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **kwargs)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _train_model(
        self,
        input_fn: InputFn,
        hooks: Hooks,
        saving_listeners: Sequence[CheckpointSaverListener],
    ) -> Any:
        return self._train_model_default(input_fn, hooks, saving_listeners)

    def _train_model_default(
        self,
        input_fn: InputFn,
        hooks: Hooks,
        saving_listeners: Sequence[CheckpointSaverListener],
    ) -> Any:
        """Builds the training graph and runs it; returns the last loss."""
        strategy = self._train_distribution
        if strategy is not None and strategy.extended._copies_variables:
            return self._train_model_distributed(input_fn, hooks, saving_listeners)
        with Graph().as_default() as graph, self._placed(graph, strategy):
            set_random_seed(self._config.tf_random_seed)
            step = self._create_and_assert_global_step(graph)
            if step is not None:
                # Summaries and hooks read the step as it is before the update.
                read_global_step(graph)
            features, labels, input_hooks = self._get_features_and_labels_from_input_fn(
                input_fn, ModeKeys.TRAIN
            )
            arguments = features, labels, ModeKeys.TRAIN, self.config
            if strategy is None:
                spec = self._call_model_fn(*arguments)
            else:
                spec = strategy.extended.call_for_each_replica(self._call_model_fn, arguments)
            return self._train_with_estimator_spec(
                spec, list(input_hooks), hooks, get_global_step(graph), saving_listeners
            )

    def _train_model_distributed(
        self,
        input_fn: InputFn,
        hooks: Hooks,
        saving_listeners: Sequence[CheckpointSaverListener],
    ) -> Any:
        """Trains a model that has several replicas; returns the last loss."""
        strategy = self._train_distribution
        with Graph().as_default() as graph, strategy.scope():
            set_random_seed(self._config.tf_random_seed)
            step = self._create_and_assert_global_step(graph)
            spec, input_hooks = replicated.training_spec(self, strategy, input_fn)
            return self._train_with_estimator_spec(spec, input_hooks, hooks, step, saving_listeners)

    def _placed(self, graph: Graph, strategy: Any) -> AbstractContextManager[Any]:
        """The context of a training graph, which says where its nodes are."""
        if strategy is None:
            context: AbstractContextManager[Any] = graph.device(self._device_fn)
            return context
        scope: AbstractContextManager[Any] = strategy.scope()
        return scope

    def _train_with_estimator_spec(
        self,
        estimator_spec: EstimatorSpec,
        worker_hooks: list[SessionRunHook],
        hooks: Hooks,
        global_step_tensor: Any,
        saving_listeners: Sequence[CheckpointSaverListener],
    ) -> Any:
        """Trains; returns the last loss."""
        if self._warm_start_settings:
            start_warm(self._warm_start_settings)
        return run_training(
            estimator_spec,
            self._config,
            self._model_dir,
            self._session_config,
            global_step_tensor,
            [*worker_hooks, *hooks],
            saving_listeners,
        )

    def _evaluate_build_graph(
        self, input_fn: InputFn, hooks: Hooks | None = None, checkpoint_path: str | None = None
    ) -> tuple[Scaffold, Any, dict[str, Any], list[SessionRunHook]]:
        """Builds the graph of an evaluation.

        Returns:
            (scaffold, the op that updates all metrics, their values by name, hooks).

        Raises:
            ValueError: if a metric has the name "loss" or "global_step".
        """
        set_random_seed(self._config.tf_random_seed)
        self._create_and_assert_global_step(get_default_graph())
        scaffold, evaluation_hooks, input_hooks, update_op, eval_dict = self._call_model_fn_eval(
            input_fn, self.config
        )
        all_hooks = [*input_hooks, *(hooks or ()), *(evaluation_hooks or ())]
        if scaffold and scaffold.local_init_op is not None:
            # The variables of metrics and the counter are new local variables.
            get_or_create_eval_step()
            scaffold = Scaffold(
                local_init_op=group(scaffold.local_init_op, Scaffold.default_local_init_op()),
                copy_from_scaffold=scaffold,
            )
        self._maybe_warm_start(checkpoint_path)
        if GraphKeys.GLOBAL_STEP in eval_dict:
            raise ValueError(
                "Metric with name `global_step` is not allowed, because Estimator already defines "
                "a default metric with the same name."
            )
        eval_dict[GraphKeys.GLOBAL_STEP] = get_global_step()
        return scaffold, update_op, eval_dict, all_hooks

    def _call_model_fn_eval(self, input_fn: InputFn, config: RunConfig) -> tuple[Any, ...]:
        strategy = self._eval_distribution
        if strategy is not None and strategy.extended._copies_variables:
            return replicated.evaluation_ops(self, strategy, input_fn)
        features, labels, input_hooks = self._get_features_and_labels_from_input_fn(
            input_fn, ModeKeys.EVAL
        )
        spec = self._call_model_fn(features, labels, ModeKeys.EVAL, config)
        add_loss_metric(spec.eval_metric_ops, spec.loss)
        update_op, eval_dict = update_and_values(spec.eval_metric_ops)
        return spec.scaffold, spec.evaluation_hooks, input_hooks, update_op, eval_dict

    def _evaluate_run(
        self,
        checkpoint_path: str | None,
        scaffold: Scaffold,
        update_op: Any,
        eval_dict: dict[str, Any],
        all_hooks: Hooks,
        output_dir: str,
    ) -> dict[str, Any]:
        """Runs an evaluation and writes its results."""
        results = evaluate_once(
            checkpoint_path=checkpoint_path,
            master=self._config.evaluation_master,
            scaffold=scaffold,
            eval_ops=update_op,
            final_ops=eval_dict,
            hooks=all_hooks,
            config=self._session_config,
        )
        step = results[GraphKeys.GLOBAL_STEP]
        write_results(output_dir, results, step)
        if checkpoint_path:
            write_checkpoint_path(output_dir, checkpoint_path, step)
        return results

    def _maybe_warm_start(self, checkpoint_path: str | None) -> None:
        """Starts a model from the given settings where it has no checkpoint of its own."""
        if not checkpoint_path and self._warm_start_settings:
            start_warm(self._warm_start_settings)
