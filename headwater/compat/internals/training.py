"""tensorflow.python.training: moving averages and slots, which have no public names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.framework.prettyprint import print_op
from headwater.data.input_queues import pipeline
from headwater.distributed.device_setter import STANDARD_PS_OPS, RoundRobinStrategy
from headwater.train import moving_averages
from headwater.train.checkpoints import (
    checkpoint_state,
    checkpoint_watch,
    remapped_matrix,
    warm_starting,
)
from headwater.train.mixed_precision.loss_scale import loss_scale_of
from headwater.train.optimizers import slot_creator

for _name in ("assign_moving_average", "weighted_moving_average"):
    internal(f"training.moving_averages.{_name}")(getattr(moving_averages, _name))
for _name in ("create_slot", "create_slot_with_initializer", "create_zeros_slot"):
    internal(f"training.slot_creator.{_name}")(getattr(slot_creator, _name))
for _name in (
    "load_and_remap_matrix",
    "load_and_remap_matrix_initializer",
    "load_embedding_initializer",
):
    internal(f"training.checkpoint_ops._{_name}")(getattr(remapped_matrix, _name))
for _name, _function in (
    ("_get_grouped_variables", warm_starting.grouped_variables),
    ("_get_var_info", warm_starting.variable_info),
    ("_infer_var_name", warm_starting.infer_name),
    ("_warm_start_var_with_vocab", warm_starting.warm_start_with_vocabulary),
):
    internal(f"training.warm_starting_util.{_name}")(_function)
internal("tensorflow.contrib.framework.python.ops.prettyprint_ops.print_op")(print_op)
internal("training.experimental.loss_scale.get")(loss_scale_of)
internal("training.device_setter.STANDARD_PS_OPS")(STANDARD_PS_OPS)
internal("training.device_setter._RoundRobinStrategy")(RoundRobinStrategy)
internal("training.input._as_tensor_list")(pipeline.as_list)


internal("training.checkpoint_management.meta_graph_filename")(checkpoint_state.meta_graph_path)


@internal("training.checkpoint_management.update_checkpoint_state_internal")
def update_checkpoint_state_internal(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """`tf.train.update_checkpoint_state`, with the paths as they are or relative to the folder."""
    checkpoint_state.write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        save_relative_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


@internal("training.input._as_original_type")
def as_original_type(original_tensors: Any, tensor_list: Any) -> Any:
    """What a queue gives, in the structure of the examples.

    Args:
        original_tensors: an example: a list, or a dictionary.
        tensor_list: tensors as `dequeue` returns them, which is one tensor if there is but one.
    """
    if not isinstance(original_tensors, dict):
        return tensor_list
    tensors = [tensor_list] if len(original_tensors) == 1 else tensor_list
    return pipeline.as_original(original_tensors, tensors)


internal("training.checkpoint_management.meta_graph_filename")(checkpoint_state.meta_graph_path)
internal("training.checkpoint_utils.wait_for_new_checkpoint")(
    checkpoint_watch.wait_for_new_checkpoint
)
