"""tensorflow.python.platform.benchmark."""

from headwater.testing.benchmark import (
    GLOBAL_BENCHMARK_REGISTRY,
    TEST_REPORTER_TEST_ENV,
    Benchmark,
    benchmark_config,
)
from headwater.testing.benchmark import run_benchmarks as _run_benchmarks

__all__ = [
    "GLOBAL_BENCHMARK_REGISTRY",
    "TEST_REPORTER_TEST_ENV",
    "Benchmark",
    "TensorFlowBenchmark",
    "_run_benchmarks",
    "benchmark_config",
]

TensorFlowBenchmark = Benchmark
