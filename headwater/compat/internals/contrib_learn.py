"""tensorflow.contrib.learn.python.learn: functions and classes without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
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
from headwater.contrib.learn.exporting import folders, saved_models, session_bundles
from headwater.contrib.learn.monitoring import base_monitor

_LEARN = "tensorflow.contrib.learn.python.learn"

# The module -> its names.
_INTERNALS: dict[str, dict[str, Any]] = {
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
    "estimators.estimator": {
        "GraphRewriteSpec": custom_estimator.GraphRewriteSpec,
        "_get_input_fn": inputs.get_input_fn,
        "_make_metrics_ops": metric_specs.make_metrics_ops,
        "_model_fn_args": base_estimator.model_fn_args,
        "_verify_input_args": inputs.verify_input_args,
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
    "monitors": {"_extract_output": base_monitor.extract_output},
    "utils.export": {
        "_default_input_fn": session_bundles.default_input_fn,
        "_export_estimator": session_bundles.export_bundle,
    },
    "utils.saved_model_export_utils": {"_export_version_parser": folders._with_version},
}
for _module, _names in _INTERNALS.items():
    for _name, _target in _names.items():
        internal(f"{_LEARN}.{_module}.{_name}")(_target)
