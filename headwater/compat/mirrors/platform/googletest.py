"""tensorflow.python.platform.googletest."""

from __future__ import annotations

from collections.abc import Sequence

from absl.testing.absltest import TestCase, expectedFailure, skip, skipIf, skipUnless

from headwater.testing.benchmark import Benchmark
from headwater.testing.running import StubOutForTesting, get_temp_dir, main, mock
from headwater.testing.running import test_src_dir_path as test_src_dir_path

__all__ = [
    "Benchmark",
    "GetTempDir",
    "StatefulSessionAvailable",
    "StubOutForTesting",
    "TestCase",
    "expectedFailure",
    "g_main",
    "main",
    "mock",
    "skip",
    "skipIf",
    "skipUnless",
    "test_src_dir_path",
]

GetTempDir = get_temp_dir


def StatefulSessionAvailable() -> bool:
    """Tells whether a runner keeps sessions between tests; none does."""
    return False


def g_main(argv: Sequence[str]) -> None:
    """Runs the tests of the program.

    Args:
      argv: the arguments of the program.
    """
    main(argv=list(argv))
