"""Topology and DeviceAssignment; the coordinates are those of TensorFlow 1.15.5."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import headwater as tf


def topology(*mesh, tasks=1):
    cores = np.array(list(itertools.product(*map(range, mesh)))).reshape(tasks, -1, 3)
    return tf.contrib.tpu.Topology(mesh_shape=mesh, device_coordinates=cores)


def test_topology():
    found = topology(2, 2, 2, tasks=2)
    assert (found.num_tasks, found.num_tpus_per_task, found.mesh_rank) == (2, 4, 3)
    assert found.mesh_shape.tolist() == [2, 2, 2]
    assert found.task_ordinal_at_coordinates([1, 0, 1]) == 1
    assert found.tpu_device_ordinal_at_coordinates([1, 0, 1]) == 1
    assert found.cpu_device_name_at_coordinates([1, 0, 1]) == "/task:1/device:CPU:0"
    assert found.tpu_device_name_at_coordinates([1, 0, 1], "w") == "/job:w/task:1/device:TPU:1"
    again = tf.contrib.tpu.Topology(serialized=found.serialized())
    np.testing.assert_array_equal(again.device_coordinates, found.device_coordinates)
    # The bytes that TensorFlow writes.
    assert topology(1, 1, 1).serialized() == b"\n\x03\x01\x01\x01\x10\x01\x18\x01\x22\x03\0\0\0"


@pytest.mark.parametrize(
    ("mesh", "coordinates", "text"),
    [
        (
            [1, 1],
            [[[0, 0, 0]]],
            r"`mesh_shape` must be a sequence of 3 positive entries; got \[1 1\]",
        ),
        ([1, 1, 1], [[[0, 0]]], "`device_coordinates` must be a rank 3 int32 array"),
    ],
)
def test_topologies_of_another_form(mesh, coordinates, text):
    with pytest.raises(ValueError, match=text):
        tf.contrib.tpu.Topology(mesh_shape=mesh, device_coordinates=coordinates)


@pytest.mark.parametrize(
    ("mesh", "shape", "stride", "replicas", "first_cores"),
    [
        ((4, 4, 2), [1, 1, 1], None, 7, "000 001 010 011 100 101 110"),
        ((2, 3, 2), [1, 1, 2], None, 6, "000 010 020 120 110 100"),
        ((3, 2, 2), [1, 1, 2], None, 6, "000 100 200 010 110 210"),
        ((4, 4, 2), [2, 1, 2], None, 8, "000 010 020 030 230 220 210 200"),
        ((4, 2, 1), [2, 1, 1], None, 4, "000 010 200 210"),
        ((4, 4, 2), [1, 2, 1], [1, 1, 2], 2, "000 001"),
        ((3, 3, 2), [1, 1, 2], [1, 2, 1], 2, "000 010"),
        ((4, 4, 2), [1, 1, 2], [1, 2, 1], 8, "000 010 020 100 110 120 200 210"),
        ((4, 4, 2), [2, 1, 1], [2, 1, 1], 6, "000 001 010 011 100 101"),
        ((4, 4, 2), [1, 1, 1], [1, 2, 1], 8, "000 001 010 011 100 101 110 111"),
    ],
)
def test_device_assignments(mesh, shape, stride, replicas, first_cores):
    found = tf.contrib.tpu.device_assignment(topology(*mesh), shape, stride, replicas)
    assert [
        "".join(map(str, cores[0])) for cores in found.core_assignment.tolist()
    ] == first_cores.split()
    assert (found.num_replicas, found.num_cores_per_replica) == (replicas, np.prod(shape))
    assert found.coordinates(0, 0) == (0, 0, 0)
    assert found.lookup_replicas(0, 0) == list(range(replicas))
    assert found.host_device() == "/task:0/device:CPU:0"
    assert found.tpu_device(job="w") == "/job:w/task:0/device:TPU:0"
    assert found.tpu_ordinal() == 0


@pytest.mark.parametrize(
    ("shape", "replicas", "text"),
    [
        (None, 9, r"requested 9 replicas but only 8 replicas with shape \[1 1 1\]"),
        ([1, 3, 1], 1, r"computation footprint \[1 3 1\] does not fit in TPU topology shape"),
        ([1, 2], 1, r"computation_shape must have shape \[3\]; got \(2,\)"),
    ],
)
def test_assignments_that_do_not_fit(shape, replicas, text):
    with pytest.raises(ValueError, match=text):
        tf.tpu.experimental.DeviceAssignment.build(topology(2, 2, 2), shape, None, replicas)
