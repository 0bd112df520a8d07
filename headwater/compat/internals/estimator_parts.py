"""What the package tensorflow-estimator 1.15 imports from inside TensorFlow.

The package has its own estimators; it stands on these parts of TensorFlow.
"""

from __future__ import annotations

from typing import Any

from headwater.base.compat_strings import path_to_str
from headwater.compat.internals import internal
from headwater.contrib.estimator import rnn
from headwater.estimator.clustering import kmeans, kmeans_centers
from headwater.estimator.export.outputs import (
    EvalOutput,
    SupervisedOutput,
    TrainOutput,
    checked_export_outputs,
)
from headwater.estimator.export.receivers import (
    SINGLE_FEATURE_NAME,
    SINGLE_LABEL_NAME,
    SINGLE_RECEIVER_NAME,
)
from headwater.estimator.export.saved_models import (
    signature_defs,
    temporary_export_dir,
    timestamped_export_dir,
)
from headwater.estimator.model_fn import EXPORT_TAGS, SIGNATURE_KEYS, export_outputs_for_mode
from headwater.graph import build
from headwater.model.feature_column import embedding, indicator, numeric
from headwater.model.function.polymorphic import Function
from headwater.model.variables.variable import Variable
from headwater.ops.control.cond import cond
from headwater.profiling import monitoring
from headwater.train.checkpoints.meta_graph import functions_of, variable_to_proto


def should_run_distribute_coordinator(config: Any) -> bool:
    """Whether a strategy of its own runs the tasks of a cluster; no strategy here does."""
    return False


def init_run_config(config: Any, tf_config: Any) -> None:
    """Sets what a RunConfig has of strategies.

    Args:
        config: the RunConfig of the package.
        tf_config: the content of TF_CONFIG.

    Raises:
        ValueError: if there is a distribution strategy for several machines.
    """
    config._distribute_coordinator_mode = None
    if config._experimental_distribute and config._experimental_distribute.remote_cluster:
        raise ValueError(
            "`remote_cluster` cannot be set: Headwater runs a cluster with TF_CONFIG and one "
            "process for each task."
        )
    if config._experimental_distribute:
        config._train_distribute = config._experimental_distribute.train_distribute
        config._eval_distribute = config._experimental_distribute.eval_distribute


def get_to_proto_function(collection_name: str) -> Any:
    """The function that turns items of a collection into protos, or None."""
    functions = functions_of(collection_name)
    return None if functions is None else functions.to_proto


def get_from_proto_function(collection_name: str) -> Any:
    """The function that makes items of a collection of protos, or None."""
    functions = functions_of(collection_name)
    return None if functions is None else functions.from_proto


def cond_v2(pred: Any, true_fn: Any, false_fn: Any, name: str = "cond") -> Any:
    """One of two branches, see `tf.cond`; the branches stand in the graph, not in functions.

    Args:
        pred: the condition, a bool scalar.
        true_fn: a function that builds one branch.
        false_fn: a function that builds the other.
        name: the name scope.

    Returns:
        The outputs of the branch that runs.
    """
    return cond(pred, true_fn, false_fn, name=name)


class _TPUColumn:
    """The base of columns of embeddings on TPUs, of which there are none here."""


class _TPUColumnV2:
    """The base of the second kind of columns of embeddings on TPUs, of which there are none."""


