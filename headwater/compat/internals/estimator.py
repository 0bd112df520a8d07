"""tensorflow.python.estimator: classes and functions without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.session_bundle import garbage_collection
from headwater.estimator.best_results import loss_is_smaller
from headwater.estimator.canned import baseline, dnn, dnn_linear_combined, linear
from headwater.estimator.canned.heads import classifier_head
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.checkpoint_step_hook import (
    StopAtCheckpointStepHook,
    make_stop_at_checkpoint_step_hook,
)
from headwater.estimator.cluster import device_function
from headwater.estimator.clustering.cluster_hooks import LossRelativeChangeHook
from headwater.estimator.clustering.kmeans_estimator import KMeansClustering
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
from headwater.estimator.head import (
    base,
    binary,
    checks,
    metric_values,
    multi_class,
    regression,
    training_ops,
)
from headwater.estimator.in_memory_evaluator import InMemoryEvaluatorHook
from headwater.estimator.input_results import DatasetInitializerHook, parse_input_fn_result
from headwater.estimator.inputs.feeding import enqueue_data
from headwater.estimator.inputs.feeding_queue_runner import FeedingQueueRunner
from headwater.estimator.keras_models import model_to_estimator
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
    "canned.baseline._baseline_logit_fn_builder": baseline.baseline_logit_fn_builder,
    "canned.baseline._baseline_model_fn": baseline.baseline_model_fn,
    "canned.dnn._add_hidden_layer_summary": dnn.add_layer_summary,
    "canned.dnn._dnn_logit_fn_builder": dnn.dnn_logit_fn_builder,
    "canned.dnn._dnn_model_fn": dnn.dnn_model_fn,
    "canned.dnn_linear_combined._check_no_sync_replicas_optimizer": (
        dnn_linear_combined.check_no_sync_replicas
    ),
    "canned.dnn_linear_combined._dnn_linear_combined_model_fn": (
        dnn_linear_combined.dnn_linear_combined_model_fn
    ),
    "canned.head.LossSpec": base.LossSpec,
    "canned.head._BinaryLogisticHeadWithSigmoidCrossEntropyLoss": binary.BinaryLogisticHead,
    "canned.head._Head": base._Head,
    "canned.head._MultiClassHeadWithSoftmaxCrossEntropyLoss": multi_class.MultiClassSoftmaxHead,
    "canned.head._RegressionHeadWithMeanSquaredErrorLoss": regression.MeanSquaredErrorHead,
    "canned.head._accuracy_baseline": metric_values.accuracy_baseline,
    "canned.head._append_update_ops": training_ops.with_update_ops,
    "canned.head._assert_range": checks.labels_in_range,
    "canned.head._auc": metric_values.auc,
    "canned.head._binary_logistic_head_with_sigmoid_cross_entropy_loss": (
        binary.binary_logistic_head
    ),
    "canned.head._binary_logistic_or_multi_class_head": classifier_head,
    "canned.head._call_loss_fn": checks.call_loss_fn,
    "canned.head._check_dense_labels_match_logits_and_reshape": checks.labels_like_logits,
    "canned.head._check_logits_final_dim": checks.checked_logits,
    "canned.head._get_weights_and_check_match_logits": checks.weights_like_logits,
    "canned.head._indicator_labels_mean": metric_values.labels_mean,
    "canned.head._multi_class_head_with_softmax_cross_entropy_loss": (
        multi_class.multi_class_softmax_head
    ),
    "canned.head._predictions_mean": metric_values.predictions_mean,
    "canned.head._regression_head": regression.mean_squared_error_head,
    "canned.head._summary_key": training_ops.summary_key,
    "canned.head._validate_loss_fn_args": checks.check_loss_fn,
    "canned.kmeans.KMeansClustering": KMeansClustering,
    "canned.kmeans._LossRelativeChangeHook": LossRelativeChangeHook,
    "canned.linear._compute_fraction_of_zero": linear.fraction_of_zero,
    "canned.linear._linear_logit_fn_builder": linear.linear_logit_fn_builder,
    "canned.linear._linear_model_fn": linear.linear_model_fn,
    "canned.metric_keys.MetricKeys": MetricKeys,
    "canned.optimizers.get_optimizer_instance": get_optimizer_instance,
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
    "gc.Path": garbage_collection.Path,
    "gc._get_paths": garbage_collection.get_paths,
    "gc._largest_export_versions": garbage_collection.largest_export_versions,
    "gc._mod_export_version": garbage_collection.mod_export_version,
    "gc._negation": garbage_collection.negation,
    "gc._one_of_every_n_export_versions": garbage_collection.one_of_every_n_export_versions,
    "gc._union": garbage_collection.union,
    "hooks.hooks.InMemoryEvaluatorHook": InMemoryEvaluatorHook,
    "hooks.hooks._StopAtCheckpointStepHook": StopAtCheckpointStepHook,
    "hooks.hooks.make_stop_at_checkpoint_step_hook": make_stop_at_checkpoint_step_hook,
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
internal("estimator.estimator._get_replica_device_setter")(device_function)
internal("estimator.keras.model_to_estimator")(model_to_estimator)
