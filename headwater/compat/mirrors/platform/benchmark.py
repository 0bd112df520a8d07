"""tensorflow.python.platform.benchmark."""

from headwater.testing.benchmark import Benchmark, benchmark_config

__all__ = ["Benchmark", "TensorFlowBenchmark", "benchmark_config"]

TensorFlowBenchmark = Benchmark
