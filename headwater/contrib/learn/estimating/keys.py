"""Names of modes, predictions, metrics and kinds of problems."""

from __future__ import annotations

from headwater.base.export import export


@export("contrib.learn.ModeKeys", "contrib.learn.estimators.ModeKeys")
class ModeKeys:
    """What a model function is called for: training, evaluation or inference."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks that a mode is one of these.

        Args:
            key: the mode.

        Raises:
            ValueError: if it is not.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


@export("contrib.learn.ProblemType", "contrib.learn.estimators.ProblemType")
class ProblemType:
    """What a model predicts; decides the signature of its export."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


@export(
    "contrib.learn.PredictionKey",
    "contrib.learn.estimators.PredictionKey",
    "contrib.learn.prediction_key.PredictionKey",
    "contrib.learn.head.pkey",
)
class PredictionKey:
    """Names of predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


@export(
    "contrib.learn.MetricKey",
    "contrib.learn.estimators.MetricKey",
    "contrib.learn.metric_key.MetricKey",
    "contrib.learn.head.mkey",
)
class MetricKey:
    """Names of metrics; those with a % are formats of a class or a threshold."""

    LOSS = "loss"
    AUC = "auc"
    AUC_PR = "auc_precision_recall"
    CLASS_AUC = "auc/class%d"
    CLASS_AUC_PR = "auc_precision_recall/class%d"
    PREDICTION_MEAN = "labels/prediction_mean"
    CLASS_PREDICTION_MEAN = "labels/prediction_mean/class%d"
    CLASS_LOGITS_MEAN = "labels/logits_mean/class%d"
    CLASS_PROBABILITY_MEAN = "labels/probability_mean/class%d"
    LABEL_MEAN = "labels/actual_label_mean"
    CLASS_LABEL_MEAN = "labels/actual_label_mean/class%d"
    ACCURACY = "accuracy"
    ACCURACY_BASELINE = "accuracy/baseline_label_mean"
    ACCURACY_MEAN = "accuracy/threshold_%f_mean"
    PRECISION_MEAN = "precision/positive_threshold_%f_mean"
    RECALL_MEAN = "recall/positive_threshold_%f_mean"
