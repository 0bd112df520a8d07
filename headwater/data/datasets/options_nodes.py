"""The nodes that put the options of a dataset into force, between it and its iterator."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.data.datasets import structure
from headwater.graph import Tensor, build, convert_to_tensor


def with_options(dataset: Any) -> Tensor:
    """The variant of a dataset with its options in force."""
    options = dataset.options()
    attrs = structure.flat_attrs(dataset.element_spec)
    variant: Tensor = dataset._variant_tensor
    threading = options.experimental_threading
    if threading.max_intra_op_parallelism is not None:
        number = _int64(threading.max_intra_op_parallelism, "max_intra_op_parallelism")
        variant = build.MaxIntraOpParallelismDataset(variant, number, **attrs)
    if threading.private_threadpool_size is not None:
        number = _int64(threading.private_threadpool_size, "num_threads")
        variant = build.PrivateThreadPoolDataset(variant, number, **attrs)
    names, configs = options._optimizations()
    if names:
        chosen = convert_to_tensor(names, dtype=dtypes.string, name="optimizations")
        variant = build.OptimizeDataset(variant, chosen, optimization_configs=configs, **attrs)
    optimization = options.experimental_optimization
    if optimization.autotune is not False:
        variant = build.ModelDataset(
            variant,
            algorithm=optimization.autotune_algorithm or 0,
            cpu_budget=optimization.autotune_cpu_budget or 0,
            **attrs,
        )
    stats = options.experimental_stats
    if stats.aggregator is not None:
        variant = stats.aggregator._collects(variant, stats.prefix, stats.counter_prefix, attrs)
    return variant


def _int64(value: int, name: str) -> Tensor:
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)
