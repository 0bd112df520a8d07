"""Names of `tf.contrib.learn` that release 0.12 shows, and modules of hooks under its name."""

from __future__ import annotations

from headwater.base.export import export, export_value
from headwater.contrib.learn import notices
from headwater.contrib.learn.estimating import keys, tensor_signatures
from headwater.contrib.learn.estimating.output_alternatives import (
    FALLBACK_DEFAULT_OUTPUT_ALTERNATIVE_KEY,
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
