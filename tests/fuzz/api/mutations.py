"""Calls with bad arguments, made from valid ones."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

# Values that a caller may pass by mistake, as source text.
VALUES = [
    "None",
    "True",
    "''",
    "'a'",
    "'no such thing'",
    "'\\ud800'",
    "b'\\xff\\xfe\\x00'",
    "0",
    "-1",
    "1",
    "7",
    "-2147483649",
    "2**31",
    "2**63",
    "2**70",
    "-2**70",
    "10**400",
    "0.0",
    "-0.5",
    "1e308",
    "float('nan')",
    "float('inf')",
    "float('-inf')",
    "1j",
    "[]",
    "()",
    "{}",
    "set()",
    "[[]]",
    "[[], [1]]",
    "[[1, 2], [3]]",
    "[None]",
    "[None, None]",
    "[0]",
    "[-1]",
    "[0, 0, 0, 0, 0]",
    "[2**70]",
    "[2**40, 2**40]",
    "[float('nan')]",
    "['a', 1]",
    "['a', b'\\xff']",
    "[1, 2.5, 'a']",
    "{'a': 1}",
    "{1: 2, 'a': None}",
    "{'\\ud800': 1}",
    "itself()",
    "itself_as_dict()",
    "deep()",
    "odd()",
    "odd",
    "raising",
    "function(0)",
    "function(1)",
    "function(7)",
    "iter([1, 2])",
    "range(3)",
    "slice(None)",
    "Ellipsis",
    "np.zeros((0,), np.float32)",
    "np.zeros((2, 0, 3), np.float32)",
    "np.zeros((), np.int32)",
    "np.float32(1.5)",
    "np.array([2**62, -2**62])",
    "np.array([np.nan, np.inf], np.float32)",
    "np.array(['a', 'b'])",
    "np.array([b'\\xff', None], object)",
    "np.array([{}, []], object)",
    "np.array([(1, 2)], [('a', 'i4'), ('b', 'f4')])",
    "np.array(['2001-01-01'], 'M8[D]')",
    "np.ones((1, 1, 1, 1, 1, 1, 1, 1, 1), np.float32)",
    "np.array([True, False])",
    "tf.float32",
    "tf.string",
    "tf.resource",
    "tf.TensorShape(None)",
    "tf.TensorShape([None, 2])",
    "tf.Dimension(None)",
    "tensor('float32', None)",
    "tensor('float32', [None, None])",
    "tensor('float32', [])",
    "tensor('float32', [0])",
    "tensor('int32', None)",
    "tensor('int64', [None])",
    "tensor('string', None)",
    "tensor('bool', [2])",
    "tensor('complex64', [2, 2])",
    "tensor('float16', [2, 2, 2, 2])",
    "tf.constant(-1)",
    "tf.constant(2**31 - 1)",
    "tf.constant([2**31 - 1, 2**31 - 1])",
    "tf.constant(-2**63, tf.int64)",
    "tf.constant([], tf.int32)",
    "tf.constant('a')",
    "tf.constant(b'\\xff\\xff\\xff\\xff\\xff')",
    "tf.zeros([0, 3])",
    "variable('float32', [2])",
    "of_another_graph()",
    "tf.SparseTensor([[0, 0]], [1.0], [2, 2])",
    "tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [0, 0])",
    "tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([2, 2]))",
    "tf.ragged.constant([[1.0], [2.0, 3.0]])",
    "tf.no_op()",
    "tf.get_default_graph()",
    "tf.Session()",
]


def mutants(source: str, seed: str, count: int) -> Iterator[str]:
    """Calls with one or two arguments, or parts of arguments, replaced.

    Args:
        source: a call.
        seed: with the same seed, the calls are the same.
        count: how many.
    """
    generator = random.Random(seed)
    for _ in range(count):
        call = ast.parse(source, mode="eval").body
        assert isinstance(call, ast.Call)
        for _ in range(generator.choice((1, 1, 1, 2))):
            _replace_one(call, generator)
        yield ast.unparse(call)


def _replace_one(call: ast.Call, generator: random.Random) -> None:
    places = [(call.args, i) for i in range(len(call.args))]
    value = ast.parse(generator.choice(VALUES), mode="eval").body
    keywords = call.keywords
    if not places and not keywords:
        call.args.append(value)
        return
    chosen = generator.randrange(len(places) + len(keywords))
    if chosen < len(places):
        old = call.args[chosen]
    else:
        old = keywords[chosen - len(places)].value
    if isinstance(old, (ast.List, ast.Tuple)) and old.elts and generator.random() < 0.3:
        old.elts[generator.randrange(len(old.elts))] = value
    elif chosen < len(places):
        call.args[chosen] = value
    else:
        keywords[chosen - len(places)].value = value
