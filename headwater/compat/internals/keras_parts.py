"""tensorflow.python.keras: names of losses, optimizers and utilities that are not public."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.keras.engine import hdf5, saving
from headwater.keras.layers import attention, convolutional_recurrent, python_functions
from headwater.keras.losses import classes, functions
from headwater.keras.optimizers import decays
from headwater.keras.optimizers.optimizer_v2 import OptimizerV2
from headwater.keras.utils import serialization
from headwater.model.layers import input_spec, names, windows

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
internal("keras.engine.input_spec.assert_input_compatibility")(input_spec.check_inputs)
internal("keras.optimizer_v2.learning_rate_schedule.LearningRateSchedule")(
    decays.LearningRateSchedule
)
internal("keras.utils.generic_utils.to_snake_case")(names.snake_case)
for _name, _function in (
    ("normalize_data_format", windows.checked_format),
    ("normalize_padding", windows.checked_padding),
    ("normalize_tuple", windows.numbers),
):
    internal(f"keras.utils.conv_utils.{_name}")(_function)
for _name, _of_files in (
    ("load_model_from_hdf5", saving.load_model),
    ("load_optimizer_weights_from_hdf5_group", hdf5.values_of),
    ("load_weights_from_hdf5_group", hdf5.load_weights),
    ("load_weights_from_hdf5_group_by_name", hdf5.load_weights_by_name),
    ("save_model_to_hdf5", saving.save_model),
    ("save_weights_to_hdf5_group", hdf5.save_weights),
):
    internal(f"keras.saving.hdf5_format.{_name}")(_of_files)

internal("keras.utils.generic_utils.func_dump")(python_functions.dumped)


@internal("keras.utils.generic_utils.func_load")
def func_load(code: Any, defaults: Any = None, closure: Any = None, globs: Any = None) -> Any:
    """Returns the function of what `func_dump` returns.

    Args:
        code: the byte code as text, or all that `func_dump` returns.
        defaults: the defaults of the arguments.
        closure: the captured values.
        globs: the global names that the function sees.
    """
    parts = tuple(code) if isinstance(code, list | tuple) else (code, defaults, closure)
    return python_functions.loaded(parts, globals() if globs is None else globs)
