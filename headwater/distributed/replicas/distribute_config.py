"""DistributeConfig: which strategies an Estimator uses."""

from __future__ import annotations

from typing import Any, NamedTuple

from headwater.base.export import export


@export("contrib.distribute.DistributeConfig")
class DistributeConfig(NamedTuple):
    """The strategies of an Estimator.

    Attributes:
        train_distribute: the strategy for training, or None.
        eval_distribute: the strategy for evaluation, or None.
        remote_cluster: the cluster that runs both, or None.
    """

    train_distribute: Any = None
    eval_distribute: Any = None
    remote_cluster: Any = None
