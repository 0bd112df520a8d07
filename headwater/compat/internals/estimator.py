"""tensorflow.python.estimator: classes and functions without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.estimator.best_results import loss_is_smaller
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.early_stopping import (
    CheckForStoppingHook,
    StopOnPredicateHook,
    read_eval_metrics,
)
from headwater.estimator.evaluator import (
    ContinuousEvalListener,
    EvalResult,
    EvalStatus,
    NewCheckpointListener,
)
from headwater.estimator.executor import TrainingExecutor
from headwater.estimator.export.outputs import (
    ClassificationOutput,
    EvalOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
    SupervisedOutput,
    TrainOutput,
)
from headwater.estimator.export.receivers import (
    SupervisedInputReceiver,
    UnsupervisedInputReceiver,
    build_supervised_input_receiver_fn_from_input_fn,
)
from headwater.estimator.export.saved_models import (
    signature_defs,
    temporary_export_dir,
    timestamped_export_dir,
)
from headwater.estimator.exporter import SavedModelExporter
from headwater.estimator.input_results import DatasetInitializerHook, parse_input_fn_result
from headwater.estimator.inputs.feeding import enqueue_data
from headwater.estimator.inputs.feeding_queue_runner import FeedingQueueRunner
from headwater.estimator.model_fn import export_outputs_for_mode
from headwater.estimator.run_config import default_session_config
from headwater.estimator.task_config import TaskType
from headwater.train.hooks.evaluation import (
    MultiStepStopAfterNEvalsHook,
    StopAfterNEvalsHook,
    get_or_create_eval_step,
)
from headwater.train.sessions.evaluation import evaluate_once

_INTERNALS: dict[str, Any] = {
    "canned.metric_keys.MetricKeys": MetricKeys,
    "canned.prediction_keys.PredictionKeys": PredictionKeys,
    "early_stopping._CheckForStoppingHook": CheckForStoppingHook,
    "early_stopping._StopOnPredicateHook": StopOnPredicateHook,
    "early_stopping.read_eval_metrics": read_eval_metrics,
    "export.export.SupervisedInputReceiver": SupervisedInputReceiver,
    "export.export.UnsupervisedInputReceiver": UnsupervisedInputReceiver,
    "export.export.build_all_signature_defs": signature_defs,
    "export.export.build_supervised_input_receiver_fn_from_input_fn": (
        build_supervised_input_receiver_fn_from_input_fn
    ),
    "export.export.get_temp_export_dir": temporary_export_dir,
    "export.export.get_timestamped_export_dir": timestamped_export_dir,
    "export.export_output.ClassificationOutput": ClassificationOutput,
    "export.export_output.EvalOutput": EvalOutput,
    "export.export_output.ExportOutput": ExportOutput,
    "export.export_output.PredictOutput": PredictOutput,
    "export.export_output.RegressionOutput": RegressionOutput,
    "export.export_output.TrainOutput": TrainOutput,
    "export.export_output._SupervisedOutput": SupervisedOutput,
    "exporter._SavedModelExporter": SavedModelExporter,
    "exporter._loss_smaller": loss_is_smaller,
    "inputs.queues.feeding_functions._enqueue_data": enqueue_data,
    "inputs.queues.feeding_queue_runner._FeedingQueueRunner": FeedingQueueRunner,
    "model_fn.export_outputs_for_mode": export_outputs_for_mode,
    "run_config.TaskType": TaskType,
    "run_config.get_default_session_config": default_session_config,
    "training._ContinuousEvalListener": ContinuousEvalListener,
    "training._EvalResult": EvalResult,
    "training._EvalStatus": EvalStatus,
    "training._NewCheckpointListenerForEvaluate": NewCheckpointListener,
    "training._TrainingExecutor": TrainingExecutor,
    "util._DatasetInitializerHook": DatasetInitializerHook,
    "util.parse_input_fn_result": parse_input_fn_result,
}
for _path, _target in _INTERNALS.items():
    internal(f"estimator.{_path}")(_target)

_EVALUATION: dict[str, Any] = {
    "_MultiStepStopAfterNEvalsHook": MultiStepStopAfterNEvalsHook,
    "_StopAfterNEvalsHook": StopAfterNEvalsHook,
    "_evaluate_once": evaluate_once,
    "_get_or_create_eval_step": get_or_create_eval_step,
}
for _path, _target in _EVALUATION.items():
    internal(f"training.evaluation.{_path}")(_target)
