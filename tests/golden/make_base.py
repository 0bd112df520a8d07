"""Writes base.json: TensorFlow 1.15's results for dtypes, shapes and nested structures.

Run it with the Python of a TensorFlow 1.15 installation.
"""

from __future__ import annotations

import collections
import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import dtypes
from tensorflow.python.framework import tensor_shape as ts
from tensorflow.python.util import nest

EXPRESSIONS = {
    "dtype": """
        as_dtype('float')
        as_dtype('double')
        as_dtype('float32_ref')
        as_dtype('half_ref')
        as_dtype('qint8')
        as_dtype('resource')
        as_dtype('str')
        as_dtype('int')
        as_dtype('f4')
        as_dtype('')
        as_dtype(0)
        as_dtype(24)
        as_dtype(100)
        as_dtype(101)
        as_dtype(123)
        as_dtype(124)
        as_dtype(1.5)
        as_dtype(None)
        as_dtype([1])
        as_dtype(float)
        as_dtype(int)
        as_dtype(bool)
        as_dtype(str)
        as_dtype(bytes)
        as_dtype(complex)
        as_dtype(object)
        as_dtype(list)
        as_dtype(np.float32)
        as_dtype(np.longlong)
        as_dtype(np.ulonglong)
        as_dtype(np.intc)
        as_dtype(np.bool_)
        as_dtype(np.str_)
        as_dtype(np.bytes_)
        as_dtype(np.object_)
        as_dtype(np.dtype('float64'))
        as_dtype(np.dtype('S5'))
        as_dtype(np.dtype('U3'))
        as_dtype(np.dtype('>i4'))
        as_dtype(np.dtype([('qint8', 'i1')]))
        as_dtype(np.dtype([('a', 'i1')]))
        as_dtype(np.dtype('V3'))
        as_dtype('float32') == 'float32'
        as_dtype('float32') == np.float32
        as_dtype('float32') == float
        as_dtype('float32') == 1
        as_dtype('float32') == None
        as_dtype('float32') != None
        as_dtype('float32') == 'foo'
        as_dtype('float32') != 'foo'
        as_dtype('float32') == [1]
        as_dtype('float32') == as_dtype('float32_ref')
        as_dtype('float32').is_compatible_with('float32_ref')
        as_dtype('float32_ref').is_compatible_with('float32')
        as_dtype('float32').is_compatible_with('int32')
        as_dtype('float32').is_compatible_with('x')
        as_dtype('float32')._as_ref
        as_dtype('float32')._is_ref_dtype
        as_dtype('float32_ref')._is_ref_dtype
        as_dtype('complex64_ref').real_dtype
        DType(1)
        DType(0)
        DType(300)
        sorted(QUANTIZED_DTYPES, key=str)
    """,
    "dimension": """
        D(3)
        D(None)
        D(-1)
        D(2.5)
        D('3')
        D('x')
        D(D(4))
        D(np.int64(3))
        D(np.float32(3.0))
        D(True)
        str(D(None))
        D(3) == 3
        D(3) == D(None)
        D(None) == None
        D(3) != D(None)
        D(3) == 'x'
        D(3) != 'x'
        D(3) == [1]
        D(3).value
        int(D(3))
        hash(D(3))
        bool(D(0))
        D(3) + D(None)
        D(3) + 2
        2 + D(3)
        D(3) + None
        None + D(3)
        D(3) - 5
        5 - D(3)
        5 - D(None)
        D(3) * 2
        2 * D(3)
        D(3) // 2
        7 // D(2)
        D(7) // D(None)
        D(7) / 2
        7 / D(2)
        D(7).__div__(2)
        D(7) % 3
        7 % D(4)
        D(7) < 8
        D(7) < D(None)
        8 > D(7)
        D(7) <= 7
        D(7) > 7
        D(7) >= None
        D(7) < 'x'
        D(3) + 'x'
        D(3) + 2.5
        D(3).merge_with(4)
        D(3).merge_with(None)
        D(None).merge_with(4)
        D(3).assert_is_compatible_with(4)
        D(3).is_compatible_with(None)
        D(3).is_compatible_with(4)
        range(D(3))
        [1, 2, 3][D(1)]
        np.zeros(D(3)).shape
        ts.as_dimension(3)
        ts.dimension_value(D(3))
        ts.dimension_value(3)
        ts.dimension_at_index(S([1, 2]), 1)
        ts.dimension_at_index(S(None), 1)
    """,
    "shape": """
        S(None)
        S([])
        S(3)
        S([None, 3])
        S((1, D(2), None))
        S(S([1, 2]))
        S(D(3))
        S(np.array([1, 2]))
        S(np.int32(3))
        S('ab')
        S([1, -1])
        S(-1)
        S([1.5])
        S([2.0])
        S(range(2))
        S(x for x in [1, 2])
        S(None).ndims
        S([1, 2]).rank
        S([1, 2]).dims
        S(None).dims
        S([1, None]).as_list()
        S(None).as_list()
        len(S([1, 2]))
        len(S(None))
        bool(S(None))
        bool(S([]))
        list(S([1, 2]))
        list(S(None))
        list(reversed(S([1, 2])))
        1 in S([1, 2])
        S([1, 2])[0]
        S([1, 2])[5]
        S([1, 2, 3])[-1]
        S([1, 2, 3])[1:]
        S([1, 2, 3])[::2]
        S(None)[0]
        S(None)[0:2]
        S(None)[1:]
        S(None)[:3]
        S(None)[-1:]
        S(None)[:-1]
        S(None)[2:1]
        S(None)[0:5:2]
        S([1, None]).merge_with([None, 2])
        S([1, None]).merge_with([2, 2])
        S([1, None]).merge_with([1])
        S([1, None]).merge_with(None)
        S(None).merge_with([1])
        S([1]).concatenate([2])
        S([1]).concatenate(None)
        S(None).concatenate([1])
        S([1]) + [2]
        [2] + S([1])
        S([1, 2]).with_rank(2)
        S([1, 2]).with_rank(3)
        S([1, 2]).with_rank(D(2))
        S(None).with_rank(3)
        S(None).with_rank_at_least(3)
        S([1]).with_rank_at_least(3)
        S([1, 2]).with_rank_at_most(1)
        S(None).with_rank_at_most(1)
        S([1]).assert_same_rank([1, 2])
        S([1]).assert_same_rank(None)
        S([1]).assert_has_rank(2)
        S(None).assert_has_rank(2)
        S([1]).assert_is_compatible_with([2])
        S([1]).is_compatible_with([None])
        S([1]).is_compatible_with([1, 2])
        S([None]).assert_is_fully_defined()
        S(None).assert_is_fully_defined()
        S([2, 3]).num_elements()
        S([2, None]).num_elements()
        S([]).num_elements()
        S(None).num_elements()
        S([2]).is_fully_defined()
        S([None]).is_fully_defined()
        S(None).is_fully_defined()
        S([1, None]).most_specific_compatible_shape([2, 3])
        S([1, 2]).most_specific_compatible_shape([1, 5])
        S([1, 2]).most_specific_compatible_shape([1])
        S([1, None]) == S([1, None])
        S([1, None]) == S([1, 3])
        S([1, None]) != S([1, 3])
        S([1]) == [1]
        S([1]) == (1,)
        S([1]) == 1
        S([1]) == None
        S(None) == None
        S(None) == S(None)
        S([1]) == 'x'
        S([1]) != 'x'
        S([1]) != [1]
        S([1]) != [2]
        S(None) != S(None)
        S([None]) != S([None])
        S([None]) != S(None)
        hash(S([1]))
        str(S([2]))
        str(S([2, None]))
        str(S([]))
        str(S(None))
        np.zeros(S([1, 2])).shape
        ts.unknown_shape()
        ts.unknown_shape(3)
        ts.unknown_shape(rank=2)
        ts.scalar()
        ts.vector(3)
        ts.matrix(3, None)
    """,
    "nest": """
        nest.flatten(1)
        nest.flatten(None)
        nest.flatten('abc')
        nest.flatten([])
        nest.flatten([1, [2, (3, 4)], {'b': 5, 'a': 6}])
        nest.flatten(P(1, [2]))
        nest.flatten(A(1, [2]))
        nest.flatten({2: 1, 'a': 2})
        nest.flatten(O([('b', 1), ('a', 2)]))
        nest.flatten([{3}])
        nest.flatten(range(3))
        nest.flatten({'a': 1}.values())
        nest.is_sequence([1])
        nest.is_sequence('a')
        nest.is_sequence({1})
        nest.is_sequence({})
        nest.is_sequence(np.zeros(3))
        nest.is_sequence({}.keys())
        nest.is_sequence(A(1, 2))
        nest.pack_sequence_as([1, [2]], [3, 4])
        nest.pack_sequence_as([1, [2]], [3])
        nest.pack_sequence_as([1, [2]], [3, 4, 5])
        nest.pack_sequence_as([], [1])
        nest.pack_sequence_as(1, [3])
        nest.pack_sequence_as(1, [3, 4])
        nest.pack_sequence_as(1, 3)
        nest.pack_sequence_as([1, 2], 'ab')
        nest.pack_sequence_as(P(1, [2]), [5, 6])
        nest.pack_sequence_as(A(1, [2]), [5, 6])
        nest.pack_sequence_as({'b': 1, 'a': 2}, [5, 6])
        nest.pack_sequence_as(O([('b', 1), ('a', 2)]), [5, 6])['b']
        nest.pack_sequence_as(collections.defaultdict(int, {'a': 1}), [3])
        nest.pack_sequence_as(range(2), [5, 6])
        nest.pack_sequence_as({1: 2}.values(), [5])
        nest.map_structure(lambda x: x + 1, [1, (2, {'a': 3})])
        nest.map_structure(lambda x, y: x + y, [1, 2], (3, 4))
        nest.map_structure(lambda x, y: x + y, [1, 2], (3, 4), check_types=False)
        nest.map_structure(lambda x, y: x + y, [1, 2], [3])
        nest.map_structure(1, [1])
        nest.map_structure(lambda x: x)
        nest.map_structure(lambda x: x, [1], foo=1)
        nest.assert_same_structure([1], [2])
        nest.assert_same_structure([1], [2, 3])
        nest.assert_same_structure(1, [2])
        nest.assert_same_structure([1], 2)
        nest.assert_same_structure([1], (1,))
        nest.assert_same_structure([1], (1,), check_types=False)
        nest.assert_same_structure(P(1, 2), P2(1, 2))
        nest.assert_same_structure(P(1, 2), Q(1, 2))
        nest.assert_same_structure(P(1, 2), (1, 2))
        nest.assert_same_structure({'a': 1}, {'b': 1})
        nest.assert_same_structure({'a': 1}, {'b': 1}, check_types=False)
        nest.assert_same_structure({'a': 1}, O(a=1))
        nest.assert_same_structure({'a': 1}, [1])
        nest.assert_same_structure([[1], 2], [1, [2]])
        nest.assert_same_structure([1, [2]], [1, (2,)])
        nest.flatten_up_to([1, 2], [[3], [4, 5]])
        nest.flatten_up_to(1, [2, 3])
        nest.flatten_up_to([1], [2, 3])
        nest.flatten_up_to([1], 2)
        nest.flatten_up_to([1, 2], (3, 4))
        nest.flatten_up_to([1, 2], (3, 4), check_types=False)
        nest.flatten_up_to({'a': 1}, {'b': 2})
        nest.flatten_up_to({'a': 1, 'b': 2}, {'b': [3], 'a': (4,)})
        nest.flatten_up_to(P(1, 2), P2(3, [4]))
        nest.assert_shallow_structure([[1]], [1])
        nest.assert_shallow_structure({'a': 1}, {'a': 1, 'b': 2})
        nest.map_structure_up_to([1, 2], len, [[3], [4, 5]])
        nest.map_structure_up_to([1, 2], lambda x, y: (x, y), [[3], [4, 5]], [6, [7]])
        nest.map_structure_up_to([1], len)
        list(nest.yield_flat_paths({'a': [1, {'c': 2}], 'b': P(3, 4)}))
        list(nest.yield_flat_paths(1))
        nest.flatten_with_joined_string_paths({'a': [1, {'c': 2}], 'b': P(3, 4)})
        nest.flatten_with_joined_string_paths({'a': [1]}, separator='.')
        nest.flatten_with_tuple_paths({'a': [1, {'c': 2}], 'b': A(3, 4)})
        nest.flatten_with_tuple_paths_up_to([1], [[1, 2]])
        nest.map_structure_with_paths(lambda p, x: (p, x), {'a': [1, 2]})
        nest.map_structure_with_tuple_paths(lambda p, x: (p, x), {'a': [1, 2]})
        nest.flatten_dict_items({(4, 5, (6, 8)): ('a', 'b', ('c', 'd'))})
        nest.flatten_dict_items({1: 2})
        nest.flatten_dict_items({(1, 2): (3,)})
        nest.flatten_dict_items({(1, 1): (3, 4)})
        nest.flatten_dict_items([1])
        nest.get_traverse_shallow_structure(lambda s: isinstance(s, list), [(1, [2]), 3])
        nest.get_traverse_shallow_structure(lambda s: isinstance(s, (list, tuple)), [(1, [2]), 3])
        nest.get_traverse_shallow_structure(lambda s: 1, [(1, [2]), 3])
        nest.get_traverse_shallow_structure(lambda s: [1, 2], [(1, [2]), [3]])
        nest.get_traverse_shallow_structure(lambda s: [True], 3)
    """,
}

