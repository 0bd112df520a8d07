"""tensorflow.python.training: moving averages and slots, which have no public names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.compat.internals import internal
from headwater.compat.mirrors.training.saver import VariableSaveable
from headwater.contrib.framework.prettyprint import print_op
from headwater.data.input_queues import pipeline
from headwater.distributed.device_setter import STANDARD_PS_OPS, RoundRobinStrategy
from headwater.graph import IndexedSlices, Tensor
from headwater.io.files import is_folder
from headwater.model.trackable.saveable import SaveableObject
from headwater.model.variables.variable import Variable
from headwater.train import moving_averages
from headwater.train.checkpoints import (
    checkpoint_state,
    checkpoint_values,
    checkpoint_watch,
    object_graphs,
    remapped_matrix,
    saveables,
    warm_starting,
)
from headwater.train.mixed_precision.loss_scale import loss_scale_of
from headwater.train.optimizers import optimizer, slot_creator

for _name in ("assign_moving_average", "weighted_moving_average"):
    internal(f"training.moving_averages.{_name}")(getattr(moving_averages, _name))
internal("training.optimizer._deduplicate_indexed_slices")(optimizer.deduplicated)
internal("training.optimizer._var_key")(optimizer.slot_key)
for _name, _value in (
    ("ReferenceVariableSaveable", VariableSaveable),
    ("ResourceVariableSaveable", saveables.ResourceSaveable),
    ("validate_and_slice_inputs", saveables.saveables_of),
):
    internal(f"training.saving.saveable_object_util.{_name}")(_value)
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


def is_reference(item: Any) -> bool:
    """Whether something is a variable that stands for its reference in the graph."""
    return isinstance(item, Variable) and not hasattr(item, "handle")


class VariableProcessor:
    """How an optimizer treats a variable: what gradients are of, and its update.

    Args:
        variable: a Variable or a reference.
    """

    def __init__(self, variable: Any) -> None:
        self._v = variable

    def target(self) -> Any:
        """Returns what gradients are taken of: a reference, or a resource variable itself."""
        return self._v._ref() if is_reference(self._v) else self._v

    def update_op(self, optimizer: Any, g: Tensor | IndexedSlices) -> Any:
        """Returns the op by which an optimizer applies a gradient to the variable.

        Args:
            optimizer: a tf.train.Optimizer.
            g: the gradient.
        """
        return optimizer._update(g, self._v)


internal("training.optimizer._get_processor")(VariableProcessor)
internal("training.checkpoint_utils._set_checkpoint_initializer")(checkpoint_values.set_initializer)
internal("training.saver.object_graph_key_mapping")(object_graphs.names_to_keys)


@internal("training.checkpoint_utils._get_checkpoint_filename")
def checkpoint_filename(ckpt_dir_or_file: str) -> str | None:
    """Returns the path of the latest checkpoint in a folder; any other path is returned as it is.

    Args:
        ckpt_dir_or_file: a folder, or the path of a checkpoint.
    """
    if is_folder(ckpt_dir_or_file):
        return checkpoint_state.latest_checkpoint(ckpt_dir_or_file)
    return ckpt_dir_or_file


@internal("training.saving.saveable_object_util.op_list_to_dict")
def op_list_to_dict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:
    """Returns a list of variables as {name in checkpoints: variable}.

    Args:
        op_list: variables and saveable objects.
        convert_variable_to_tensor: whether reference variables are given as their references.
    """
    items = saveables.items_by_name(op_list)
    if not convert_variable_to_tensor:
        return items
    return {name: item._ref() if is_reference(item) else item for name, item in items.items()}


@internal("training.saving.saveable_object_util.saveable_objects_for_op")
def saveable_objects_for_op(op: Any, name: str) -> list[SaveableObject]:
    """Returns the saveable objects of a variable, its slices or a trackable object.

    Args:
        op: what is saved.
        name: the name in the checkpoint.
    """
    return saveables.saveables_for(name, op)


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
