"""The tool that counts which cases of TensorFlow's own tests pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

_TOOL = Path(__file__).parents[2] / "tools" / "count_original_tests.py"

_CASES = """
import tensorflow as tf

class SomeTest(tf.test.TestCase):

  def testPasses(self):
    with self.test_session():
      self.assertAllEqual([3], tf.constant([3]).eval())

  def testFails(self):
    self.assertEqual(1, 2)

  def testIsSkipped(self):
    self.skipTest("no reason")

if __name__ == "__main__":
  tf.test.main()
"""


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("count_original_tests", _TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Starts a process.
@pytest.mark.slow
def test_cases_of_a_file(tmp_path: Path) -> None:
    test_file = tmp_path / "some_test.py"
    test_file.write_text(_CASES, encoding="utf-8")
    passed, failed = _tool().passed_cases(sys.executable, test_file, 120, in_headwater=True)
    assert passed == {"original_test.SomeTest.testPasses"}
    assert failed == {"original_test.SomeTest.testFails"}
