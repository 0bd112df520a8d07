"""tensorflow.python.data.kernel_tests.test_base: test cases about datasets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.compat.mirrors.framework import combinations
from headwater.data.datasets import nest
from headwater.data.datasets.conversion import (
    get_output_shapes,
    get_structure,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.graph import SparseTensor, SparseTensorValue
from headwater.model.ragged.tensor import RaggedTensor
from headwater.model.ragged.value import RaggedTensorValue
from headwater.ops.array.fill import zeros
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.testing.test_case import TestCase

__all__ = ["DatasetTestBase", "default_test_combinations"]


def default_test_combinations() -> list[combinations.Combination]:
    """Returns the modes in which TensorFlow tests datasets; here they run in graph mode."""
    return combinations.combine(tf_api_version=[1, 2], mode=["eager", "graph"])


class DatasetTestBase(TestCase):
    """A test case with assertions about the elements of datasets."""

    def assert_op_cancelled(self, op: Any) -> None:
        """Fails unless a run is cancelled."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Fails if two components differ."""
        if isinstance(expected, (SparseTensor, SparseTensorValue)):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, part), getattr(actual, part))
        else:
            self.assertAllEqual(expected, actual)

    def getNext(
        self,
        dataset: DatasetV2,
        requires_initialization: bool = False,
        shared_name: str | None = None,
    ) -> Callable[[], Any]:
        """Returns a function that returns the tensors of the next element.

        Args:
          dataset: a dataset.
          requires_initialization: whether it needs an iterator that is initialized by an op.
          shared_name: the name under which sessions share that iterator.
        """
        if requires_initialization:
            iterator = make_initializable_iterator(dataset, shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = make_one_shot_iterator(dataset)
        element = iterator.get_next()
        if isinstance(element, TensorArray):
            return element.stack
        return lambda: element

    def assertDatasetProduces(
        self,
        dataset: DatasetV2,
        expected_output: Sequence[Any] | None = None,
        expected_shapes: Any = None,
        expected_error: tuple[type[Exception], Any] | None = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """Fails if a dataset has other elements, or does not raise the expected error.

        Args:
          dataset: a dataset.
          expected_output: its elements; or
          expected_error: an exception type and a regular expression or predicate of the exception.
          expected_shapes: the static shapes of its components.
          requires_initialization: as for `getNext`.
          num_test_iterations: how many times it is iterated.
          assert_items_equal: whether the order of elements does not matter.
          expected_error_iter: the number of the element that raises the error, from 1.
        """
        message = "Exactly one of expected_output or expected error should be provided."
        self.assertNotEqual(expected_output is None, expected_error is None, message)
        if expected_error is not None:

            def run() -> None:
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())

            self.assertRaisesWithPredicateMatch(*expected_error, run)
            return
        if expected_shapes:
            self.assertEqual(expected_shapes, get_output_shapes(dataset))
        self.assertGreater(num_test_iterations, 0)
        expected = expected_output or ()
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            found = [self.evaluate(get_next()) for _ in expected]
            self._compareOutputToExpected(found, expected, assert_items_equal)
            for _ in range(2):  # the end stays the end
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(get_next())

    def _compareOutputToExpected(
        self, result_values: Any, expected_values: Any, assert_items_equal: bool
    ) -> None:
        if assert_items_equal:
            self.assertItemsEqual(result_values, expected_values)
            return
        for result, expected in zip(result_values, expected_values):
            nest.assert_same_structure(result, expected)
            for pair in zip(nest.flatten(expected), nest.flatten(result)):
                self.assertValuesEqual(*pair)

    def assertDatasetsEqual(self, dataset1: DatasetV2, dataset2: DatasetV2) -> None:
        """Fails if two datasets differ in the structure or in the values of elements."""
        specs = get_structure(dataset1), get_structure(dataset2)
        nest.assert_same_structure(*specs)
        for spec1, spec2 in zip(*map(nest.flatten, specs)):
            self.assertTrue(spec1.is_compatible_with(spec2))
        next1, next2 = self.getNext(dataset1), self.getNext(dataset2)
        while True:
            try:
                element = self.evaluate(next1())
            except errors.OutOfRangeError:
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(next2())
                return
            other = self.evaluate(next2())
            pairs = zip(nest.flatten(element), nest.flatten(other), strict=True)
            for value1, value2 in pairs:
                exact = (SparseTensorValue, RaggedTensor, RaggedTensorValue, bytes)
                if isinstance(value1, exact) or getattr(value1, "dtype", None) is np.dtype(object):
                    self.assertValuesEqual(value1, value2)
                else:
                    self.assertAllClose(value1, value2)

    def assertDatasetsRaiseSameError(
        self,
        dataset1: DatasetV2,
        dataset2: DatasetV2,
        exception_class: type[errors.OpError],
        replacements: Sequence[tuple[str, str, int]] | None = None,
    ) -> None:
        """Fails unless the first elements of two datasets raise the same error.

        Args:
          dataset1: a dataset.
          dataset2: another one.
          exception_class: the type of the error.
          replacements: arguments of `str.replace` for the message of the first one.
        """
        next1, next2 = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as raised:
            self.evaluate(next1())
        message = raised.exception.message
        for arguments in replacements or ():
            message = message.replace(*arguments)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(next2())

    def structuredDataset(
        self, dataset_structure: Any, shape: ShapeLike = None, dtype: DTypeLike = dtypes.int64
    ) -> DatasetV2:
        """Returns a dataset of one element of zeros, nested like tuples with None as leaves."""
        if dataset_structure is None:
            return DatasetV1.from_tensors(zeros([] if shape is None else shape, dtype))
        parts = (self.structuredDataset(part, shape, dtype) for part in dataset_structure)
        return DatasetV1.zip(tuple(parts))

    def structuredElement(
        self, element_structure: Any, shape: ShapeLike = None, dtype: DTypeLike = dtypes.int64
    ) -> Any:
        """Returns zeros, nested like tuples with None as leaves."""
        if element_structure is None:
            return zeros([] if shape is None else shape, dtype)
        return tuple(self.structuredElement(part, shape, dtype) for part in element_structure)
