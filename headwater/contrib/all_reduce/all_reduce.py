"""Sums of tensors of several devices, built from adds and copies.

The algorithms are those of Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
clusters of workstations" (rings), and of Thakur, Rabenseifner and Gropp, "Optimization of
collective communication operations in MPICH" (recursive halving and doubling).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from headwater.contrib.all_reduce.flat_tensors import (
    BinaryOp,
    NaryOp,
    UnaryOp,
    by_worker,
    flattened,
    joined,
    padded_split,
    reshaped,
    uneven_split,
)
from headwater.contrib.nccl import collectives
from headwater.graph import Tensor, control_dependencies
from headwater.graph.default_graph import colocate_with, device
from headwater.ops.array.split import split
from headwater.ops.control.identity import identity
from headwater.ops.math.arithmetic import add


def build_ring_all_reduce(
    input_tensors: Sequence[Tensor],
    num_workers: int,
    num_subchunks: int,
    gpu_perm: Sequence[int],
    red_op: BinaryOp,
    un_op: UnaryOp | None = None,
) -> list[Tensor]:
    """Reduces tensors in a ring of devices: each adds a part and passes it on.

    Args:
        input_tensors: a tensor of each device, those of a worker one after the other.
        num_workers: the number of workers.
        num_subchunks: into how many parts the part of each device is divided.
        gpu_perm: the order of the devices of a worker in the ring.
        red_op: the function of two tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if there are less than two tensors, or their shapes differ or are unknown.
    """
    if len(input_tensors) < 2:
        raise ValueError("input_tensors must be length 2 or longer")
    vectors, shape = flattened(input_tensors)
    devices = [tensor.device for tensor in vectors]
    count = len(vectors)
    split_vectors = [padded_split(vector, count * num_subchunks) for vector in vectors]
    # parts[d][s][c]: part c of subchunk s on device d
    parts = [
        [pieces[s::num_subchunks] for s in range(num_subchunks)] for pieces, _ in split_vectors
    ]
    for s in range(num_subchunks):
        ring = _ring(num_workers, gpu_perm, s)
        _scatter_reduce(parts, s, [ring[i] for i in range(count)], devices, red_op, un_op)
    padding = split_vectors[0][1]
    results = []
    for name, own in zip(devices, parts):
        with device(name):
            ordered = [
                own[i % num_subchunks][i // num_subchunks] for i in range(count * num_subchunks)
            ]
            results.append(joined(ordered, padding))
    return reshaped(results, shape)


def _ring(num_workers: int, gpu_perm: Sequence[int], subchunk: int) -> list[int]:
    """The devices in the order of the ring; each subchunk begins at another one of a worker."""
    size = len(gpu_perm)
    turned = [gpu_perm[(i + subchunk) % size] for i in range(size)]
    return [worker * size + i for worker in range(num_workers) for i in turned]


def _scatter_reduce(
    parts: list[list[list[Tensor]]],
    s: int,
    ring: list[int],
    devices: list[str],
    red_op: BinaryOp,
    un_op: UnaryOp | None,
) -> None:
    """Replaces the parts of a subchunk by the results on all devices."""
    count = len(ring)
    for step in range(count - 1):
        # All devices pass on what they had before this step.
        sent = [parts[ring[r]][s][(r - step) % count] for r in range(count)]
        for r, tensor in enumerate(sent):
            target, c = ring[(r + 1) % count], (r - step) % count
            with device(devices[target]):
                parts[target][s][c] = red_op(tensor, parts[target][s][c])
    for r in range(count):
        owner, c = ring[r], (r + 1) % count
        with device(devices[owner]):
            if un_op is not None:
                parts[owner][s][c] = un_op(parts[owner][s][c])
    for step in range(count - 1):
        for r in range(count):
            source, target, c = ring[r], ring[(r + 1) % count], (r + 1 - step) % count
            with device(devices[target]):
                parts[target][s][c] = identity(parts[source][s][c])


def build_recursive_hd_all_reduce(
    input_tensors: Sequence[Tensor], red_op: BinaryOp, un_op: UnaryOp | None = None
) -> list[Tensor]:
    """Reduces tensors by recursive halving and doubling.

    Args:
        input_tensors: a tensor of each device; their number is a power of 2.
        red_op: the function of two tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if the number is no power of 2, or a vector cannot be halved.
    """
    vectors, shape = flattened(input_tensors)
    devices = [tensor.device for tensor in input_tensors]
    count = len(vectors)
    if count & (count - 1):
        raise ValueError("num_devices must be a power of 2")
    spans = [1 << level for level in range(count.bit_length() - 1)]
    for span in spans:
        halves = [_halves(vector) for vector in vectors]
        for i, name in enumerate(devices):
            # The lower of a pair takes the first half, the upper one the second.
            other, half = i ^ span, int(bool(i & span))
            with device(name):
                vectors[i] = red_op(halves[i][half], halves[other][half])
    if un_op is not None:
        for i, vector in enumerate(vectors):
            with colocate_with(vector):
                vectors[i] = un_op(vector)
    for span in reversed(spans):
        before = list(vectors)
        for i, name in enumerate(devices):
            pair = (before[i & ~span], before[i | span])
            with device(name):
                vectors[i] = joined(pair)
    return reshaped(vectors, shape)


def _halves(vector: Tensor) -> list[Tensor]:
    with colocate_with(vector):
        return list(split(vector, 2))


def build_shuffle_all_reduce(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    red_op: NaryOp,
    un_op: UnaryOp | None = None,
) -> list[Tensor]:
    """Reduces a part of the tensors on each of some devices.

    Args:
        input_tensors: a tensor of each device.
        gather_devices: the devices that compute.
        red_op: the function of a list of tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if there are no tensors, or their shapes differ or are unknown.
    """
    vectors, shape = flattened(input_tensors)
    pieces = [uneven_split(vector, len(gather_devices)) for vector in vectors]
    reduced = []
    for number, name in enumerate(gather_devices):
        with device(name):
            value = red_op([own[number] for own in pieces])
            reduced.append(value if un_op is None else un_op(value))
    results = []
    for tensor in input_tensors:
        with device(tensor.device):
            results.append(joined(reduced))
    return reshaped(results, shape)


def build_nccl_all_reduce(
    input_tensors: Sequence[Tensor], red_op: BinaryOp, un_op: UnaryOp | None = None
) -> list[Tensor]:
    """Reduces tensors by one collective op for each.

    Args:
        input_tensors: a tensor of each device.
        red_op: `tf.add`, the only function that these ops have here.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if `red_op` is another function.
    """
    # The public function asks handlers of other kinds of arguments, too.
    if inspect.unwrap(red_op) is not add:
        raise ValueError("red_op not supported by NCCL all-reduce: ", red_op)
    results = collectives.all_sum(input_tensors)
    if un_op is None:
        return results
    found = []
    for tensor in results:
        with colocate_with(tensor):
            found.append(un_op(tensor))
    return found


def _within_and_across(
    input_tensors: Sequence[Tensor],
    within: Callable[[list[Tensor]], list[Tensor]],
    across: Callable[[list[Tensor]], list[Tensor]],
) -> list[Tensor]:
    """Reduces the tensors of each worker, then one of each worker, and copies the results."""
    vectors, shape = flattened(input_tensors)
    devices = [tensor.device for tensor in input_tensors]
    worker_devices, worker_vectors = by_worker(devices, vectors)
    reduced = across([_first_of(within(own)) for own in worker_vectors])
    results = []
    for names, value in zip(worker_devices, reduced, strict=True):
        for name in names:
            with device(name):
                results.append(identity(value))
    return reshaped(results, shape)


def _first_of(tensors: list[Tensor]) -> Tensor:
    """The first result of a worker; a collective op waits until those of all devices run."""
    first, *others = tensors
    with device(first.device), control_dependencies(others):
        return identity(first)


def build_nccl_then_ring(
    input_tensors: Sequence[Tensor], subdiv: int, red_op: BinaryOp, un_op: UnaryOp | None = None
) -> list[Tensor]:
    """Reduces the tensors of each worker, then those of the workers in a ring.

    Args:
        input_tensors: a tensor of each device.
        subdiv: the number of subchunks of the ring.
        red_op: `tf.add`.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.
    """

    def across(tensors: list[Tensor]) -> list[Tensor]:
        if len(tensors) == 1:
            return [un_op(tensors[0])] if un_op else tensors
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _within_and_across(input_tensors, lambda own: build_nccl_all_reduce(own, red_op), across)


def build_nccl_then_recursive_hd(
    input_tensors: Sequence[Tensor], red_op: BinaryOp, un_op: UnaryOp | None = None
) -> list[Tensor]:
    """Reduces the tensors of each worker, then those of the workers by halving and doubling.

    Args:
        input_tensors: a tensor of each device; the number of workers is a power of 2.
        red_op: `tf.add`.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.
    """
    return _within_and_across(
        input_tensors,
        lambda own: build_nccl_all_reduce(own, red_op),
        lambda tensors: build_recursive_hd_all_reduce(tensors, red_op, un_op),
    )


def build_nccl_then_shuffle(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    nccl_red_op: BinaryOp,
    shuffle_red_op: NaryOp,
    un_op: UnaryOp | None = None,
) -> list[Tensor]:
    """Reduces the tensors of each worker, then those of the workers by shuffling.

    Args:
        input_tensors: a tensor of each device.
        gather_devices: the devices that compute the results.
        nccl_red_op: `tf.add`.
        shuffle_red_op: the function of a list of tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.
    """
    return _within_and_across(
        input_tensors,
        lambda own: build_nccl_all_reduce(own, nccl_red_op),
        lambda tensors: build_shuffle_all_reduce(tensors, gather_devices, shuffle_red_op, un_op),
    )


def _shuffle_within_and_across(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    red_op: NaryOp,
    across: Callable[[list[Tensor]], list[Tensor]],
) -> list[Tensor]:
    """Shuffles within each worker, which has one of the devices that compute."""
    names = [tensor.device for tensor in input_tensors]
    worker_devices, _ = by_worker(names, names)
    if len(gather_devices) != len(worker_devices):
        raise ValueError("For shuffle hybrid, gather_devices must contain one device per worker. ")
    of_worker = iter(gather_devices)
    return _within_and_across(
        input_tensors,
        lambda own: build_shuffle_all_reduce(own, [next(of_worker)], red_op),
        across,
    )


def build_shuffle_then_ring(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    subdiv: int,
    red_n_op: NaryOp,
    red_op: BinaryOp,
    un_op: UnaryOp | None = None,
) -> list[Tensor]:
    """Shuffles within each worker, then reduces the results of the workers in a ring.

    Args:
        input_tensors: a tensor of each device.
        gather_devices: a device of each worker.
        subdiv: the number of subchunks of the ring.
        red_n_op: the function of a list of tensors.
        red_op: the function of two tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if there is not one device for each worker.
    """
    return _shuffle_within_and_across(
        input_tensors,
        gather_devices,
        red_n_op,
        lambda tensors: build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op),
    )


def build_shuffle_then_shuffle(
    input_tensors: Sequence[Tensor],
    first_gather_devices: Sequence[str],
    second_gather_devices: Sequence[str],
    red_op: NaryOp,
    un_op: UnaryOp | None = None,
) -> list[Tensor]:
    """Shuffles within each worker, then the results of the workers.

    Args:
        input_tensors: a tensor of each device.
        first_gather_devices: a device of each worker.
        second_gather_devices: the devices that compute the results.
        red_op: the function of a list of tensors.
        un_op: a function of the result, or None.

    Returns:
        The result on each device.

    Raises:
        ValueError: if there is not one device for each worker.
    """
    return _shuffle_within_and_across(
        input_tensors,
        first_gather_devices,
        red_op,
        lambda tensors: build_shuffle_all_reduce(tensors, second_gather_devices, red_op, un_op),
    )
