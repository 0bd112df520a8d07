"""Assertions on the lines of the debugger, for tests of programs that extend it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

# What stands around the numbers in the text of an array.
_SEPARATORS = re.compile(r"[\s,|\[\]()]+")


def assert_lines_equal_ignoring_whitespace(
    test: Any, expected_lines: Iterable[str], actual_lines: Iterable[str]
) -> None:
    """Asserts that lines are equal but for their whitespace.

    Args:
        test: a unittest.TestCase.
        expected_lines: the expected lines.
        actual_lines: the lines of the debugger.

    Raises:
        AssertionError: if they differ.
    """
    expected, actual = list(expected_lines), list(actual_lines)
    test.assertEqual(
        len(expected),
        len(actual),
        f"Mismatch in the number of lines: {len(expected)} vs {len(actual)}",
    )
    for one, other in zip(expected, actual):
        test.assertEqual("".join(one.split()), "".join(other.split()))


def assert_array_lines_close(test: Any, expected_array: Any, array_lines: Sequence[str]) -> None:
    """Asserts that the numbers in the text of an array are close to those of another one.

    Args:
        test: a tf.test.TestCase.
        expected_array: an array; its shape does not count.
        array_lines: the text, such as "array([[1.0, 2.0], [3.0, 4.0]])".

    Raises:
        AssertionError: if they differ.
        ValueError: if the text has something else.
    """
    words = _SEPARATORS.split(" ".join(array_lines))
    numbers = [float(word) for word in words if word and word != "array"]
    test.assertAllClose(np.asarray(expected_array).ravel(), numbers)
