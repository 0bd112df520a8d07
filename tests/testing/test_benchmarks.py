"""Benchmarks: their registry, their reports, their traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.protos.lazy import test_log_pb2
from headwater.testing import benchmark


class Doubling(tf.test.Benchmark):
    """Reports what it is told to."""

    ran = 0

    def benchmark_plainly(self) -> None:
        Doubling.ran += 1
        self.report_benchmark(iters=2, name="plain", extras={"number": 3, "text": "words"})

    def benchmark_op(self) -> dict[str, Any]:
        with tf.Session(config=benchmark.benchmark_config()) as session:
            a = tf.placeholder(tf.float32, [5])
            return self.run_op_benchmark(
                session, a + a, feed_dict={a: np.arange(5)}, min_iters=3, store_trace=True
            )


def entry(path: Path) -> Any:
    (found,) = test_log_pb2.BenchmarkEntries.FromString(path.read_bytes()).entry
    return found


def test_classes_are_registered_and_run_by_pattern() -> None:
    assert Doubling in benchmark.GLOBAL_BENCHMARK_REGISTRY
    before = Doubling.ran
    benchmark.run_benchmarks("Doubling.*none")
    assert Doubling.ran == before
    benchmark.run_benchmarks("Doubling.*plainly$")
    assert Doubling.ran == before + 1


def test_results_are_written_into_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(benchmark.TEST_REPORTER_TEST_ENV, str(tmp_path / "result_"))
    Doubling().benchmark_plainly()
    found = entry(tmp_path / "result_Doubling.plain")
    assert (found.iters, found.extras["number"].double_value) == (2, 3)
    assert found.extras["text"].string_value == "words"
    with pytest.raises(OSError, match="exists"):
        Doubling().benchmark_plainly()


def test_a_traced_run_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(benchmark.TEST_REPORTER_TEST_ENV, str(tmp_path / "result_"))
    result = Doubling().benchmark_op()
    assert "traceEvents" in json.loads(result["extras"]["full_trace_chrome_format"])
    found = entry(tmp_path / "result_Doubling.benchmark_op")
    assert found.iters == 3 and found.wall_time > 0
    held = [k for k in found.extras if k.startswith("allocator_maximum_num_bytes_")]
    assert held and all(found.extras[k].double_value > 0 for k in held)
    assert "full_trace_chrome_format" not in found.extras
