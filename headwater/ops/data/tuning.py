"""Datasets that say how elements are made: thread pools, the fastest of several, pauses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.handles import handle_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.graph.functions import type_name
from headwater.ops.data.background import AUTOTUNE
from headwater.ops.data.dataset import (
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    dataset_of,
    scalar_of,
    variant_of,
)
from headwater.ops.data.optimizations import NonSerializableDataset, PassThroughDataset

# So often a pause looks whether its run has been cancelled, in seconds.
_NAP = 0.01


class SleepDataset(Dataset):
    """The elements of a dataset, each after a pause."""

    def __init__(self, source: Dataset, seconds: float, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])
        self.seconds = seconds

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SleepIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _SleepIterator(InputIterator):
    def __init__(self, dataset: SleepDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._seconds = dataset.seconds

    def next(self) -> Element | None:
        end = time.monotonic() + self._seconds
        while (remaining := end - time.monotonic()) > 0:
            cancellation.check()
            time.sleep(min(remaining, _NAP))
        return self._input.next()


class ThreadPool:
    """The settings of a pool of threads; Headwater's threads are shared by all datasets."""

    def __init__(self, threads: int) -> None:
        self.threads = threads


def kernel_sleep_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    sleep_microseconds: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    seconds = int(scalar_of(sleep_microseconds, "sleep_microseconds")) / 1e6
    return variant_of(SleepDataset(dataset_of(input_dataset), seconds, output_types, output_shapes))


def kernel_max_intra_op_parallelism(
    xp: ArrayModule, input_dataset: Array, max_intra_op_parallelism: Array
) -> Array:
    if int(scalar_of(max_intra_op_parallelism, "max_intra_op_parallelism")) < 0:
        fail("`max_intra_op_parallelism` must be >= 0")
    return variant_of(PassThroughDataset(dataset_of(input_dataset)))


def kernel_private_thread_pool(xp: ArrayModule, input_dataset: Array, num_threads: Array) -> Array:
    if int(scalar_of(num_threads, "num_threads")) < 1:
        fail("`num_threads` must be >= 1")
    return variant_of(PassThroughDataset(dataset_of(input_dataset)))


def make_thread_pool(attrs: dict[str, Any]) -> ThreadPool:
    return ThreadPool(attrs["num_threads"])


def kernel_thread_pool_handle(xp: ArrayModule, *, state: ThreadPool) -> Any:
    if state.threads <= 0 and state.threads != AUTOTUNE:
        fail("`num_threads` must be greater than zero.")
    return handle_of(state), state


def kernel_thread_pool_dataset(xp: ArrayModule, input_dataset: Array, thread_pool: Array) -> Array:
    return variant_of(PassThroughDataset(dataset_of(input_dataset)))


def kernel_non_serializable(xp: ArrayModule, input_dataset: Array) -> Array:
    return variant_of(NonSerializableDataset(dataset_of(input_dataset)))


def kernel_choose_fastest(xp: ArrayModule, input_datasets: Sequence[Array]) -> Array:
    datasets = [dataset_of(value) for value in input_datasets]
    first = datasets[0]
    for i, other in enumerate(datasets):
        if other.types != first.types:
            fail(
                f"All inputs to ChooseFastestDataset must have the same output types. Input {i} "
                f"has output types: {_listed(other.types)}. Expected: {_listed(first.types)}."
            )
        sizes = first.cardinality(), other.cardinality()
        if sizes[0] != sizes[1] and UNKNOWN not in sizes:
            fail(
                "All inputs to ChooseFastestDataset must have compatible cardinalities. Input "
                f"{i} has cardinality: {sizes[1]}, while all prior inputs have cardinality: "
                f"{sizes[0]}."
            )
    return variant_of(first)


def _listed(types: Sequence[DType]) -> str:
    return ", ".join(type_name(dtype) for dtype in types)


def kernel_choose_fastest_branch(
    xp: ArrayModule,
    input_dataset: Array,
    ratio_numerator: Array,
    ratio_denominator: Array,
    other_arguments: Sequence[Array],
    *,
    branches: Any,
    other_arguments_lengths: Any,
    op: Operation,
    functions: FunctionRuntime,
) -> Array:
    if int(scalar_of(ratio_numerator, "ratio_numerator")) <= 0:
        fail("`ratio_numerator` must be greater than zero.")
    if int(scalar_of(ratio_denominator, "ratio_denominator")) <= 0:
        fail("`ratio_denominator` must be greater than zero.")
    # All branches make the same elements, so any will do.
    values = list(other_arguments)[: other_arguments_lengths[0]]
    branch = functions.captured(op._graph, branches[0], values).instantiate()
    return variant_of(dataset_of(branch([input_dataset])[0]))


def _register_sleep(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, sleep_microseconds: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_sleep_dataset,
        runs_on=RunsOn.HOST,
    )


_register_sleep("SleepDataset")
_register_sleep("ExperimentalSleepDataset")


def _register_max_intra_op_parallelism(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, max_intra_op_parallelism: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_max_intra_op_parallelism,
        runs_on=RunsOn.HOST,
    )


_register_max_intra_op_parallelism("MaxIntraOpParallelismDataset")
_register_max_intra_op_parallelism("ExperimentalMaxIntraOpParallelismDataset")


def _register_private_thread_pool(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, num_threads: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_private_thread_pool,
        runs_on=RunsOn.HOST,
    )


_register_private_thread_pool("PrivateThreadPoolDataset")
_register_private_thread_pool("ExperimentalPrivateThreadPoolDataset")


def _register_thread_pool(handle: str, dataset: str) -> None:
    register_op(
        handle,
        outputs="handle: resource",
        attrs="num_threads: int, max_intra_op_parallelism: int = 1, display_name: string, "
        "container: string = '', shared_name: string = ''",
        shape=shapes.scalar,
        kernel=kernel_thread_pool_handle,
        state=make_thread_pool,
        resource="thread pool",
        runs_on=RunsOn.HOST,
        stateful=True,
    )
    register_op(
        dataset,
        inputs="input_dataset: variant, thread_pool: resource",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_thread_pool_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_thread_pool("ThreadPoolHandle", "ThreadPoolDataset")
_register_thread_pool("ExperimentalThreadPoolHandle", "ExperimentalThreadPoolDataset")


def _register_non_serializable(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_non_serializable,
        runs_on=RunsOn.HOST,
    )


_register_non_serializable("NonSerializableDataset")
_register_non_serializable("ExperimentalNonSerializableDataset")


def _register_choose_fastest(name: str) -> None:
    register_op(
        name,
        inputs="input_datasets: N * variant",
        outputs="handle: variant",
        attrs="N: int >= 2, num_experiments: int, output_types: list(type) >= 1, "
        "output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_choose_fastest,
        runs_on=RunsOn.HOST,
    )


_register_choose_fastest("ChooseFastestDataset")
_register_choose_fastest("ExperimentalChooseFastestDataset")

register_op(
    "ChooseFastestBranchDataset",
    inputs="input_dataset: variant, ratio_numerator: int64, ratio_denominator: int64, "
    "other_arguments: Targuments",
    outputs="handle: variant",
    attrs="Targuments: list(type) >= 0, num_elements_per_branch: int >= 1, "
    "branches: list(func) >= 1, other_arguments_lengths: list(int) >= 1, "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_choose_fastest_branch,
    runs_on=RunsOn.HOST,
    takes_handles=True,
)
