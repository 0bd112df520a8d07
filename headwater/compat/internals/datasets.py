"""Internal functions of datasets: thread pools, pauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.compat.internals import internal
from headwater.data.datasets import structure
from headwater.graph import build, convert_to_tensor, name_scope

_THREADPOOL = "data.experimental.ops.threadpool"


@internal(f"{_THREADPOOL}.PrivateThreadPool")
class PrivateThreadPool:
    """A pool of threads; Headwater's threads are shared by all datasets.

    Args:
        num_threads: how many threads there are.
        display_name: the name of the pool.
        max_intra_op_parallelism: how many threads one op may use.
    """

    def __init__(
        self,
        num_threads: int,
        display_name: str | None = None,
        max_intra_op_parallelism: int = 1,
    ) -> None:
        self._resource = build.ThreadPoolHandle(
            num_threads=num_threads,
            max_intra_op_parallelism=max_intra_op_parallelism,
            display_name=display_name or "",
        )


@internal(f"{_THREADPOOL}.override_threadpool")
def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """The same dataset, whose functions run in a pool of threads."""
    spec = dataset.element_spec
    variant = build.ThreadPoolDataset(
        dataset._variant_tensor, thread_pool._resource, **structure.flat_attrs(spec)
    )
    return dataset._derived(variant, spec)


@internal("data.experimental.ops.sleep.sleep")
def sleep(sleep_microseconds: int) -> Callable[[Any], Any]:
    """A function from a dataset to one that pauses before each element."""

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        with name_scope("SleepDataset"):
            pause = convert_to_tensor(sleep_microseconds, dtypes.int64, name="sleep_microseconds")
        variant = build.SleepDataset(dataset._variant_tensor, pause, **structure.flat_attrs(spec))
        return dataset._derived(variant, spec)

    return apply
