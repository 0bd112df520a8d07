"""ModeKeys: what a model function is called for."""

from __future__ import annotations

from headwater.base.export import export


@export("estimator.ModeKeys")
class ModeKeys:
    """What a model function is called for: training, evaluation or prediction."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
