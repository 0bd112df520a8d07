"""Reading checkpoints, with the names of arguments of `tf.contrib.framework`."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.train.checkpoints import checkpoint_reader, checkpoint_values
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader


@export("contrib.framework.load_checkpoint")
def load_checkpoint(filepattern: str) -> CheckpointReader:
    """Opens a checkpoint; see `tf.train.load_checkpoint`.

    Args:
        filepattern: the path of the checkpoint, or of a folder for its latest one.

    Returns:
        A CheckpointReader.

    Raises:
        ValueError: if there is no checkpoint in the folder.
    """
    return checkpoint_reader.load_checkpoint(filepattern)


@export("contrib.framework.load_variable")
def load_variable(checkpoint_dir: str, name: str) -> np.ndarray:
    """The value of a variable in a checkpoint; see `tf.train.load_variable`.

    Args:
        checkpoint_dir: the path of the checkpoint, or of a folder for its latest one.
        name: the name of the variable.

    Returns:
        An array, or a NumPy number or bytes of a scalar.

    Raises:
        NotFoundError: if there is no such variable.
    """
    return checkpoint_reader.load_variable(checkpoint_dir, name)


@export("contrib.framework.list_variables")
def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """The variables of a checkpoint; see `tf.train.list_variables`.

    Args:
        checkpoint_dir: the path of the checkpoint, or of a folder for its latest one.

    Returns:
        Pairs of name and shape, sorted by name.
    """
    return checkpoint_reader.list_variables(checkpoint_dir)


@export("contrib.framework.init_from_checkpoint")
def init_from_checkpoint(checkpoint_dir: str, assignment_map: dict[str, Any]) -> None:
    """Makes initializers read a checkpoint; see `tf.train.init_from_checkpoint`.

    Args:
        checkpoint_dir: the path of the checkpoint, or of a folder for its latest one.
        assignment_map: {name in the checkpoint: variable or name}.

    Returns:
        Nothing; the initializers of the variables are replaced.

    Raises:
        ValueError: if a tensor is not in the checkpoint, has another shape, or a name is of no
            variable.
    """
    checkpoint_values.init_from_checkpoint(checkpoint_dir, assignment_map)
