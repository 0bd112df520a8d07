"""tensorflow.contrib.metrics and related modules: names that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.losses.cluster_loss import (
    compute_clustering_score,
    compute_facility_energy,
    compute_gt_cluster_score,
    get_cluster_assignment,
)
from headwater.contrib.losses.embeddings import (
    masked_maximum,
    masked_minimum,
    pairwise_distance,
)
from headwater.contrib.metrics.concatenation import next_array_size
from headwater.contrib.nn.forward_gradients import fwd_gradients
from headwater.contrib.nn.sampling import rank_resample

internal("tensorflow.contrib.metrics.python.ops.metric_ops._next_array_size")(next_array_size)
internal("tensorflow.contrib.nn.python.ops.sampling_ops._rank_resample")(rank_resample)
internal("tensorflow.contrib.nn.python.ops.fwd_gradients.fwd_gradients")(fwd_gradients)
for _function in (
    compute_clustering_score,
    compute_facility_energy,
    compute_gt_cluster_score,
    get_cluster_assignment,
    masked_maximum,
    masked_minimum,
    pairwise_distance,
):
    internal(
        "tensorflow.contrib.losses.python.metric_learning.metric_loss_ops." + _function.__name__
    )(_function)
