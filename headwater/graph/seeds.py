"""Seeds of random ops: one for the graph, one per op."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.graph.default_graph import get_default_graph

# Stands for the graph-level seed where only the op has one.
DEFAULT_GRAPH_SEED = 87654321

# Seeds are taken modulo this, so that they fit into a signed integer of 32 bits.
_MODULUS = 2**31 - 1


@export("set_random_seed", "random.set_random_seed")
def set_random_seed(seed: Any) -> None:
    """Sets the graph-level random seed of the default graph.

    Every random op that is made afterwards, in the same order and with the same op-level seed,
    draws the same numbers in every session.

    Args:
        seed: an integer.

    Example:
        >>> tf.set_random_seed(1)
        >>> x = tf.random_uniform([])
        >>> with tf.Session() as one, tf.Session() as other:
        ...     print(one.run(x) == other.run(x))
        True
    """
    get_default_graph().seed = seed


@export("get_seed", "random.get_seed")
def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """Returns the two seeds of the next random op of the default graph.

    Args:
        op_seed: the op-level seed, an integer or None.

    Returns:
        The graph-level and the op-level seed, below 2**31. (None, None) if neither is set: then
        the generator is seeded by the operating system. An op without a seed of its own in a
        graph that has one gets a number that depends on how many nodes were made before it.
    """
    graph = get_default_graph()
    if graph.seed is not None:
        if op_seed is None:
            graph._seed_used = True
            op_seed = graph._last_id
        seeds = graph.seed % _MODULUS, op_seed % _MODULUS
    elif op_seed is not None:
        seeds = DEFAULT_GRAPH_SEED, op_seed % _MODULUS
    else:
        return None, None
    # (0, 0) would mean that no seed is set.
    return (0, _MODULUS) if seeds == (0, 0) else seeds


def op_seeds(op_seed: Any) -> dict[str, Any]:
    """Returns the attrs `seed` and `seed2` of a random op that is about to be made."""
    seed, seed2 = get_seed(op_seed)
    return {"seed": int(seed or 0), "seed2": int(seed2 or 0)}