_MODULES: dict[str, dict[str, Any]] = {
    "distribute.estimator_training": {
        "init_run_config": init_run_config,
        "should_run_distribute_coordinator": should_run_distribute_coordinator,
    },
    "eager.def_function": {"Function": Function},
    "eager.function": {"Function": Function},
    "eager.monitoring": {
        "BoolGauge": monitoring.BoolGauge,
        "Buckets": monitoring.Buckets,
        "Counter": monitoring.Counter,
        "ExponentialBuckets": monitoring.ExponentialBuckets,
        "IntGauge": monitoring.IntGauge,
        "Metric": monitoring.Metric,
        "Sampler": monitoring.Sampler,
        "StringGauge": monitoring.StringGauge,
    },
    "feature_column.feature_column_lib": {
        "BucketizedColumn": numeric.BucketizedColumn,
        "EmbeddingColumn": embedding.EmbeddingColumn,
        "IndicatorColumn": indicator.IndicatorColumn,
        "NumericColumn": numeric.NumericColumn,
    },
    "framework.ops": {
        "get_from_proto_function": get_from_proto_function,
        "get_to_proto_function": get_to_proto_function,
    },
    "ops.resource_variable_ops": {
        "_from_proto_fn": Variable.from_proto,
        "_to_proto_fn": variable_to_proto,
    },
    "ops.boosted_trees_ops": {
        "calculate_best_gains_per_feature": build.BoostedTreesCalculateBestGainsPerFeature,
        "center_bias": build.BoostedTreesCenterBias,
        "example_debug_outputs": build.BoostedTreesExampleDebugOutputs,
        "make_stats_summary": build.BoostedTreesMakeStatsSummary,
        "predict": build.BoostedTreesPredict,
        "training_predict": build.BoostedTreesTrainingPredict,
        "update_ensemble": build.BoostedTreesUpdateEnsemble,
    },
    "ops.cond_v2": {"cond_v2": cond_v2},
    "ops.clustering_ops": {
        "CLUSTERS_VAR_NAME": kmeans_centers.CLUSTERS_VAR_NAME,
        "COSINE_DISTANCE": kmeans_centers.COSINE_DISTANCE,
        "KMC2_INIT": kmeans_centers.KMC2_INIT,
        "KMEANS_PLUS_PLUS_INIT": kmeans_centers.KMEANS_PLUS_PLUS_INIT,
        "KMeans": kmeans.KMeans,
        "RANDOM_INIT": kmeans_centers.RANDOM_INIT,
        "SQUARED_EUCLIDEAN_DISTANCE": kmeans_centers.SQUARED_EUCLIDEAN_DISTANCE,
    },
    "saved_model.model_utils.export_output": {
        "EvalOutput": EvalOutput,
        "TrainOutput": TrainOutput,
        "_SupervisedOutput": SupervisedOutput,
    },
    "saved_model.model_utils.export_utils": {
        "SINGLE_FEATURE_DEFAULT_NAME": SINGLE_FEATURE_NAME,
        "SINGLE_LABEL_DEFAULT_NAME": SINGLE_LABEL_NAME,
        "SINGLE_RECEIVER_DEFAULT_NAME": SINGLE_RECEIVER_NAME,
    },
    "tensorflow.contrib.estimator.python.estimator.rnn": {
        "_DEFAULT_CLIP_NORM": rnn.CLIP_NORM,
        "_DEFAULT_LEARNING_RATE": rnn.LEARNING_RATE,
        "_concatenate_context_input": rnn.with_context,
        "_select_last_activations": rnn.last_steps,
    },
    "util.compat_internal": {"path_to_str": path_to_str},
    "tpu.feature_column": {
        "_TPUEmbeddingColumn": _TPUColumn,
        "_TPUSharedEmbeddingColumn": _TPUColumn,
    },
    "tpu.feature_column_v2": {
        "_TPUEmbeddingColumnV2": _TPUColumnV2,
        "_TPUSharedEmbeddingColumnV2": _TPUColumnV2,
    },
}
for _module, _names in _MODULES.items():
    for _name, _target in _names.items():
        internal(f"{_module}.{_name}")(_target)

# The functions of exports have the same names in the package and in its module.
for _name, _target in {
    "EXPORT_TAG_MAP": EXPORT_TAGS,
    "SIGNATURE_KEY_MAP": SIGNATURE_KEYS,
    "build_all_signature_defs": signature_defs,
    "export_outputs_for_mode": export_outputs_for_mode,
    "get_export_outputs": checked_export_outputs,
    "get_temp_export_dir": temporary_export_dir,
    "get_timestamped_export_dir": timestamped_export_dir,
}.items():
    for _module in ("saved_model.model_utils", "saved_model.model_utils.export_utils"):
        internal(f"{_module}.{_name}")(_target)
