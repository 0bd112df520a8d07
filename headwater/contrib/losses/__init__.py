"""`tf.contrib.losses`: the loss functions that came before tf.losses, and losses of embeddings."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_lazy

# Module of this folder -> names below tf.contrib.losses.
PUBLIC_NAMES: Final[dict[str, str]] = {
    "loss_functions": (
        "absolute_difference cosine_distance hinge_loss log_loss mean_pairwise_squared_error "
        "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy "
        "sparse_softmax_cross_entropy"
    ),
    "collection": "add_loss get_losses get_regularization_losses get_total_loss",
    "weighting": "compute_weighted_loss",
}
# Module of this folder -> names below tf.contrib.losses.metric_learning.
METRIC_LEARNING: Final[dict[str, str]] = {
    "embeddings": (
        "contrastive_loss lifted_struct_loss npairs_loss npairs_loss_multilabel "
        "triplet_semihard_loss"
    ),
}

for _path, _table in (
    ("contrib.losses", PUBLIC_NAMES),
    ("contrib.losses.metric_learning", METRIC_LEARNING),
):
    for _module, _names in _table.items():
        for _name in _names.split():
            export_lazy(f"{_path}.{_name}", f"{__name__}.{_module}", _name)
