"""Reading of checkpoints without a graph."""

from __future__ import annotations

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.io.checkpoint_v1 import open_checkpoint
from headwater.io.files import is_folder, path_text
from headwater.protos.lazy import types_pb2
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint


@export("train.NewCheckpointReader")
class CheckpointReader:
    """Reads tensors of a checkpoint by name.

    Args:
        filepattern: the path of the checkpoint as `Saver.save` returns it.

    Raises:
        NotFoundError: if there is no such checkpoint.
        DataLossError: if it is damaged.
    """

    def __init__(self, filepattern: TensorLike) -> None:
        self._reader = open_checkpoint(path_text(filepattern))

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of this name."""
        return tensor_str in self._reader

    def get_tensor(self, tensor_str: str) -> Array:
        """The value of a tensor: an array, or a NumPy number or bytes for a scalar.

        Args:
            tensor_str: its name.

        Returns:
            The value.

        Raises:
            NotFoundError: if there is no such tensor.
        """
        value: np.ndarray = self._reader.read(tensor_str)
        return value[()] if value.ndim == 0 else value

    def debug_string(self) -> bytes:
        """A line with name, type and shape of each tensor."""
        lines = []
        for name in self._reader.names():
            dtype, shape = self._reader.dtype_and_shape(name)
            type_name = types_pb2.DataType.Name(dtype.as_datatype_enum)
            lines.append(f"{name} ({type_name}) [{','.join(map(str, shape))}]\n")
        return "".join(lines).encode("utf-8", "surrogateescape")

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of all tensors by name."""
        return {n: list(self._reader.dtype_and_shape(n)[1]) for n in self._reader.names()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of all tensors by name."""
        return {n: self._reader.dtype_and_shape(n)[0] for n in self._reader.names()}


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """Opens a checkpoint, or the latest one of a folder.

    Args:
        ckpt_dir_or_file: the path.

    Returns:
        A CheckpointReader.

    Raises:
        ValueError: if there is no checkpoint in the folder.
    """
    return CheckpointReader(checkpoint_file(ckpt_dir_or_file))


def checkpoint_file(ckpt_dir_or_file: str) -> str:
    """The path of a checkpoint, or of the latest one of a folder; ValueError if it has none."""
    path = path_text(ckpt_dir_or_file)
    if not is_folder(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return latest


@export("train.load_variable")
def load_variable(ckpt_dir_or_file: str, name: str) -> Array:
    """The value of a variable in a checkpoint.

    Args:
        ckpt_dir_or_file: the path of the checkpoint, or of a folder for its latest one.
        name: the name of the variable, with or without ":0".

    Returns:
        An array, or a NumPy number or bytes of a scalar.

    Raises:
        NotFoundError: if there is no such variable.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@export("train.list_variables")
def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """The variables of a checkpoint.

    Args:
        ckpt_dir_or_file: the path of the checkpoint, or of a folder for its latest one.

    Returns:
        Pairs of name and shape, sorted by name.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
