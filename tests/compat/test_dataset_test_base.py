"""Test programs about datasets: their base class, and combinations of arguments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headwater.compat.mirrors.framework import combinations

PROGRAM = """
from absl.testing import parameterized
import numpy as np
from tensorflow.python.data.kernel_tests import test_base
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.framework import combinations, errors, sparse_tensor
from tensorflow.python.ops import array_ops
from tensorflow.python.platform import test

D = dataset_ops.Dataset
BOTH = test_base.default_test_combinations()


class PassingTest(test_base.DatasetTestBase, parameterized.TestCase):

  @combinations.generate(combinations.times(BOTH, combinations.combine(n=[1, 2])))
  def testNumbers(self, n):
    self.assertDatasetProduces(D.range(n), list(range(n)), num_test_iterations=2)

  @combinations.generate(BOTH)
  def testRest(self):
    sparse = sparse_tensor.SparseTensorValue([[0]], [1], [1])
    self.assertDatasetProduces(D.from_tensors(sparse), [sparse])
    self.assertDatasetProduces(D.range(3).shuffle(3), [2, 1, 0], assert_items_equal=True)
    nan = D.from_tensors(np.float32(np.nan)).map(lambda x: array_ops.check_numerics(x, "bad"))
    self.assertDatasetProduces(nan, expected_error=(errors.InvalidArgumentError, "bad"))
    self.assertDatasetsEqual(D.range(2), D.from_tensor_slices(np.int64([0, 1])))
    self.assertDatasetsRaiseSameError(nan, nan, errors.InvalidArgumentError)
    pair = self.structuredDataset((None, (None,)), [2])
    self.assertDatasetsEqual(pair, D.from_tensors(self.structuredElement((None, (None,)), [2])))


class FailingTest(test_base.DatasetTestBase):

  def testShorter(self):
    self.assertDatasetProduces(D.range(2), [0, 1, 2])

  def testLonger(self):
    self.assertDatasetProduces(D.range(2), [0])

  def testOther(self):
    self.assertDatasetProduces(D.range(2), [0, 2])

  def testUnequal(self):
    self.assertDatasetsEqual(D.range(2), D.range(3))

  def testNoError(self):
    self.assertDatasetProduces(D.range(2), expected_error=(errors.InvalidArgumentError, ""))


test.main()
"""


def test_a_test_program_of_datasets(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "headwater", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("[")]
    found = {line[-1]: line[1] for line in lines if "RUN" not in line}
    passed = {name for name, result in found.items() if result == "OK"}
    assert passed == {
        "PassingTest.testNumbers_test_mode_graph_tfapiversion_1_n_1",
        "PassingTest.testNumbers_test_mode_graph_tfapiversion_1_n_2",
        "PassingTest.testRest_test_mode_graph_tfapiversion_1",
    }
    failed = {name for name, result in found.items() if result == "FAILED"}
    assert failed == {
        f"FailingTest.test{name}" for name in ("Shorter", "Longer", "Other", "Unequal", "NoError")
    }


def test_combinations_of_arguments() -> None:
    both = combinations.combine(a=[1, 2], b="x")
    assert [dict(each) for each in both] == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    assert combinations.combine() == [{}]
    joined = combinations.times(both, combinations.combine(c=[3, 4]))
    assert [tuple(each.values()) for each in joined] == [
        (1, "x", 3),
        (1, "x", 4),
        (2, "x", 3),
        (2, "x", 4),
    ]
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        combinations.times(both, both)
    named = combinations.NamedObject("name", [1].count)
    assert repr(named) == "name"
    assert named(1) == 1
