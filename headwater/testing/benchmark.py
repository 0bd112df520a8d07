"""Benchmarks as methods of a class: those whose names begin with `benchmark` are run."""

from __future__ import annotations

import inspect
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from headwater.graph import Graph
from headwater.protos.lazy import config_pb2, test_log_pb2
from headwater.session.session import get_default_session
from headwater.session.timeline import Timeline

# The environment variable that holds the prefix of result files.
TEST_REPORTER_TEST_ENV = "TEST_REPORT_FILE_PREFIX"
# All benchmark classes.
GLOBAL_BENCHMARK_REGISTRY: set[type] = set()


class Benchmark:
    """The base class of benchmarks; its methods `benchmark...` are run by `tf.test.main`.

    `python program.py --benchmarks=PATTERN` runs those whose `Class.method` fits the pattern.
    """

    _classes: ClassVar[list[type[Benchmark]]] = []  # in the order of their definitions

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Benchmark._classes.append(cls)
        GLOBAL_BENCHMARK_REGISTRY.add(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Tells whether the class has no benchmarks."""
        return not any(name.startswith("benchmark") for name in dir(cls))

    def _get_name(self, overwrite_name: str | None = None) -> str:
        name = overwrite_name
        if name is None:
            callers = (frame.function for frame in inspect.stack()[1:])
            name = next((caller for caller in callers if caller.startswith("benchmark")), None)
            if name is None:
                raise ValueError("Unable to determine calling Benchmark class.")
        return f"{type(self).__name__}.{name}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Prints the result of a benchmark as the text of a BenchmarkEntries proto.

        Where the environment has TEST_REPORT_FILE_PREFIX, the proto is written into a file whose
        name begins with it.

        Args:
          iters: the number of iterations.
          cpu_time: seconds of CPU time per iteration.
          wall_time: seconds per iteration.
          throughput: megabytes in a second.
          extras: further results by name, numbers or texts.
          name: the name of the benchmark, by default that of the calling method.
          metrics: a list of dicts with `name`, `value`, `min_value`, `max_value`.
        """
        entries = test_log_pb2.BenchmarkEntries()
        entry = entries.entry.add(
            name=self._get_name(name),
            iters=iters,
            cpu_time=cpu_time,
            wall_time=wall_time,
            throughput=throughput,
        )
        for key, value in (extras or {}).items():
            if isinstance(value, int | float | np.number):
                entry.extras[key].double_value = float(value)
            else:
                entry.extras[key].string_value = str(value)
        for metric in metrics or ():
            added = entry.metrics.add(name=metric["name"], value=metric["value"])
            for bound in ("min_value", "max_value"):
                if metric.get(bound) is not None:
                    getattr(added, bound).value = metric[bound]
        _write(entries)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Measures and reports how long a run takes.

        Args:
          sess: the session.
          op_or_tensor: what is run; a tensor's value is not fetched.
          feed_dict: as for `Session.run`.
          burn_iters: runs before the measured ones.
          min_iters: measured runs.
          store_trace: whether one more run is traced; its timeline is returned, not reported.
          store_memory_usage: whether one more run is traced for the peak memory of its allocators.
          name: the name of the benchmark, by default that of the calling method.
          extras: further results by name.
          mbs: megabytes that one run works through.

        Returns:
          What was reported: a dict with `iters`, `wall_time` (the median), `extras`, `name`,
          `throughput`.
        """
        target = getattr(op_or_tensor, "op", op_or_tensor)
        for _ in range(burn_iters):
            sess.run(target, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(target, feed_dict=feed_dict)
            seconds.append(time.perf_counter() - start)
        median = float(np.median(seconds)) if seconds else -1.0
        result: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": dict(extras or {}),
            "name": name,
            "throughput": mbs / median,
        }
        trace = {}
        if store_trace or store_memory_usage:
            shown = _timeline(sess, target, feed_dict)
            if store_trace:
                trace["full_trace_chrome_format"] = shown.generate_chrome_trace_format()
            if store_memory_usage:
                held = shown.analyze_step_stats(show_memory=True).allocator_maximums
                for allocator, maximum in held.items():
                    key = f"allocator_maximum_num_bytes_{allocator}"
                    result["extras"][key] = maximum.num_bytes
        self.report_benchmark(**result)
        result["extras"].update(trace)
        return result

    def evaluate(self, tensors: Any) -> Any:
        """Computes tensors in the default session.

        Args:
          tensors: a tensor or a nested structure of tensors.

        Returns:
          The values in the same structure.

        Raises:
          ValueError: if there is no default session.
        """
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot evaluate tensors: no default session is registered. "
                "Use `with sess.as_default()`"
            )
        return sess.run(tensors)


def _write(entries: Any) -> None:
    """Writes a result into its file, or else prints it."""
    prefix = os.environ.get(TEST_REPORTER_TEST_ENV)
    if prefix is None:
        sys.stdout.write(f"{entries}\n")
        return
    path = Path(prefix + entries.entry[0].name.replace("/", "__"))
    if path.exists():
        raise OSError(f"File already exists: {path}")
    path.write_bytes(entries.SerializeToString())


def _timeline(sess: Any, target: Any, feed_dict: Any) -> Timeline:
    """Runs once more, op by op, and returns when each op ran."""
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    metadata = config_pb2.RunMetadata()
    sess.run(target, feed_dict=feed_dict, options=options, run_metadata=metadata)
    return Timeline(metadata.step_stats)


def benchmark_config() -> Any:
    """Returns a ConfigProto for benchmarks."""
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = (
        config_pb2.ConfigProto().graph_options.rewrite_options.OFF
    )
    return config


def run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks of all classes.

    Args:
      pattern: a regular expression for `Class.method`; "all" stands for ".".
    """
    fits = re.compile("." if pattern == "all" else pattern)
    for cls in Benchmark._classes:
        for name in sorted(dir(cls)):
            if name.startswith("benchmark") and fits.search(f"{cls.__name__}.{name}"):
                with Graph().as_default():
                    getattr(cls(), name)()
