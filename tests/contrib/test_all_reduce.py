"""tf.contrib.all_reduce: every algorithm leaves the sum on every device, as in 1.15.5."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import headwater as tf
from headwater.compat import install as hook
from headwater.contrib.all_reduce import all_reduce

DEVICES = [f"/job:w/replica:0/task:{i // 2}/device:CPU:{i % 2}" for i in range(4)]
OF_TASKS = [DEVICES[0], DEVICES[2]]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def tensors(count, length=8, shape=None):
    found = []
    for i, device in enumerate(DEVICES[:count]):
        with tf.device(device):
            values = np.arange(length, dtype=np.float32) * (i + 1)
            found.append(tf.constant(values, shape=shape))
    return found


def evaluated(outputs):
    """The values, computed on one device."""
    definition = tf.get_default_graph().as_graph_def()
    for node in definition.node:
        node.device = ""
    names = [output.name for output in outputs]
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.import_graph_def(definition, return_elements=names, name=""))


def quarter(x):
    return x * 0.25


@pytest.mark.parametrize(
    "build",
    [
        lambda x: all_reduce.build_ring_all_reduce(x, 2, 1, [0, 1], tf.add, quarter),
        lambda x: all_reduce.build_ring_all_reduce(x, 2, 2, [1, 0], tf.add, quarter),
        lambda x: all_reduce.build_recursive_hd_all_reduce(x, tf.add, quarter),
        lambda x: all_reduce.build_shuffle_all_reduce(x, OF_TASKS, tf.add_n, quarter),
        lambda x: all_reduce.build_nccl_all_reduce(x, tf.add, quarter),
        lambda x: all_reduce.build_nccl_then_ring(x, 1, tf.add, quarter),
        lambda x: all_reduce.build_nccl_then_recursive_hd(x, tf.add, quarter),
        lambda x: all_reduce.build_nccl_then_shuffle(x, OF_TASKS, tf.add, tf.add_n, quarter),
        lambda x: all_reduce.build_shuffle_then_ring(x, OF_TASKS, 1, tf.add_n, tf.add, quarter),
        lambda x: all_reduce.build_shuffle_then_shuffle(x, OF_TASKS, OF_TASKS, tf.add_n, quarter),
    ],
)
@pytest.mark.parametrize("shape", [[8], [2, 4]])
def test_every_device_has_the_result(build, shape):
    results = build(tensors(4, shape=shape))
    assert [result.device for result in results] == DEVICES
    assert all(result.shape.as_list() == shape for result in results)
    for value in evaluated(results):
        np.testing.assert_array_equal(value, 2.5 * np.arange(8).reshape(shape))


def test_lengths_that_cannot_be_divided():
    for outputs in (
        all_reduce.build_ring_all_reduce(tensors(3, 7), 3, 2, [0], tf.add),
        all_reduce.build_shuffle_all_reduce(tensors(3, 7), DEVICES[:2], tf.add_n),
    ):
        for value in evaluated(outputs):
            np.testing.assert_array_equal(value, 6.0 * np.arange(7))
    with pytest.raises(ValueError, match=r"^Dimension size must be evenly divisible by 2 but is 7"):
        all_reduce.build_recursive_hd_all_reduce(tensors(2, 7), tf.add)


def test_a_ring_passes_on_one_part_in_each_step(graph):
    x = tensors(4)
    before = len(graph.get_operations())
    all_reduce.build_ring_all_reduce(x, 2, 1, [0, 1], tf.add)
    types = [op.type for op in graph.get_operations()[before:]]
    assert types.count("Add") == 12 and types.count("Identity") == 12


def test_wrong_arguments():
    ring, shuffle = all_reduce.build_ring_all_reduce, all_reduce.build_shuffle_all_reduce
    with pytest.raises(ValueError, match=r"^input_tensors must be length 2 or longer"):
        ring(tensors(1), 1, 1, [0], tf.add)
    with pytest.raises(ValueError, match=r"^Shapes \(2,\) and \(3,\) are not compatible"):
        ring([tf.ones([2]), tf.ones([3])], 1, 1, [0, 1], tf.add)
    with pytest.raises(ValueError, match=r"^Tensors must have statically known shape"):
        ring([tf.placeholder(tf.float32)] * 2, 1, 1, [0, 1], tf.add)
    with pytest.raises(ValueError, match=r"^tensors cannot be empty"):
        shuffle([], DEVICES, tf.add_n)
    with pytest.raises(ValueError, match=r"^num_devices must be a power of 2"):
        all_reduce.build_recursive_hd_all_reduce(tensors(3), tf.add)
    with pytest.raises(ValueError, match=r"^\('red_op not supported by NCCL all-reduce: ', "):
        all_reduce.build_nccl_all_reduce(tensors(2), tf.multiply)
    with pytest.raises(ValueError, match=r"^For shuffle hybrid, gather_devices must contain one"):
        all_reduce.build_shuffle_then_ring(tensors(4), DEVICES[:1], 1, tf.add_n, tf.add)
    with pytest.raises(AssertionError, match=r"^failed to parse device "):
        all_reduce.build_nccl_then_ring([tf.ones([2])], 1, tf.add)


def test_module_paths():
    hook.install()
    try:
        for name in ("contrib.all_reduce.python.all_reduce", "python.distribute.all_reduce"):
            module = importlib.import_module(f"tensorflow.{name}")
            assert module.build_ring_all_reduce is all_reduce.build_ring_all_reduce
    finally:
        hook.uninstall()
