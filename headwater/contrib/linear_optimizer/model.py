"""tf.contrib.linear_optimizer.SdcaModel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.linear_optimizer.sparse_feature_column import INSTRUCTIONS
from headwater.estimator.sdca import model
from headwater.graph import Operation, build, group
from headwater.graph.default_graph import control_dependencies, device


@export("contrib.linear_optimizer.SdcaModel")
class SdcaModel(model.SdcaModel):
    """A linear model trained by stochastic dual coordinate ascent.

    The state of the examples is kept by their ids, so a model may be trained in mini-batches.

    Args:
        examples: a dictionary: "sparse_features" a list of SparseFeatureColumn; "dense_features" a
            list of float32 matrices; "example_labels", "example_weights" and "example_ids", vectors
            of float32, float32 and string.
        variables: a dictionary of lists of variables, "sparse_features_weights" and
            "dense_features_weights". They are not resource variables.
        options: a dictionary: "symmetric_l1_regularization" and "symmetric_l2_regularization",
            numbers; "loss_type", one of "logistic_loss", "squared_loss", "hinge_loss",
            "smooth_hinge_loss" and "poisson_loss"; and optionally "num_loss_partitions",
            "num_table_shards" and "adaptive".

    Raises:
        ValueError: if an argument is missing, the loss unknown, or a regularization negative.
    """

    _SLOT = "_unshrinked/SDCAOptimizer"
    _USE_RESOURCE = None

    @deprecated(None, INSTRUCTIONS)
    def __init__(
        self,
        examples: Mapping[str, Any] | None,
        variables: Mapping[str, Any] | None,
        options: Mapping[str, Any] | None,
    ) -> None:
        super().__init__(examples, variables, options)

    def update_weights(self, train_op: Operation) -> Operation:
        """Returns the op that gives the model the weights that training found.

        Args:
            train_op: the op of `minimize`, after which this one runs.
        """
        pairs = self._weights_and_slots()
        with control_dependencies([train_op]):
            updates: list[Any] = []
            for variable, slot in pairs:
                with device(variable.device):
                    updates.append(variable.assign(slot))
            with control_dependencies(updates):
                for variable, _ in pairs:
                    with device(variable.device):
                        updates.append(build.SdcaShrinkL1([variable], l1=self._l1, l2=self._l2))
                return group(*updates)
