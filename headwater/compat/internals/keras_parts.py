"""tensorflow.python.keras: names of losses, optimizers and utilities that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.keras.layers import attention, convolutional_recurrent
from headwater.keras.losses import classes, functions
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.keras.utils import serialization

internal("keras.losses.LossFunctionWrapper")(classes.LossFunctionWrapper)
internal("keras.losses.huber_loss")(functions.huber_loss)
for _name in ("ReductionV2", "compute_weighted_loss"):
    internal(f"keras.utils.losses_utils.{_name}")(getattr(classes, _name))
internal("keras.optimizer_v2.optimizer_v2.OptimizerV2")(OptimizerV2)
internal("keras.utils.generic_utils.class_and_config_for_serialized_keras_object")(
    serialization.class_and_config_for_serialized_keras_object
)
internal("keras.layers.convolutional_recurrent.ConvRNN2D")(convolutional_recurrent.ConvRNN2D)
internal("keras.layers.convolutional_recurrent.ConvLSTM2DCell")(
    convolutional_recurrent.ConvLSTM2DCell
)
internal("keras.layers.dense_attention.BaseDenseAttention")(attention.BaseDenseAttention)
internal("keras.layers.dense_attention._lower_triangular_mask")(attention.lower_triangular_mask)
