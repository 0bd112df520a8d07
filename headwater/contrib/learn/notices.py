"""What the notices of deprecated names advise."""

from __future__ import annotations

ESTIMATOR = (
    "Please replace uses of any Estimator from tf.contrib.learn with an Estimator from "
    "tf.estimator.*"
)
EXPORT = "Please use Estimator.export_savedmodel() instead."
EXPORT_DATE = "2017-03-25"
EXPORTER = "Switch to tf.estimator.Exporter and associated utilities."
FILES = "Please implement your own file management or use Saver."
FEATURE_COLUMNS = "Please specify feature columns explicitly."
HEAD = "Please switch to tf.contrib.estimator.*_head."
MONITOR = "Monitors are deprecated. Please use tf.train.SessionRunHook."
MONITOR_DATE = "2016-12-05"
RUNNER = "Use tf.estimator.train_and_evaluate."
SCIKIT_DECOUPLE_DATE = "2016-12-01"
SCIKIT_DECOUPLE_INSTRUCTIONS = (
    "Estimator is decoupled from Scikit Learn interface by moving into\n"
    "separate class SKCompat. Arguments x, y and batch_size are only\n"
    "available in the SKCompat class, Estimator will only accept input_fn.\n"
    "Example conversion:\n"
    "  est = Estimator(...) -> est = SKCompat(Estimator(...))"
)
SIGNATURE_FN = (
    "signature_fns are deprecated. For canned Estimators they are no longer needed. For custom "
    "Estimators, please return output_alternatives from your model_fn via ModelFnOps."
)
