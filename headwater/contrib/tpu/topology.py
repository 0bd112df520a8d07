"""Where the cores of TPUs stand in their mesh, and which of them a replica gets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.protos.lazy import topology_pb2


def _device(job: str | None, task: int, kind: str, number: int) -> str:
    prefix = "" if job is None else f"/job:{job}"
    return f"{prefix}/task:{task}/device:{kind}:{number}"


@export("contrib.tpu.Topology", "tpu.experimental.Topology")
class Topology:
    """The cores of a TPU cluster.

    Args:
        serialized: a TopologyProto, which gives the rest.
        mesh_shape: the sizes of the mesh, three positive numbers.
        device_coordinates: an array [tasks, cores of a task, 3] of coordinates in the mesh.

    Raises:
        ValueError: if the mesh or the coordinates have another form.
    """

    def __init__(
        self,
        serialized: bytes | None = None,
        mesh_shape: Any = None,
        device_coordinates: Any = None,
    ) -> None:
        if serialized:
            proto = topology_pb2.TopologyProto.FromString(serialized)
            mesh_shape = proto.mesh_shape
            sizes = (proto.num_tasks, proto.num_tpu_devices_per_task, len(mesh_shape))
            device_coordinates = np.array(proto.device_coordinates, np.int32).reshape(sizes)
        self._mesh_shape = np.asarray(mesh_shape, np.int32)
        self._device_coordinates = np.asarray(device_coordinates, np.int32)
        if len(self._mesh_shape) != 3 or (self._mesh_shape < 1).any():
            raise ValueError(
                f"`mesh_shape` must be a sequence of 3 positive entries; got {self._mesh_shape}"
            )
        if self._device_coordinates.ndim != 3 or self._device_coordinates.shape[2] != 3:
            raise ValueError(
                "`device_coordinates` must be a rank 3 int32 array with minor dimension equal to "
                "the mesh shape rank"
            )
        tasks, cores, _ = self._device_coordinates.shape
        # {coordinates: (task, number of the core in it)}
        self._places = {
            tuple(self._device_coordinates[task, core].tolist()): (task, core)
            for task in range(tasks)
            for core in range(cores)
        }

    @property
    def mesh_shape(self) -> np.ndarray:
        """The sizes of the mesh."""
        return self._mesh_shape

    @property
    def mesh_rank(self) -> int:
        """The number of the mesh's axes."""
        return len(self._mesh_shape)

    @property
    def device_coordinates(self) -> np.ndarray:
        """The coordinates, [tasks, cores of a task, 3]."""
        return self._device_coordinates

    @property
    def num_tasks(self) -> int:
        """The number of tasks."""
        return len(self._device_coordinates)

    @property
    def num_tpus_per_task(self) -> int:
        """The number of cores of each task."""
        return int(self._device_coordinates.shape[1])

    def _place(self, device_coordinates: Any) -> tuple[int, int]:
        return self._places[tuple(int(c) for c in device_coordinates)]

    def task_ordinal_at_coordinates(self, device_coordinates: Any) -> int:
        """Returns the task of the core with these coordinates."""
        return self._place(device_coordinates)[0]

    def tpu_device_ordinal_at_coordinates(self, device_coordinates: Any) -> int:
        """Returns the number that a core has in its task."""
        return self._place(device_coordinates)[1]

    def cpu_device_name_at_coordinates(
        self, device_coordinates: Any, job: str | None = None
    ) -> str:
        """Returns the device of the CPU beside a core."""
        return _device(job, self._place(device_coordinates)[0], "CPU", 0)

    def tpu_device_name_at_coordinates(
        self, device_coordinates: Any, job: str | None = None
    ) -> str:
        """Returns the device of a core."""
        task, core = self._place(device_coordinates)
        return _device(job, task, "TPU", core)

    def serialized(self) -> bytes:
        """Returns the topology as a TopologyProto."""
        proto = topology_pb2.TopologyProto(
            mesh_shape=self._mesh_shape.tolist(),
            num_tasks=self.num_tasks,
            num_tpu_devices_per_task=self.num_tpus_per_task,
            device_coordinates=self._device_coordinates.ravel().tolist(),
        )
        data: bytes = proto.SerializeToString()
        return data


