"""Strategies that choose the parameter server of a variable."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.graph import Operation


@export("contrib.training.RandomStrategy")
class RandomStrategy:
    """Spreads variables evenly by their names, the same way in every process.

    Args:
        num_ps_tasks: the number of parameter servers.
        seed: another number gives another placement.
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Operation) -> int:
        """Returns the index of the parameter server of an op."""
        key = f"{op.name}_{self._seed}"
        digest = hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()
        return int(digest, 16) % self._num_tasks


@export("contrib.training.GreedyLoadBalancingStrategy")
class GreedyLoadBalancingStrategy:
    """Places each variable on the parameter server with the least load so far.

    Args:
        num_tasks: the number of parameter servers.
        load_fn: a function from an op to its load, such as `byte_size_load_fn`.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Operation], float]) -> None:
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Operation) -> int:
        """Returns the index of the parameter server of an op."""
        task = int(np.argmin(self._ps_loads))
        self._ps_loads[task] += self._load_fn(op)
        return task


@export("contrib.training.byte_size_load_fn")
def byte_size_load_fn(op: Operation) -> int:
    """Returns the size of the output of an op.

    Args:
        op: an op, such as that of a variable.

    Returns:
        The number of bytes.

    Raises:
        ValueError: if the shape is not fully known, or there are several outputs.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = TensorShape(output.get_shape())
    if not shape.is_fully_defined() and "shape" in op.node_def.attr:
        # A device function gets the op of a variable before its output has a shape.
        shape = TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return (shape.num_elements() or 0) * output.dtype.size
