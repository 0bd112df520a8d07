"""Makes array_values.json: results of tf.constant for many arguments in TensorFlow 1.15.

Run it with the Python of that TensorFlow: python tests/golden/make_array_values.py
"""

import base64
import json
import warnings
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")

# Arguments (values, dtype, shape, verify_shape) as Python text, for np and tf as names.
CASES = r"""
1 | 1.5 | True | 'abc' | b'abc' | '\xe9' | 1j | None | [] | [[]] | [[], []]
[1, 2.5] | [2.5, 1] | [1, True] | [True, 1] | [1.0, True] | [True, 1.0] | [1, 1j] | [1j, 1]
[True, 2.0, 'a'] | ['a', 1] | [1, 'a'] | [True, 'a'] | ['a', True]
[1, None] | [None] | [1.5, None] | ['a', None] | [[1, 2], None] | [None, 1]
[[1, 2], [3]] | [[1, 2], 3] | [3, [1, 2]] | [[], [1]] | [[1], []] | [[], 1] | [[['a']], ['b']]
[['a'], ['b', 'c']] | [['a', 'b'], 'cd'] | [b'a', '\xe9'] | [['a'], ['bcd']]
[[1, 2], [3, 'a']] | [[1, 2], [3.5, 4]] | [[1, 2], [3, 4, 5]] | [True, [False]]
2**31 | 2**31 - 1 | -2**31 | -2**31 - 1 | 2**63 | 2**64 | [1, 2**31] | [2**63] | [2**64, 2**64]
[2**63, 1.5] | [2**63, -1] | [2**64, 1.5] | [1, 2**63, 2**64]
2**31, tf.int64 | 2**31, tf.int32 | 300, tf.uint8 | -1, tf.uint8 | 256, tf.uint8 | 255, tf.uint8
[1, 300], tf.uint8 | -129, tf.int8 | 70000, tf.uint16 | 70000, tf.int16 | [2**40], tf.int32
2**63, tf.uint64 | 2**63, tf.int64 | -1, tf.uint64 | [-1, -2], tf.uint64 | -2**63 - 1, tf.int64
2**64, tf.int32 | 2**64, tf.float32 | 2**64, tf.complex128 | 1, tf.uint32 | 1, tf.uint64
1.5, tf.int32 | [1, 1.5], tf.int32 | 'a', tf.int32 | 'a', tf.float32 | ['a'], tf.float32
[1, 'a'], tf.float32 | [[1, 2], [2.5, 'a']], tf.int32 | [[1, 2], ['a', 2.5]], tf.int32
1, tf.float32 | True, tf.float32 | True, tf.int32 | 1, tf.bool | 1.0, tf.bool | 1, tf.string
[1, 'a'], tf.bool | [1.5, 2], tf.bool | [True, False], tf.bool | [[1], [2, 3]], tf.string
1, tf.complex64 | 1.0, tf.complex64 | True, tf.complex64 | 1j, tf.float32 | 1j, tf.complex128
1e40 | 1e40, tf.float32 | 1e40, tf.float64 | 1e40, tf.float16 | [1e40, 1] | [1e-50] | 1e309
float('nan') | [float('inf'), -0.0] | 0.1 | [0.1, 0.2], tf.float64 | 1e6, tf.float16
1.5, tf.bfloat16 | [0.1, 1e-3, 3.0], tf.bfloat16 | [0.1, 1e-3, 65520.0], tf.float16
None, tf.float32 | [None], tf.float32 | [[1, None]], tf.int32 | ['a', None], tf.string
np.float32(1) | np.float64(1) | np.int64(3) | np.int32(3) | np.uint8(3) | np.bool_(True)
np.complex64(1) | np.float16(1) | np.uint64(3) | np.str_('a') | np.bytes_(b'a')
[np.float64(1)] | [np.float64(1), 2.0] | [np.float32(1), 2.0] | [2.0, np.float64(1)]
[np.int64(1)] | [np.int64(1), 2] | [np.int64(1), 2.0] | [np.uint8(1)] | [np.uint8(1), 1.0]
[np.bool_(True)] | [np.bool_(True), 1] | [np.str_('a')] | [np.complex64(1)] | [np.float16(1)]
np.float64(1), tf.float32 | np.int64(1), tf.float32 | np.float32(1), tf.int32
[np.float64(1)], tf.float32 | [np.float32(1.5)], tf.int32 | [np.int64(1)], tf.int32
[np.bool_(True)], tf.bool | [np.bool_(True)], tf.int32 | [np.str_('a')], tf.string
np.array([1, 2]) | np.array([1., 2.]) | np.array([1., 2.]), tf.float32 | np.array([1.5]), tf.int32
np.array([1, 2]), tf.float32 | np.array([1, 2]), tf.string | np.array(1.5) | np.zeros((0, 3), 'f')
np.array(['a', 'b']) | np.array([b'a', 'b']) | np.array(['a', 'b'], object) | np.array(['\xe9'])
np.array(['a', 1], object) | np.array([1, 2], object) | np.array([None]) | np.array([b'\xff'])
np.array([1, 2], object), tf.int32 | np.array([None]), tf.float32 | np.array([b'ab', 'c'], object)
np.array([True]), tf.float32 | np.array([1.0]), tf.bool | np.array([300]), tf.uint8
np.array([1e300]), tf.float32 | np.arange(6.).reshape(2, 3).T | np.arange(6)[::2]
np.array([1, 2], np.uint32) | np.array([1, 2], np.uint64) | np.array([1, 2], np.uint16)
np.array([1, 2], 'datetime64[s]') | np.array([1, 2], 'f').astype('>f4'), tf.float32
np.ma.array([1, 2], mask=[0, 1]) | [np.array(1.0), np.array(2.0)] | [np.array('a')]
[np.zeros(3, 'f'), np.ones(3, 'f')] | [np.zeros(3), [1, 2, 3]] | [np.zeros(3), np.zeros(2)]
[np.zeros(3)], tf.float32 | [np.array(1.5)], tf.float32 | [np.array([1])], tf.int32
(1, 2) | ((1, 2), (3, 4)) | [(1, 2), [3, 4]] | (), tf.int32 | [()], tf.float32
{1, 2} | {'a': 1} | [{}] | Ellipsis | [Ellipsis] | int | {1, 2}, tf.int32
tf.float32 | [tf.float32] | [tf.float32], tf.int32
tf.TensorShape([1, 2]) | tf.TensorShape([None, 2]) | [tf.TensorShape([1, 2])]
tf.TensorShape([1]), tf.int32 | tf.Dimension(3) | [tf.Dimension(3), 1] | tf.Dimension(None)
tf.Dimension(3), tf.int64 | [tf.Dimension(3), 2], tf.int32 | [tf.Dimension(3)], tf.float32
Decimal('1.5') | Decimal('1.5'), tf.float32 | Fraction(1, 2) | [Fraction(1, 2)], tf.float64
Fraction(1, 2), tf.int32 | Color.RED | [Color.RED], tf.float32 | [Color.RED], tf.bool
ArrayLike() | ArrayLike(), tf.float32 | HasFloat() | HasFloat(), tf.float32
memoryview(b'abc') | bytearray(b'abc') | bytearray(b'abc'), tf.float32 | [bytearray(b'ab')]
5, tf.float32, [2, 3] | 5, None, [2, 3] | [5], None, [2, 3] | [1, 2], None, [2, 3]
[1, 2, 3, 4, 5, 6], None, [2, 3] | [[1, 2, 3], [4, 5, 6]], None, [3, 2] | 5, None, (2,)
[1, 2, 3, 4, 5, 6, 7], None, [2, 3] | [5, 6], None, [] | [5], None, [] | 5, None, []
[1, 2, 3], None, [3, 0] | [], None, [0] | [], tf.float32, [0, 2] | [], None, [2] | 5, None, [0]
[], tf.float32, [2] | [[]], None, [3] | [], None, [] | 'a', None, [0, 3] | None, tf.float32, [0]
'a', tf.float32, [0] | 5, None, tf.TensorShape([2]) | 5, None, [tf.Dimension(2), 2] | 5, None, 3
5, None, np.array([2, 2]) | 5, None, [2.7] | 5, None, [-1] | [1], None, [2, -1]
5, None, [2], True | [5, 5], None, [2], True | [1, 2], None, [3], True | [[5]], None, [1], True
'a', None, [2] | ['a', 'b'], None, [3] | 'ab', None, [2, 2] | [['a'], ['b']], None, [5]
True, None, [3] | [True, False], None, [5] | 1.5, tf.float16, [3] | [[1.5, 2]], tf.float16, [5]
[[1.5, 2j]], None, [5] | [1.5, 2], tf.bfloat16, [3] | 5, None, [100, 100]
np.ones((2, 2)), None, [3] | np.ones((2, 2)), None, [4] | np.ones((2, 2)), None, [5]
np.ones((2, 2)), None, [3], True | np.float32(3), None, [5] | np.array([], 'f'), None, [3]
1, 'float32' | 1, np.float32 | 1, float | 1, int | 1, 1 | 1, 'foo' | 1, object | 'a', str
True, bool | [1, 2], 'float32_ref' | 1, 'double' | 'a', np.str_
1, tf.resource | 'a', tf.resource | [1, 2], tf.variant | np.array([1]), tf.resource
1, tf.qint8 | (1,), tf.qint8 | [(1,)], tf.qint8 | [(1,), (2,)], tf.qint32 | [1, 2], tf.qint8
[[(1,)], [(2,)]], tf.qint8 | (1, 2), tf.qint8 | [(1,), 2], tf.qint8 | [[1, 2]], tf.qint8
[], tf.qint8 | [[]], tf.qint8 | ('a',), tf.qint8 | (1.5,), tf.qint8 | (300,), tf.qint8
(5,), tf.qint8, [3] | np.array([1], np.int8), tf.qint8 | np.array([1, 2]), tf.quint16
np.array([(1,)], tf.qint8.as_numpy_dtype) | 3.5, tf.quint8 | [(7,), (8,)], tf.qint16
'a\0' | b'a\0' | ['a\0', 'b'] | np.array(['a\0', 'b']) | '\ud800' | '' | ['', 'a']
[1, 2], tf.int8 | [1, 2], tf.int16 | [1, 2], tf.int64 | [1, 2], tf.uint16 | [1, 2], tf.uint32
[1, 2], tf.float64 | [1, 2], tf.complex64 | [1, 2j], tf.complex128 | [[1], [2]], tf.float32
"""


class Color(IntEnum):
    RED = 1


class ArrayLike:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0], dtype)

    def __repr__(self):
        return "ArrayLike()"


class HasFloat:
    def __float__(self):
        return 3.0

    def __repr__(self):
        return "HasFloat()"


NAMES = {
    "np": np,
    "tf": tf,
    "Decimal": Decimal,
    "Fraction": Fraction,
    "Color": Color,
    "ArrayLike": ArrayLike,
    "HasFloat": HasFloat,
}


def case_texts():
    return [text.strip() for line in CASES.strip().splitlines() for text in line.split(" | ")]


def outcome(text):
    arguments = eval(f"({text},)", dict(NAMES))
    try:
        proto = tf.make_tensor_proto(*arguments)
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}
    data = proto.SerializeToString(deterministic=True)
    return {"dtype": tf.DType(proto.dtype).name, "proto": base64.b64encode(data).decode()}


def main():
    results = [[text, outcome(text)] for text in case_texts()]
    lines = ",\n".join(json.dumps(result, sort_keys=True) for result in results)
    path = Path(__file__).resolve().parent / "array_values.json"
    path.write_text(f"[\n{lines}\n]\n")
    print(len(results), "cases")


if __name__ == "__main__":
    main()
