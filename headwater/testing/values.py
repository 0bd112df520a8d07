"""Assertions about arrays, tensors and structures of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.graph import IndexedSlices, SparseTensor, Tensor
from headwater.model.ragged.conversion import is_ragged
from headwater.model.ragged.tensor import RaggedTensor
from headwater.testing.sessions import SessionTestCase

# Larger arrays are left out of messages.
_SHOWN_RANK, _SHOWN_SIZE = 3, 500
_SHOWN_PLACES = 10

_SYMBOLIC = (Tensor, SparseTensor, IndexedSlices)


def _lines_of_places(places: np.ndarray, values: np.ndarray) -> list[str]:
    """Lines like `  [0, 2] : 5.0` for the first few places."""
    lines = [
        f"  {list(map(int, place))!s} : {values[tuple(place)]}" for place in places[:_SHOWN_PLACES]
    ]
    return lines + ["  ..."] * (len(places) > _SHOWN_PLACES)


def _as_comparable(array: np.ndarray) -> np.ndarray:
    """Casts 8-bit and 16-bit floats that NumPy lacks to float32."""
    return array.astype(np.float32) if array.dtype == dtypes.bfloat16.as_numpy_dtype else array


class ValueTestCase(SessionTestCase):
    """A test case with assertions about arrays; tensors are computed first."""

    def _GetNdArray(self, a: Any) -> np.ndarray:
        is_list = isinstance(a, list | tuple) and any(isinstance(item, Tensor) for item in a)
        if is_list or isinstance(a, _SYMBOLIC) or hasattr(a, "_as_graph_element"):
            a = self.evaluate(a)
        if isinstance(a, np.ndarray):
            return a
        try:
            return np.array(a)
        except ValueError:  # arrays of different shapes
            return np.array(a, dtype=object)

    def _assert_same_shape(self, a: np.ndarray, b: np.ndarray, contents: str) -> None:
        text = f"Shape mismatch: expected {a.shape}, got {b.shape}"
        if b.ndim <= _SHOWN_RANK or b.size < _SHOWN_SIZE:
            text += contents.format(b)
        self.assertEqual(a.shape, b.shape, text)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        """Asserts that two numbers differ by at most `err`."""
        note = "" if msg is None else f" ({msg})"
        # NumPy no longer takes arrays of one element as numbers.
        f1, f2 = (f.item() if isinstance(f, np.ndarray) and f.size == 1 else f for f in (f1, f2))
        self.assertTrue(
            f1 == f2 or math.fabs(f1 - f2) <= err, f"{f1:f} != {f2:f} +/- {err:f}{note}"
        )

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Asserts that two lists of numbers differ by at most `err` in each place."""
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def _NDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float) -> bool:
        return bool(np.linalg.norm(ndarray1 - ndarray2) < err)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """Asserts that the norm of the difference of two arrays is below `err`."""
        self.assertTrue(self._NDArrayNear(ndarray1, ndarray2, err), msg=msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Asserts |a - b| <= atol + rtol * |b| for arrays and structures of them.

        Args:
          a: an array, a tensor, or a nested dict, list or tuple of them.
          b: the same structure.
          rtol: relative tolerance.
          atol: absolute tolerance.
          msg: put into the text of the error.

        Raises:
          AssertionError: if values, shapes or structures differ.
          ValueError: if only one of them is a dictionary.
        """
        if is_ragged(a) or is_ragged(b):
            rows = self._GetPyList(a), self._GetPyList(b)
            self._assertAllCloseRecursive(*rows, rtol=rtol, atol=atol, msg=msg)
            self._assert_same_ragged_rank(a, b, msg)
            return
        self._assertAllCloseRecursive(a, b, rtol=rtol, atol=atol, msg=msg)

    def _GetPyList(self, a: Any) -> Any:
        """An array, tensor or ragged tensor as nested lists."""
        if isinstance(a, list | tuple):
            return [self._GetPyList(x) for x in a]
        if is_ragged(a):
            value = self.evaluate(a) if isinstance(a, RaggedTensor) else a
            return value.to_list()
        return self._GetNdArray(a).tolist()

    def _assert_same_ragged_rank(self, a: Any, b: Any, msg: Any) -> None:
        if not isinstance(a, list | tuple) and not isinstance(b, list | tuple):
            first, second = (x.ragged_rank if is_ragged(x) else 0 for x in (a, b))
            self.assertEqual(first, second, msg)

    def _assertAllCloseRecursive(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        path: tuple[Any, ...] = (),
        msg: Any = None,
    ) -> None:
        place = "".join(f"[{part}]" for part in path)
        note = msg or ""
        # Named tuples are compared by name.
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, Mapping) is not isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{place} vs b{place}. {note}")
        if isinstance(a, Mapping):
            self.assertItemsEqual(
                a.keys(),
                b.keys(),
                msg=f"mismatched keys: a{place} has keys {a.keys()}, but b{place} has keys "
                f"{b.keys()}. {note}",
            )
            for key in a:
                self._assertAllCloseRecursive(a[key], b[key], rtol, atol, (*path, key), msg)
        elif isinstance(a, list | tuple):
            try:
                arrays = self._GetNdArray(a), self._GetNdArray(b)
                nested = any(array.dtype == object for array in arrays)
            except (TypeError, ValueError):
                nested = True
            if not nested:
                self._assertArrayLikeAllClose(
                    *arrays,
                    rtol,
                    atol,
                    msg=f"Mismatched value: a{place} is different from b{place}. {note}",
                )
                return
            self.assertEqual(
                len(a),
                len(b),
                f"Mismatched length: a{place} has {len(a)} items, but b{place} has {len(b)} "
                f"items. {note}",
            )
            for index, (part_of_a, part_of_b) in enumerate(zip(a, b)):
                self._assertAllCloseRecursive(part_of_a, part_of_b, rtol, atol, (*path, index), msg)
        else:
            text = f"Mismatched value: a{place} is different from b{place}. {note}"
            try:
                self._assertArrayLikeAllClose(a, b, rtol, atol, msg=text)
            except TypeError as error:
                raise TypeError(
                    f"{error} : Error: a{place} has {type(a)}, but b{place} has {type(b)}. {note}"
                ) from error

    def _assertArrayLikeAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        a, b = _as_comparable(self._GetNdArray(a)), _as_comparable(self._GetNdArray(b))
        self._assert_same_shape(a, b, " with contents {}.")
        if np.allclose(a, b, rtol=rtol, atol=atol):
            return
        far = ~np.isclose(a, b, rtol=rtol, atol=atol)
        lines = [str(msg)] if msg is not None else []
        if a.ndim:
            x, y = a[far], b[far]
            lines.append(f"not close where = {np.where(far)}")
        else:
            x, y = a, b
        with np.errstate(all="ignore"):
            lines += [
                f"not close lhs = {x}",
                f"not close rhs = {y}",
                f"not close dif = {np.abs(x - y)}",
                f"not close tol = {atol + rtol * np.abs(y)}",
                f"dtype = {a.dtype}, shape = {a.shape}",
            ]
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True
        )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """`assertAllClose` with the tolerances of the less precise of two types.

        Args:
          a: an array or a tensor.
          b: an array or a tensor.
          rtol: relative tolerance of float64 and complex128.
          atol: absolute tolerance of float64 and complex128.
          float_rtol: relative tolerance of float32 and complex64.
          float_atol: absolute tolerance of float32 and complex64.
          half_rtol: relative tolerance of float16.
          half_atol: absolute tolerance of float16.
          bfloat16_rtol: relative tolerance of bfloat16.
          bfloat16_atol: absolute tolerance of bfloat16.
          msg: put into the text of the error.

        Raises:
          AssertionError: if values or shapes differ.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        types = {a.dtype, b.dtype}
        for kinds, relative, absolute in (
            ((np.float32, np.complex64), float_rtol, float_atol),
            ((np.float16,), half_rtol, half_atol),
            ((dtypes.bfloat16.as_numpy_dtype,), bfloat16_rtol, bfloat16_atol),
        ):
            if types & {np.dtype(kind) for kind in kinds}:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        """Asserts that `assertAllClose(a, b, **kwargs)` does not hold."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Asserts that two arrays have the same shape and elements; NaN is equal to NaN.

        Ragged tensors must have the same rows and ragged ranks.

        Args:
          a: an array, a tensor, or what an array is made of.
          b: likewise.
          msg: put into the text of the error.

        Raises:
          AssertionError: if they differ.
        """
        if is_ragged(a) or is_ragged(b):
            self.assertEqual(self._GetPyList(a), self._GetPyList(b), msg)
            self._assert_same_ragged_rank(a, b, msg)
            return
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        self._assert_same_shape(a, b, f". Contents: {{}}. \n{'' if msg is None else msg}.")
        same = np.asarray(a == b)
        if all(array.dtype.kind in "fcV" for array in (a, b)):
            x, y = _as_comparable(a), _as_comparable(b)
            if "V" not in x.dtype.kind + y.dtype.kind:
                same = np.logical_or(same, np.logical_and(np.isnan(x), np.isnan(y)))
        if same.all():
            return
        lines = [] if msg is None else [str(msg)]
        if a.ndim:
            x, y = a[~same], b[~same]
            lines.append(f"not equal where = {np.where(~same)}")
        else:
            x, y = a, b
        lines += [f"not equal lhs = {x}", f"not equal rhs = {y}"]
        np.testing.assert_array_equal(a, b, err_msg="\n".join(lines))

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Asserts that `assertAllEqual(a, b)` does not hold."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        note = "" if msg is None else f" {msg}"
        raise AssertionError(f"The two values are equal at all elements{note}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are greater than a number."""
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are less than a number."""
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are at least a number."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Asserts that all elements are at most a number."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Asserts that all elements are among those of a list or set."""
        unexpected = np.setdiff1d(self._GetNdArray(target), list(expected_set))
        if unexpected.size:
            raise AssertionError(
                f"{unexpected.size} unique element(s) are not in the set {expected_set}: "
                f"{unexpected}"
            )

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Asserts that all elements lie between two bounds.

        Args:
          target: an array or a tensor.
          lower_bound: the lower bound.
          upper_bound: the upper bound.
          open_lower_bound: whether the lower bound itself is excluded.
          open_upper_bound: whether the upper bound itself is excluded.

        Raises:
          AssertionError: if an element is outside, or if the elements have no order.
        """
        values = self._GetNdArray(target)
        comparable = _as_comparable(values)
        if comparable.dtype.kind not in "fiu":
            raise AssertionError(
                f"The value of {values} does not have an ordered numeric type, instead it has "
                f"type: {values.dtype}"
            )
        below = comparable <= lower_bound if open_lower_bound else comparable < lower_bound
        above = comparable >= upper_bound if open_upper_bound else comparable > upper_bound
        wrong = below | above | np.isnan(comparable)
        outside = np.argwhere(wrong)
        if outside.size or wrong.any():
            bounds = (
                f"{'(' if open_lower_bound else '['}{lower_bound}, "
                f"{upper_bound}{')' if open_upper_bound else ']'}"
            )
            lines = _lines_of_places(outside, values)
            raise AssertionError(
                f"{len(outside)} of the {values.size} element(s) are outside the range {bounds}. "
                "Subscript(s) and value(s) of the offending elements:\n" + "\n".join(lines)
            )

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        """Asserts that a tensor has the static shape of an array.

        Args:
          np_array: an array or a NumPy scalar.
          tf_tensor: a tensor.
          msg: put into the text of the error.

        Raises:
          TypeError: if an argument is of a wrong kind.
          AssertionError: if the shapes differ.
        """
        if not isinstance(np_array, np.ndarray | np.generic):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not isinstance(tf_tensor, Tensor):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Asserts that an array has a NumPy type."""
        target = self._GetNdArray(target)
        if not isinstance(target, list):
            self.assertEqual(target.dtype, expected_dtype)
