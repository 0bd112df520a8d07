"""tensorflow.contrib.learn.python.learn: functions and classes without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.learn.canned import (
    composable_model,
    debug,
    dynamic_rnn,
    sdca,
    state_saving_rnn,
)
from headwater.contrib.learn.estimating import (
    base_estimator,
    cluster_configs,
    custom_estimator,
    inputs,
    keys,
    metric_specs,
    model_fn_ops,
    sklearn_base,
    tensor_signatures,
)
from headwater.contrib.learn.exporting import (
    folders,
    inspection,
    saved_models,
    session_bundles,
    strategies,
)
from headwater.contrib.learn.head_kinds import (
    base,
    centered_bias,
    classification,
    labels,
    losses,
    metrics,
    multi_label,
    regression,
    several,
)
from headwater.contrib.learn.monitoring import base_monitor
from headwater.contrib.learn.running import actions, experiment_runs, runner

_LEARN = "tensorflow.contrib.learn.python.learn"

# The module -> its names.
_INTERNALS: dict[str, dict[str, Any]] = {
    "estimators.composable_model": {
        "DNNComposableModel": composable_model.DNNComposableModel,
        "LinearComposableModel": composable_model.LinearComposableModel,
        "_ComposableModel": composable_model._ComposableModel,
    },
    "estimators._sklearn": {
        "NotFittedError": sklearn_base.NotFittedError,
        "_BaseEstimator": sklearn_base.SklearnEstimator,
        "BaseEstimator": sklearn_base.SklearnEstimator,
        "_ClassifierMixin": sklearn_base.ClassifierMixin,
        "ClassifierMixin": sklearn_base.ClassifierMixin,
        "_RegressorMixin": sklearn_base.RegressorMixin,
        "RegressorMixin": sklearn_base.RegressorMixin,
        "_TransformerMixin": sklearn_base.TransformerMixin,
        "TransformerMixin": sklearn_base.TransformerMixin,
        "_accuracy_score": sklearn_base.accuracy_score,
        "accuracy_score": sklearn_base.accuracy_score,
        "_mean_squared_error": sklearn_base.mean_squared_error,
        "mean_squared_error": sklearn_base.mean_squared_error,
        "_train_test_split": sklearn_base.train_test_split,
        "train_test_split": sklearn_base.train_test_split,
    },
    "estimators.constants": {
        "ProblemType": keys.ProblemType,
        "COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS": (
            saved_models.COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS
        ),
    },
    "estimators.debug": {
        "DebugClassifier": debug.DebugClassifier,
        "DebugRegressor": debug.DebugRegressor,
        "debug_model_fn": debug.debug_model_fn,
    },
    "estimators.dynamic_rnn_estimator": {
        "_get_dynamic_rnn_model_fn": dynamic_rnn.dynamic_rnn_model_fn,
        "_get_output_alternatives": dynamic_rnn.output_alternatives,
        "_get_state_name": dynamic_rnn.state_name,
    },
    "estimators.state_saving_rnn_estimator": {
        "StateSavingRnnEstimator": state_saving_rnn.StateSavingRnnEstimator,
        "construct_state_saving_rnn": state_saving_rnn.construct_state_saving_rnn,
        "state_tuple_to_dict": dynamic_rnn.state_tuple_to_dict,
        "_get_initial_states": state_saving_rnn.initial_states,
        "_get_name_or_parent_names": state_saving_rnn.parents_of,
        "_get_rnn_model_fn": state_saving_rnn.state_saving_rnn_model_fn,
        "_get_state_name": dynamic_rnn.state_name,
        "_get_state_names": state_saving_rnn.state_names,
        "_multi_value_loss": state_saving_rnn.multi_value_loss,
        "_prepare_features_for_sqss": state_saving_rnn.split_features,
        "_prepare_inputs_for_rnn": state_saving_rnn.prepare_inputs,
        "_read_batch": state_saving_rnn.read_batch,
    },
    "estimators.linear": {"sdca_model_fn": sdca.sdca_model_fn},
    "estimators.estimator": {
        "GraphRewriteSpec": custom_estimator.GraphRewriteSpec,
        "_get_input_fn": inputs.get_input_fn,
        "_get_replica_device_setter": base_estimator.device_function_of,
        "_make_metrics_ops": metric_specs.make_metrics_ops,
        "_model_fn_args": base_estimator.model_fn_args,
        "_verify_input_args": inputs.verify_input_args,
    },
    "estimators.head": {
        "Head": base.Head,
        "_Head": base.Head,
        "_SingleHead": base.SingleHead,
        "_RegressionHead": regression.RegressionHead,
        "_BinaryLogisticHead": classification.BinaryLogisticHead,
        "_MultiClassHead": classification.MultiClassHead,
        "_BinarySvmHead": classification.BinarySvmHead,
        "_MultiLabelHead": multi_label.MultiLabelHead,
        "_LossOnlyHead": several.LossOnlyHead,
        "_MultiHead": several.MultiHead,
        # The names of the public functions in 1.0.
        "_regression_head": regression.regression_head,
        "_multi_class_head": classification.multi_class_head,
        "_binary_svm_head": classification.binary_svm_head,
        "_multi_label_head": multi_label.multi_label_head,
        "_multi_head": several.multi_head,
        "_centered_bias": centered_bias.centered_bias_of,
        "_check_mode_valid": base.check_mode,
        "_check_no_sparse_tensor": labels.check_dense,
        "_classification_output_alternatives": classification.classes_to_serve,
        "_compute_weighted_loss": losses.weighted_loss,
        "_float_weights_or_none": metrics.float_weights,
        "_log_loss_with_two_classes": losses.log_loss_with_two_classes,
        "_mean_squared_loss": losses.mean_squared_loss,
        "_one_class_to_two_class_logits": classification.two_class_logits,
        "_poisson_loss": losses.poisson_loss,
        "_sigmoid_cross_entropy_loss": losses.sigmoid_cross_entropy_loss,
        "_softmax_cross_entropy_loss": losses.softmax_cross_entropy_loss,
        "_sparse_labels_to_indicator": labels.sparse_to_indicators,
        "_streaming_auc": metrics.streaming_auc,
        "_summary_key": centered_bias.summary_key,
        "_to_labels_tensor": labels.labels_tensor,
        "_weight_tensor": labels.weight_tensor,
        "_wrap_custom_loss_fn": losses.wrapped_loss,
    },
    "estimators.metric_key": {"MetricKey": keys.MetricKey},
    "estimators.model_fn": {
        "ModeKeys": keys.ModeKeys,
        "ModelFnOps": model_fn_ops.ModelFnOps,
    },
    "estimators.prediction_key": {"PredictionKey": keys.PredictionKey},
    "estimators.run_config": {
        "ClusterConfig": cluster_configs.ClusterConfig,
        "Environment": cluster_configs.Environment,
        "RunConfig": cluster_configs.RunConfig,
        "TaskType": cluster_configs.TaskType,
    },
    "estimators.tensor_signature": {
        "TensorSignature": tensor_signatures.TensorSignature,
        "create_example_parser_from_signatures": (
            tensor_signatures.create_example_parser_from_signatures
        ),
        "create_placeholders_from_signatures": (
            tensor_signatures.create_placeholders_from_signatures
        ),
        "create_signatures": tensor_signatures.create_signatures,
        "tensors_compatible": tensor_signatures.tensors_compatible,
    },
    "experiment": {"_EvalAndExportListener": experiment_runs.EvalAndExportListener},
    "graph_actions": {
        "_eval_results_to_str": actions._shown,
        "_run_with_monitors": actions._run_with_monitors,
    },
    "learn_runner": {
        "_execute_schedule": runner._execute_schedule,
        "_get_default_schedule": runner._get_default_schedule,
        "_is_distributed": runner._is_distributed,
        "_wrapped_experiment_fn_with_uid_check": runner._with_uid_check,
    },
    "monitors": {"_extract_output": base_monitor.extract_output},
    "utils.export": {
        "_default_input_fn": session_bundles._default_input_fn,
        "_export_estimator": session_bundles.export_bundle,
    },
    "utils.inspect_checkpoint": {
        "print_tensors_in_checkpoint_file": inspection.print_tensors_in_checkpoint_file,
    },
    "utils.saved_model_export_utils": {
        "_default_compare_fn": strategies.has_lower_loss,
        "_export_version_parser": folders._with_version,
    },
}
for _module, _names in _INTERNALS.items():
    for _name, _target in _names.items():
        internal(f"{_LEARN}.{_module}.{_name}")(_target)
