"""`tf.contrib.learn.utils.inspect_checkpoint`: shows what a checkpoint has."""

from __future__ import annotations

from typing import Any

from headwater.base import errors
from headwater.train.checkpoints.checkpoint_reader import load_checkpoint


def print_tensors_in_checkpoint_file(file_name: str, tensor_name: str | None) -> None:
    """Prints the names, types and shapes of the tensors of a checkpoint, or one tensor.

    Args:
        file_name: the path of the checkpoint.
        tensor_name: the name of the tensor whose value is printed; "" or None for all names.
    """
    try:
        reader: Any = load_checkpoint(file_name)
        if not tensor_name:
            print(reader.debug_string().decode("utf-8"))  # noqa: T201
        else:
            print("tensor_name: ", tensor_name)  # noqa: T201
            print(reader.get_tensor(tensor_name))  # noqa: T201
    except errors.OpError as error:
        print(error)  # noqa: T201
