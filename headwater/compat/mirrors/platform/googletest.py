"""tensorflow.python.platform.googletest."""

from __future__ import annotations

from absl.testing.absltest import TestCase, expectedFailure, skip, skipIf, skipUnless

from headwater.testing.benchmark import Benchmark
from headwater.testing.running import StubOutForTesting, get_temp_dir, main, mock
from headwater.testing.running import test_src_dir_path as test_src_dir_path

__all__ = [
    "Benchmark",
    "GetTempDir",
    "StubOutForTesting",
    "TestCase",
    "expectedFailure",
    "main",
    "mock",
    "skip",
    "skipIf",
    "skipUnless",
    "test_src_dir_path",
]

GetTempDir = get_temp_dir