@export("contrib.tpu.DeviceAssignment", "tpu.experimental.DeviceAssignment")
class DeviceAssignment:
    """Which cores compute which replica.

    Args:
        topology: a Topology.
        core_assignment: an array [replicas, cores of a replica, 3] of coordinates.

    Raises:
        ValueError: if the topology is none, or the array has another form.
    """

    def __init__(self, topology: Topology, core_assignment: Any) -> None:
        if not isinstance(topology, Topology):
            raise ValueError(f"topology must be a Topology object, got {type(topology)}")
        self._topology = topology
        self._core_assignment = np.asarray(core_assignment, np.int32)
        if self._core_assignment.ndim != 3:
            raise ValueError(
                "core_assignment must be a rank 3 numpy array, got shape "
                f"{self._core_assignment.shape}"
            )
        if self._core_assignment.shape[-1] != topology.mesh_rank:
            raise ValueError(
                "minor dimension of core_assignment must have size equal to topology rank "
                f"({topology.mesh_rank}), got shape {self._core_assignment.shape}"
            )

    @property
    def topology(self) -> Topology:
        """The topology."""
        return self._topology

    @property
    def core_assignment(self) -> np.ndarray:
        """The coordinates, [replicas, cores of a replica, 3]."""
        return self._core_assignment

    @property
    def num_replicas(self) -> int:
        """The number of replicas."""
        return len(self._core_assignment)

    @property
    def num_cores_per_replica(self) -> int:
        """The number of cores of each replica."""
        return int(self._core_assignment.shape[1])

    def coordinates(self, replica: int, logical_core: int) -> tuple[int, ...]:
        """Returns the coordinates of a core of a replica."""
        return tuple(self._core_assignment[replica, logical_core].tolist())

    def lookup_replicas(self, task_id: int, logical_core: int) -> list[int]:
        """Returns the replicas that have this core of theirs in a task.

        Raises:
            ValueError: if there are none.
        """
        found = [
            replica
            for replica in range(self.num_replicas)
            if self._task(replica, logical_core) == task_id
        ]
        if not found:
            raise ValueError(f"Can not find any replica in task: {task_id} contains logical_core: ")
        return found

    def _task(self, replica: int, logical_core: int) -> int:
        return self._topology.task_ordinal_at_coordinates(self.coordinates(replica, logical_core))

    def tpu_ordinal(self, replica: int = 0, logical_core: int = 0) -> int:
        """Returns the number that a core of a replica has in its task."""
        place = self.coordinates(replica, logical_core)
        return self._topology.tpu_device_ordinal_at_coordinates(place)

    def host_device(self, replica: int = 0, logical_core: int = 0, job: str | None = None) -> str:
        """Returns the device of the CPU beside a core of a replica."""
        place = self.coordinates(replica, logical_core)
        return self._topology.cpu_device_name_at_coordinates(place, job)

    def tpu_device(self, replica: int = 0, logical_core: int = 0, job: str | None = None) -> str:
        """Returns the device of a core of a replica."""
        place = self.coordinates(replica, logical_core)
        return self._topology.tpu_device_name_at_coordinates(place, job)

    @staticmethod
    def build(
        topology: Topology,
        computation_shape: Any = None,
        computation_stride: Any = None,
        num_replicas: int = 1,
    ) -> DeviceAssignment:
        """Assigns cores: see `device_assignment`."""
        return device_assignment(topology, computation_shape, computation_stride, num_replicas)


@export("contrib.tpu.device_assignment")
def device_assignment(
    topology: Topology,
    computation_shape: Any = None,
    computation_stride: Any = None,
    num_replicas: int = 1,
) -> DeviceAssignment:
    """Assigns the cores of a mesh to replicas.

    Args:
        topology: a Topology, or one as a serialized TopologyProto.
        computation_shape: the sizes of the part of the mesh that a replica gets, by default 1.
        computation_stride: how far the cores of a replica are apart along each axis.
        num_replicas: the number of replicas.

    Returns:
        The DeviceAssignment.

    Raises:
        ValueError: if the replicas do not fit into the mesh.
    """
    if isinstance(topology, bytes):
        topology = Topology(serialized=topology)
    if not isinstance(topology, Topology):
        raise ValueError(f"`topology` is not a Topology object; got {type(topology)}")
    mesh = topology.mesh_shape
    shape = _sizes("computation_shape", computation_shape, len(mesh))
    stride = _sizes("computation_stride", computation_stride, len(mesh))
    footprint = shape * stride
    if (footprint > mesh).any():
        raise ValueError(
            f"computation footprint {footprint} does not fit in TPU topology shape {mesh}"
        )
    counts = mesh // footprint * stride
    if num_replicas > counts.prod():
        raise ValueError(
            f"requested {num_replicas} replicas but only {counts.prod()} replicas with shape "
            f"{shape} and computation_stride {stride} fit in a TPU mesh of shape {mesh}"
        )
    cores = np.array(list(itertools.product(*map(range, shape.tolist())))) * stride
    block = _block(counts, np.argsort(mesh // footprint, kind="stable"), num_replicas)
    as_ring = shape[2] == mesh[2] > 1 and (stride == 1).all()
    places = itertools.islice(_places(block, as_ring), num_replicas)
    starts = [np.array(p) // stride * footprint + np.array(p) % stride for p in places]
    return DeviceAssignment(topology, [start + cores for start in starts])


def _sizes(name: str, sizes: Any, rank: int) -> np.ndarray:
    found = np.ones(rank, np.int32) if sizes is None else np.asarray(sizes, np.int32)
    if found.shape != (rank,):
        raise ValueError(f"{name} must have shape [{rank}]; got {found.shape}")
    return found


def _block(counts: np.ndarray, axes: np.ndarray, replicas: int) -> list[int]:
    """Returns the sizes of a block of replicas that is about as long along all axes.

    Args:
        counts: how many replicas fit along each axis.
        axes: the order in which the axes get their sizes.
        replicas: how many the block must have.
    """
    block = [1] * len(counts)
    for done, axis in enumerate(axes.tolist()):
        side = math.ceil(replicas ** (1 / (len(counts) - done)))
        block[axis] = min(side, int(counts[axis]))
        replicas = math.ceil(replicas / block[axis])
    return block


def _places(block: Sequence[int], as_ring: bool) -> Iterator[Sequence[int]]:
    """Yields the positions of the replicas, row by row or as a ring."""
    rows, columns, depth = block
    if not as_ring:
        yield from itertools.product(range(rows), range(columns), range(depth))
        return
    for row, column in _ring(rows, columns):
        yield row, column, 0


def _ring(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Yields the positions of a plane in a closed loop, or column by column for odd sizes."""
    if rows % 2 or columns == 1:
        yield from ((row, column) for column in range(columns) for row in range(rows))
        return
    yield from ((0, column) for column in range(columns))
    for row in range(1, rows):
        inner = range(1, columns)
        yield from ((row, column) for column in (reversed(inner) if row % 2 else inner))
    yield from ((row, 0) for row in range(rows - 1, 0, -1))