PROPERTIES = (
    "name base_dtype real_dtype _is_ref_dtype is_numpy_compatible is_bool is_integer is_floating "
    "is_complex is_quantized is_unsigned size limits"
).split()


class A:
    """Looks to nest like an attrs class with the fields x and y."""

    __attrs_attrs__ = (
        collections.namedtuple("Field", "name")("x"),
        collections.namedtuple("Field", "name")("y"),
    )

    def __init__(self, x: object, y: object) -> None:
        self.x, self.y = x, y

    def __repr__(self) -> str:
        return f"A({self.x!r}, {self.y!r})"


def evaluate(expression: str, names: dict) -> list:
    try:
        return ["value", repr(eval(expression, names))]
    except KeyError:
        # Its text is the repr of a NumPy type, which differs between NumPy's versions.
        return ["KeyError", ""]
    except Exception as error:
        return [type(error).__name__, str(error)]


def main() -> None:
    names = {
        "A": A,
        "D": ts.Dimension,
        "DType": tf.DType,
        "O": collections.OrderedDict,
        "P": collections.namedtuple("P", "a b"),
        "P2": collections.namedtuple("P", "a b"),
        "Q": collections.namedtuple("Q", "a b"),
        "QUANTIZED_DTYPES": dtypes.QUANTIZED_DTYPES,
        "S": ts.TensorShape,
        "as_dtype": tf.as_dtype,
        "collections": collections,
        "nest": nest,
        "np": np,
        "ts": ts,
    }
    golden = {
        subject: [
            [line.strip()] + evaluate(line.strip(), names) for line in text.strip().splitlines()
        ]
        for subject, text in EXPRESSIONS.items()
    }
    golden["dtype_properties"] = [
        [
            enum,
            {name: evaluate("dtype." + name, {"dtype": tf.as_dtype(enum)}) for name in PROPERTIES},
        ]
        for enum in [*range(1, 24), *range(101, 120), 122, 123]
    ]
    # One case per line.
    subjects = [
        json.dumps(subject)
        + ": [\n  "
        + ",\n  ".join(json.dumps(case, sort_keys=True) for case in cases)
        + "\n ]"
        for subject, cases in sorted(golden.items())
    ]
    path = Path(__file__).with_name("base.json")
    path.write_text("{\n " + ",\n ".join(subjects) + "\n}\n")


if __name__ == "__main__":
    main()
