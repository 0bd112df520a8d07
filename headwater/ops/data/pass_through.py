"""Datasets that change how elements are made, and not what they are: ModelDataset, ..."""

from __future__ import annotations

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import dataset_of, variant_of
from headwater.ops.data.optimizations import OptimizedDataset, PassThroughDataset


def kernel_model_dataset(xp: ArrayModule, input_dataset: Array) -> Array:
    return variant_of(PassThroughDataset(dataset_of(input_dataset)))


register_op(
    "ModelDataset",
    inputs="input_dataset: variant",
    outputs="handle: variant",
    attrs="algorithm: int = 0, cpu_budget: int = 0, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_model_dataset,
    runs_on=RunsOn.HOST,
)


def kernel_optimize_dataset(xp: ArrayModule, input_dataset: Array, optimizations: Array) -> Array:
    names = [name.decode() for name in optimizations.tolist()]
    return variant_of(OptimizedDataset(dataset_of(input_dataset), names))


register_op(
    "OptimizeDataset",
    inputs="input_dataset: variant, optimizations: string",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
    "optimization_configs: list(string) = []",
    shape=shapes.scalar,
    kernel=kernel_optimize_dataset,
    runs_on=RunsOn.HOST,
)


def kernel_same_variant(xp: ArrayModule, input_handle: Array) -> Array:
    return input_handle


register_op(
    "WrapDatasetVariant",
    inputs="input_handle: variant",
    outputs="output_handle: variant",
    shape=shapes.scalar,
    kernel=kernel_same_variant,
    runs_on=RunsOn.HOST,
)

register_op(
    "UnwrapDatasetVariant",
    inputs="input_handle: variant",
    outputs="output_handle: variant",
    shape=shapes.scalar,
    kernel=kernel_same_variant,
    runs_on=RunsOn.HOST,
)
