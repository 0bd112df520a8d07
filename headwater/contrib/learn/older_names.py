"""Names of `tf.contrib.learn` that release 0.12 shows, and modules of hooks under its name."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export, export_value
from headwater.contrib.learn import notices
from headwater.contrib.learn.canned import dnn, dnn_linear_combined, linear, logistic_regressor
from headwater.contrib.learn.estimating import keys, tensor_signatures
from headwater.contrib.learn.estimating.output_alternatives import (
    FALLBACK_DEFAULT_OUTPUT_ALTERNATIVE_KEY,
)
from headwater.contrib.learn.learn_io import (
    dask_io,
    data_feeder,
    graph_io,
    optional_packages,
    pandas_io,
    parsed_features,
)
from headwater.train.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from headwater.train.hooks.feeding import FeedFnHook, FinalOpsHook
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.step_counter import StepCounterHook
from headwater.train.hooks.stop_at_step import GlobalStepWaiterHook, StopAtStepHook
from headwater.train.hooks.summary_saver import SummarySaverHook
from headwater.train.hooks.tensor_hooks import (
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
)
from headwater.train.hooks.timers import SecondOrStepTimer
from headwater.train.summaries.file_writer import FileWriterCache

for _hook in (
    CheckpointSaverHook,
    CheckpointSaverListener,
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    SecondOrStepTimer,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
):
    export(f"contrib.learn.basic_session_run_hooks.{_hook.__name__}")(_hook)
for _class in (SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues):
    export(f"contrib.learn.session_run_hook.{_class.__name__}")(_class)
export("contrib.learn.summary_writer_cache.SummaryWriterCache")(FileWriterCache)

export("contrib.learn.model_fn.ModeKeys")(keys.ModeKeys)
for _function in (
    tensor_signatures.create_example_parser_from_signatures,
    tensor_signatures.create_placeholders_from_signatures,
    tensor_signatures.create_signatures,
    tensor_signatures.tensors_compatible,
):
    export(f"contrib.learn.tensor_signature.{_function.__name__}")(_function)

export_value(
    "contrib.learn.utils.saved_model_export_utils.DEFAULT_OUTPUT_ALTERNATIVE_KEY",
    FALLBACK_DEFAULT_OUTPUT_ALTERNATIVE_KEY,
)
export_value("contrib.learn.estimator.SCIKIT_DECOUPLE_DATE", notices.SCIKIT_DECOUPLE_DATE)
export_value(
    "contrib.learn.estimator.SCIKIT_DECOUPLE_INSTRUCTIONS", notices.SCIKIT_DECOUPLE_INSTRUCTIONS
)

# Release 0.12 shows the modules of estimators and of input as parts of `contrib.learn`.
_item: Any
for _item in (dnn.DNNClassifier, dnn.DNNRegressor):
    export(f"contrib.learn.dnn.{_item.__name__}")(_item)
for _item in (
    dnn_linear_combined.DNNLinearCombinedClassifier,
    dnn_linear_combined.DNNLinearCombinedRegressor,
):
    export(f"contrib.learn.dnn_linear_combined.{_item.__name__}")(_item)
for _item in (linear.LinearClassifier, linear.LinearRegressor):
    export(f"contrib.learn.linear.{_item.__name__}")(_item)
export("contrib.learn.logistic_regressor.LogisticRegressor")(logistic_regressor.LogisticRegressor)
for _item in (
    data_feeder.DaskDataFeeder,
    data_feeder.DataFeeder,
    data_feeder.StreamingDataFeeder,
    data_feeder.check_array,
    data_feeder.setup_predict_data_feeder,
    data_feeder.setup_processor_data_feeder,
    data_feeder.setup_train_data_feeder,
):
    export(f"contrib.learn.data_feeder.{_item.__name__}")(_item)
for _item in (dask_io.extract_dask_data, dask_io.extract_dask_labels):
    export(f"contrib.learn.dask_io.{_item.__name__}")(_item)
for _item in (
    graph_io.read_batch_examples,
    graph_io.read_keyed_batch_examples,
    parsed_features.queue_parsed_features,
    parsed_features.read_batch_features,
    parsed_features.read_batch_record_features,
    parsed_features.read_keyed_batch_features,
):
    export(f"contrib.learn.graph_io.{_item.__name__}")(_item)
for _item in (
    pandas_io.extract_pandas_data,
    pandas_io.extract_pandas_labels,
    pandas_io.extract_pandas_matrix,
    pandas_io.pandas_input_fn,
):
    export(f"contrib.learn.pandas_io.{_item.__name__}")(_item)
export("contrib.learn.pandas_input_fn")(pandas_io.pandas_input_fn)
export("contrib.learn.queue_parsed_features")(parsed_features.queue_parsed_features)
export_value("contrib.learn.graph_io.KEY_FEATURE_NAME", graph_io.KEY_FEATURE_NAME)
export_value("contrib.learn.pandas_io.PANDAS_DTYPES", pandas_io.PANDAS_DTYPES)
for _module in ("pandas_io.", "data_feeder.", ""):
    export_value(f"contrib.learn.{_module}HAS_PANDAS", optional_packages.HAS_PANDAS)
for _module in ("dask_io.", "data_feeder.", ""):
    export_value(f"contrib.learn.{_module}HAS_DASK", optional_packages.HAS_DASK)
