"""Which seeds a random op gets; the values are those of TensorFlow 1.15."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

LARGEST = 2**31 - 1


@pytest.mark.parametrize(
    ("graph_seed", "op_seed", "expected"),
    [
        (None, None, (None, None)),
        (None, 0, (87654321, 0)),
        (None, 5, (87654321, 5)),
        (None, -3, (87654321, 2147483644)),
        (None, LARGEST, (87654321, 0)),
        (None, 2**35, (87654321, 16)),
        (None, np.int32(9), (87654321, 9)),
        (0, None, (0, 2)),
        (0, 0, (0, LARGEST)),
        (0, 5, (0, 5)),
        (0, LARGEST, (0, LARGEST)),
        (1, None, (1, 2)),
        (1, 0, (1, 0)),
        (-1, 5, (2147483646, 5)),
        (LARGEST, 0, (0, LARGEST)),
        (2**31, 0, (1, 0)),
        (2**40, None, (512, 2)),
        (-(2**31), 2, (2147483646, 2)),
        (True, 4, (1, 4)),
    ],
)
def test_seeds_of_an_op(graph_seed, op_seed, expected):
    tf.no_op()
    tf.no_op()
    if graph_seed is not None:
        tf.set_random_seed(graph_seed)
    assert tf.get_seed(op_seed) == expected


@pytest.mark.parametrize(
    ("graph_seed", "op_seed", "attrs"),
    [
        (None, None, (0, 0)),
        (None, 2.7, (87654321, 2)),
        (1.5, 5, (1, 5)),
        # The node of a graph-level seed alone gets the number of nodes before it.
        (3, None, (3, 4)),
    ],
)
def test_seed_attrs_of_a_node(graph_seed, op_seed, attrs):
    if graph_seed is not None:
        tf.set_random_seed(graph_seed)
    tf.no_op()
    node = tf.random_uniform([1], seed=op_seed, name="u").graph.get_operation_by_name(
        "u/RandomUniform"
    )
    assert (node.get_attr("seed"), node.get_attr("seed2")) == attrs


def test_the_seed_belongs_to_the_graph():
    tf.set_random_seed(4)
    other = tf.Graph()
    with other.as_default():
        assert tf.get_seed(None) == (None, None)
        tf.set_random_seed(5)
    assert tf.get_default_graph().seed == 4
    assert other.seed == 5


@pytest.mark.parametrize("seeds", [("a", None), (None, "x")])
def test_a_seed_must_be_a_number(seeds):
    if seeds[0] is not None:
        tf.set_random_seed(seeds[0])
    with pytest.raises(TypeError):
        tf.get_seed(seeds[1])
