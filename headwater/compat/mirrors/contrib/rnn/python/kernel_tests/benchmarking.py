"""tensorflow.contrib.rnn.python.kernel_tests.benchmarking: how long ops take."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.graph.default_graph import device as device_scope

__all__ = ["device", "dict_product", "seconds_per_run"]


def device(use_gpu: bool = False) -> Any:
    """A scope in which ops are placed on the first device of a kind."""
    return device_scope("/gpu:0" if use_gpu else "/cpu:0")


def seconds_per_run(op: Any, sess: Any, num_runs: int = 50) -> float:
    """The mean time of a run, after two runs that do not count."""
    for _ in range(2):
        sess.run(op)
    start = time.time()
    for _ in range(num_runs):
        sess.run(op)
    return (time.time() - start) / num_runs


def dict_product(dicts: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """All dictionaries with one of the values of each key; those of the last key change first."""
    for values in itertools.product(*dicts.values()):
        yield dict(zip(dicts, values, strict=True))
