"""`inspect_checkpoint`: prints the names and values in a checkpoint."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np

from headwater.train.checkpoints.checkpoint_reader import CheckpointReader


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints tensors of a checkpoint and how many numbers it has; what is wrong is printed too.

    Args:
        file_name: the path of the checkpoint.
        tensor_name: the tensor to print; without one, names, types and shapes are printed.
        all_tensors: whether all tensors are printed, by name.
        all_tensor_names: whether all names are printed.
        count_exclude_pattern: a regular expression for names that are not counted.
    """
    try:
        reader = CheckpointReader(file_name)
        if all_tensors or all_tensor_names:
            for name in sorted(reader.get_variable_to_shape_map()):
                _write(f"tensor_name:  {name}")
                if all_tensors:
                    _write(reader.get_tensor(name))
        elif not tensor_name:
            text = reader.debug_string()
            _write(text.decode("utf-8") if isinstance(text, bytes) else text)
        else:
            _write(f"tensor_name:  {tensor_name}")
            _write(reader.get_tensor(tensor_name))
        count = _count_total_params(reader, count_exclude_pattern)
        _write(f"# Total number of params: {count}")
    except BrokenPipeError:
        raise
    except Exception as error:  # TensorFlow prints whatever is wrong
        _write(error)
        if "corrupted compressed block contents" in str(error):
            _write(
                "It's likely that your checkpoint file has been compressed with SNAPPY.",
            )
        if "Data loss" in str(error) and any(part in file_name for part in (".index", ".data")):
            prefix = ".".join(file_name.split(".")[0:-1])
            _write(
                "\nIt's likely that this is a V2 checkpoint and you need to provide the filename\n"
                f"*prefix*.  Try removing the '.' and extension.  Try:\ninspect checkpoint "
                f"--file_name = {prefix}"
            )


def _count_total_params(reader: CheckpointReader, count_exclude_pattern: str = "") -> int:
    """Returns how many numbers are in the tensors whose names do not match a pattern."""
    shapes = reader.get_variable_to_shape_map()
    sizes = {name: int(np.prod(shape, dtype=np.int64)) for name, shape in shapes.items()}
    left_out: dict[str, Any] = {}
    if count_exclude_pattern:
        pattern = re.compile(count_exclude_pattern)
        left_out = {name: size for name, size in sizes.items() if pattern.search(name)}
        _write(
            f"# Excluding {len(left_out)} tensors ({sum(left_out.values())} params) that match "
            f"{count_exclude_pattern} when counting."
        )
    return sum(sizes.values()) - sum(left_out.values())


def _write(value: object) -> None:
    sys.stdout.write(f"{value}\n")
