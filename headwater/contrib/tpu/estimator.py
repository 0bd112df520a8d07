"""TPUEstimator: an Estimator whose functions get the batch size as a parameter."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.contrib.tpu.configuration import (
    InputPipelineConfig,
    RunConfig,
    check_positive_integer,
)
from headwater.contrib.tpu.examples_per_second import ExamplesPerSecondHook
from headwater.contrib.tpu.specs import TPUEstimatorSpec
from headwater.estimator.estimator import Estimator, Hooks, InputFn
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec, verify_model_fn_args
from headwater.graph import Graph, get_default_graph
from headwater.model.global_step import new_global_step
from headwater.session.session import Session
from headwater.train.hooks.checkpoint_saver import CheckpointSaverListener

_BATCH_SIZE = "batch_size"
_USE_TPU = "use_tpu"
_RESERVED = [_BATCH_SIZE, "context"]


@export("estimator.tpu.TPUEstimator", "contrib.tpu.TPUEstimator")
class TPUEstimator(Estimator):
    """An Estimator for TPUs, which runs on other devices like any Estimator.

    Input and model functions have a parameter `params`, in which they find their batch size under
    "batch_size"; the model function finds `use_tpu` there too. There are no TPUs here: a program
    runs with `use_tpu=False`, and otherwise stops with the error of a machine without TPUs.

    Args:
        model_fn: a function of `features`, `params` and, if it has these parameters, `labels`,
            `mode` and `config`, which returns a TPUEstimatorSpec or EstimatorSpec.
        model_dir: the folder of checkpoints and event files.
        config: a `tf.estimator.tpu.RunConfig`.
        params: hyperparameters: a dict or HParams.
        use_tpu: whether TPUs are used.
        train_batch_size: the size of a batch of training over all replicas.
        eval_batch_size: that of evaluation.
        predict_batch_size: that of prediction.
        batch_axis: for TPUs.
        eval_on_tpu: for TPUs.
        export_to_tpu: whether exports have a graph for TPUs; it is left out here.
        export_to_cpu: whether exports have a graph for other devices.
        warm_start_from: as for Estimator.
        embedding_config_spec: for TPUs.
        export_saved_model_api_version: for TPUs.

    Raises:
        ValueError: if the configuration is of another class, `params` has a reserved key, or a
            number is missing or not positive.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f"{_RESERVED} are reserved keys but existed in params {params}.")
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        if use_tpu:
            self._check_batch_sizes()
            _check_input_pipeline(config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        verify_model_fn_args(model_fn, params)
        self._user_model_fn = model_fn
        self._user_params = params
        self._use_tpu = use_tpu
        self._input_fn_called = False
        self._log_every_n_steps = _runs_between_logs(config)
        super().__init__(
            model_fn=self._spec_of_user_model_fn,
            model_dir=model_dir,
            config=config.replace(log_step_count_steps=None),
            params=params or {},
            warm_start_from=warm_start_from,
        )
        logging.info("_TPUContext: eval_on_tpu %s", eval_on_tpu)
        if not use_tpu and eval_on_tpu:
            logging.warning("eval_on_tpu ignored because use_tpu is False.")
        if not export_to_tpu and not export_to_cpu:
            raise ValueError("One of export_to_cpu and export_to_tpu must be true.")
        self._export_to_cpu = export_to_cpu
        self._export_to_tpu = export_to_tpu

    def _assert_members_are_not_overridden(self) -> None:
        # This class overrides members of Estimator, as its subclasses may.
        pass

    def _create_global_step(self, graph: Graph) -> Any:
        return new_global_step(graph, use_resource=True)

    def _check_batch_sizes(self) -> None:
        if self._batch_sizes[ModeKeys.TRAIN] is None:
            raise ValueError("`train_batch_size` cannot be `None`")
        names = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval", ModeKeys.PREDICT: "predict"}
        for mode, size in self._batch_sizes.items():
            if size is not None:
                check_positive_integer(size, f"{names[mode]}_batch_size")

    def train(
        self,
        input_fn: InputFn,
        hooks: Hooks | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> TPUEstimator:
        """Trains as `Estimator.train` does.

        Args:
            input_fn: a function of `params` and, if it has these parameters, `mode` and `config`.
            hooks: SessionRunHooks; or None.
            steps: how many steps to train; None until the input ends.
            max_steps: the global step to stop at; or None.
            saving_listeners: CheckpointSaverListeners; or None.

        Returns:
            This object.

        Raises:
            ValueError: if `input_fn` does not take `params`, or for the reasons of `Estimator`.
            RuntimeError: if there are no TPUs where they are asked for.
        """
        with _logged_end("training_loop"):
            self._check_devices()
            super().train(input_fn, hooks, steps, max_steps, saving_listeners)
        return self

    def evaluate(
        self,
        input_fn: InputFn,
        steps: int | None = None,
        hooks: Hooks | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates as `Estimator.evaluate` does.

        Args:
            input_fn: a function of `params` and, if it has these parameters, `mode` and `config`.
            steps: how many batches; None for all of the input.
            hooks: SessionRunHooks; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            name: the name of the evaluation, if there are several; or None.

        Returns:
            The values of the metrics by name.

        Raises:
            ValueError: if `input_fn` does not take `params`, or for the reasons of `Estimator`.
            RuntimeError: if there are no TPUs where they are asked for.
        """
        with _logged_end("evaluation_loop"):
            self._check_devices()
            return super().evaluate(input_fn, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        input_fn: InputFn,
        predict_keys: Sequence[str] | str | None = None,
        hooks: Hooks | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields predictions as `Estimator.predict` does.

        Args:
            input_fn: a function of `params` and, if it has these parameters, `mode` and `config`.
            predict_keys: names of predictions; None for all.
            hooks: SessionRunHooks; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            yield_single_examples: whether predictions come example by example.

        Yields:
            The predictions.

        Raises:
            ValueError: if `input_fn` does not take `params`, or for the reasons of `Estimator`.
            RuntimeError: if there are no TPUs where they are asked for.
        """
        with _logged_end("prediction_loop"):
            self._check_devices()
            yield from super().predict(
                input_fn, predict_keys, hooks, checkpoint_path, yield_single_examples
            )
        # TensorFlow writes the line twice when all predictions were taken.
        _log_end("prediction_loop")

    def _check_devices(self) -> None:
        """There are no TPUs: a program that asks for them gets TensorFlow's error."""
        if not self._use_tpu:
            return
        logging.info(
            "Querying Tensorflow master (%s) for TPU system metadata.", self._config.master
        )
        with Session() as session:
            devices = tuple(session.list_devices())
        raise RuntimeError(
            "Cannot find any TPU cores in the system. Please double check Tensorflow master "
            f"address and TPU worker(s). Available devices are {devices}."
        )

    def _call_input_fn(self, input_fn: InputFn, mode: str, input_context: Any = None) -> Any:
        """Calls an input function with the batch size in its parameters.

        Raises:
            ValueError: if it does not take `params`.
        """
        names = fn_args(input_fn)
        if "params" not in names:
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by TPUEstimator "
                'to pass batch size as params["batch_size"]'
            )
        params = self._with_batch_size(self.params, mode)
        given = {"params": params, "config": self.config, "mode": mode}
        self._input_fn_called = True
        if self._config.tpu_config.eval_training_input_configuration == InputPipelineConfig.SLICED:
            raise ValueError(
                "Invalid TPUConfig `eval_training_input_configuration` value. SLICED mode only "
                "works on use_tpu = True."
            )
        with get_default_graph().device("/device:CPU:0"):
            return input_fn(**{name: given[name] for name in given if name in names})

    def _with_batch_size(self, params: Any, mode: str) -> Any:
        size = self._batch_sizes[mode]
        return params if size is None else _with_item(params, _BATCH_SIZE, size)

    def _spec_of_user_model_fn(
        self, features: Any, labels: Any, mode: str, config: Any, params: Any
    ) -> EstimatorSpec:
        """Calls the model function of the program; makes an EstimatorSpec of what it returns."""
        # An export calls no input function, and has no batch size.
        is_export, self._input_fn_called = not self._input_fn_called, False
        logging.info("Running %s on CPU", mode)
        params = copy.deepcopy(params)
        names = fn_args(self._user_model_fn)
        kwargs: dict[str, Any] = {}
        if "labels" in names:
            kwargs["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        if "params" not in names:
            raise ValueError(
                f"model_fn ({self._user_model_fn}) does not include params argument, required by "
                "TPUEstimator to pass batch size as params['batch_size']"
            )
        if not is_export:
            params = self._with_batch_size(params, mode)
        kwargs["params"] = _with_item(params, _USE_TPU, False)
        kwargs.update(
            (name, v) for name, v in (("mode", mode), ("config", config)) if name in names
        )
        spec = self._user_model_fn(features=features, **kwargs)
        if isinstance(spec, TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        if self._log_every_n_steps is None or mode != ModeKeys.TRAIN:
            return spec
        hook = ExamplesPerSecondHook(
            self._batch_sizes[mode],
            every_n_steps=self._log_every_n_steps,
            output_dir=self.model_dir,
        )
        return spec._replace(training_hooks=(*spec.training_hooks, hook))

    def _add_meta_graph_for_mode(
        self,
        builder: Any,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        checkpoint_path: str,
        save_variables: bool = True,
        mode: str = ModeKeys.PREDICT,
        export_tags: Sequence[str] | None = None,
        check_variables: bool = True,
        strip_default_attrs: bool = True,
    ) -> None:
        """Adds the graph of a mode, without the one for TPUs, to a SavedModel.

        Raises:
            NotImplementedError: if a graph for TPUs of another mode than prediction is asked for.
            RuntimeError: if only a graph for TPUs is asked for.
        """
        if self._export_to_tpu and mode != ModeKeys.PREDICT:
            raise NotImplementedError(
                "TPUEstimator only handles mode PREDICT for exporting when `export_to_tpu` is "
                f"`True`; Found: {mode}."
            )
        if not self._export_to_cpu:
            raise RuntimeError(
                "No OpKernel was registered to support Op 'TPUOrdinalSelector': a graph for TPUs "
                "cannot be exported here. Hint: leave export_to_cpu=True."
            )
        super()._add_meta_graph_for_mode(
            builder,
            input_receiver_fn_map,
            checkpoint_path,
            save_variables,
            mode,
            export_tags,
            check_variables,
            strip_default_attrs,
        )


def _check_input_pipeline(config: RunConfig) -> None:
    tpu_config = config.tpu_config
    per_shard = tpu_config.per_host_input_for_training == InputPipelineConfig.PER_SHARD_V1
    if per_shard and tpu_config.num_cores_per_replica:
        raise ValueError(
            "Model parallelism only supports per host input for training. Please adjust "
            "TPURunconfig.per_host_input_for_training."
        )


def _runs_between_logs(config: RunConfig) -> int | None:
    """The interval of logged rates; that of the configuration is counted in steps on a TPU."""
    iterations = config.tpu_config.iterations_per_loop
    if config.log_step_count_steps is None:
        return None
    return math.ceil(
        config.log_step_count_steps / (iterations if isinstance(iterations, int) else 1)
    )


def _with_item(params: Any, key: str, value: Any) -> Any:
    """Sets a hyperparameter in a dict or HParams."""
    if not hasattr(params, "set_hparam"):
        params[key] = value
    elif key in params:
        params.set_hparam(key, value)
    else:
        params.add_hparam(key, value)
    return params


def _log_end(loop: str) -> None:
    logging.info("%s marked as finished", loop)


@contextmanager
def _logged_end(loop: str) -> Iterator[None]:
    """Logs the end of a loop, and its error."""
    try:
        yield
    except Exception as error:
        logging.error("Error recorded from %s: %s", loop, error)
        _log_end(loop)
        logging.warning("Reraising captured error")
        raise
    _log_end(loop)
