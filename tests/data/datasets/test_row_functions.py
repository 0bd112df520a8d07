"""Functions of elements that are computed for many elements at once: bit for bit the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import headwater as tf
from headwater.data.datasets import structure
from headwater.data.datasets.function import ElementFunction
from headwater.engine.running.functions import SessionFunctions
from headwater.engine.state import State
from headwater.graph import Graph, build
from headwater.graph.registry import is_registered
from headwater.graph.row_functions.row_op import RULES
from headwater.model import functional_ops
from headwater.model.defun import Defun
from headwater.ops.data.dataset import rows_to_element


def both_ways(
    func: Callable[..., Any], *components: np.ndarray, captured: Any = ()
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The results for elements one by one, stacked, and those for all at once."""
    types = [tf.string if c.dtype == object else c.dtype for c in components]
    specs = tuple(tf.TensorSpec(c.shape[1:], t) for c, t in zip(components, types))
    function = ElementFunction(func, "Dataset.map()", specs)
    runtime = SessionFunctions(State(jit_mode="never"))
    found = runtime.captured(tf.get_default_graph(), function.attr, captured)
    call, call_rows = found.instantiate(), found.rows()
    assert call_rows is not None, "an op has no rule"
    single = [call(rows_to_element(components, i)) for i in range(len(components[0]))]
    return [np.stack(parts) for parts in zip(*single)], call_rows(components)


def assert_same(func: Callable[..., Any], *components: np.ndarray) -> None:
    single, together = both_ways(func, *components)
    assert len(single) == len(together)
    for expected, found in zip(single, together):
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        if expected.dtype == object:
            assert found.tolist() == expected.tolist()
        else:
            assert with_one_nan(found).tobytes() == with_one_nan(expected).tobytes()


def with_one_nan(array: np.ndarray) -> np.ndarray:
    """An array whose NaNs are equal: the sign of a NaN depends on where NumPy computes it."""
    if array.dtype.kind != "f":
        return array
    return np.where(np.isnan(array), np.array(np.nan, array.dtype), array)


X = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, 4.0], [-1.0, 0.0, 2.5], [7.0, 1.0, -0.125]], np.float32)
M = np.arange(24, dtype=np.float32).reshape(4, 2, 3) / 7 - 1
N = np.array([3, -1, 0, 5])
S = np.array([b"12", b"3.5", b"-7", b"0"], object)

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "arithmetic": (lambda x: x * 2 + 1, (N,)),
    "ranks": (lambda n, x, m: (tf.cast(n, tf.float32) * x, m - x, x + [[1.0], [2.0]]), (N, X, M)),
    "shared of higher rank": (lambda n: n + tf.constant([[1, 2], [3, 4]], tf.int64), (N,)),
    "comparison": (lambda n: (n > 0, tf.equal(n % 2, 0), tf.logical_and(n > 0, n < 4)), (N,)),
    "clip": (lambda x: tf.clip_by_value(x, -1.0, 1.0), (X,)),
    "add_n": (lambda x: tf.add_n([x, x * 2, [1.0, 2.0, 3.0]]), (X,)),
    "select scalar": (lambda n: tf.where(n > 0, n, -n), (N,)),
    "select": (lambda x: tf.where(x > 0, x, tf.zeros([3])), (X,)),
    "shape": (lambda m: (tf.shape(m), tf.size(m), tf.rank(m), tf.zeros_like(m)), (M,)),
    "reshape": (lambda m: (tf.reshape(m, [-1]), tf.reshape(m, [3, 2]), tf.reshape(m, [6])), (M,)),
    "expand": (lambda m: (m[tf.newaxis], tf.expand_dims(m, 1), tf.expand_dims(m, -1)), (M,)),
    "squeeze": (lambda x: (tf.squeeze(x[:1]), tf.squeeze(x[:1], 0), tf.squeeze(x)), (X,)),
    "transpose": (lambda m: (tf.transpose(m), tf.transpose(m, [0, 1])), (M,)),
    "stack": (lambda n, x: (tf.stack([n, n]), tf.stack([x, x], 1), tf.stack([n, 7])), (N, X)),
    "unstack": (lambda m: (*tf.unstack(m), *tf.unstack(m, axis=-1)), (M,)),
    "concat": (lambda m: (tf.concat([m, m], 0), tf.concat([m, [[1.0], [2.0]]], -1)), (M,)),
    "split": (lambda m: (*tf.split(m, 3, 1), *tf.split(m, [1, 1], 0)), (M,)),
    "slices": (lambda m: (m[0], m[..., 1], m[:, ::-1], m[-1, 1:], m[:, tf.newaxis, 0]), (M,)),
    "slice": (lambda m: (tf.slice(m, [0, 1], [2, 2]), tf.slice(m, [1, 0], [-1, -1])), (M,)),
    "pad": (lambda x: (tf.pad(x, [[1, 2]]), tf.pad(x, [[1, 1]], "REFLECT")), (X,)),
    "pad value": (lambda x: tf.pad(x, [[0, 1]], constant_values=9.0), (X,)),
    "tile": (lambda x: tf.tile(x, [2]), (X,)),
    "one_hot": (lambda n: (tf.one_hot(n, 4), tf.one_hot(n, 4, axis=0, on_value=5)), (N,)),
    "gather shared": (lambda n: tf.gather([5.0, 6.0, 7.0, 8.0], tf.abs(n) % 4), (N,)),
    "gather": (lambda m: (tf.gather(m, [1, 0, 1]), tf.gather(m, [2, 0], axis=1)), (M,)),
    "reverse": (lambda m: tf.reverse(m, [0, -1]), (M,)),
    "reductions": (
        lambda m: (
            tf.reduce_sum(m, 0),
            tf.reduce_max(m),
            tf.reduce_min(m, [0, 1]),
            tf.reduce_sum(m),
            tf.reduce_mean(m, [0, 1], keepdims=True),
            tf.reduce_mean(m, -1, keepdims=True),
            tf.reduce_prod(m[0]),
        ),
        (M,),
    ),
    "integer sums": (lambda m: (tf.reduce_sum(tf.cast(m, tf.int32)),), (M,)),
    "logical": (lambda x: (tf.reduce_all(x > 0), tf.reduce_any(x > 3, 0)), (X,)),
    "arg": (lambda m: (tf.argmax(m), tf.argmin(m, axis=-1)), (M,)),
    "cumsum": (lambda m: (tf.cumsum(m), tf.cumprod(m, -1, reverse=True)), (M,)),
    "softmax": (lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x)), (X,)),
    "top_k": (lambda x: tuple(tf.nn.top_k(x, 2)), (X,)),
    "matmul": (lambda m: (tf.matmul(m, m, transpose_b=True), tf.matmul(m, tf.eye(3))), (M,)),
    "bias": (lambda m: tf.nn.bias_add(m, [1.0, 2.0, 3.0]), (M,)),
    "numbers": (lambda s: tf.string_to_number(s, tf.float64), (S,)),
    "strings": (lambda s: (tf.strings.length(s), tf.strings.join([s, "a", s], "-")), (S,)),
    "more strings": (
        lambda s: (
            tf.substr(s, 0, 1),
            tf.regex_replace(s, "[0-9]", "#"),
            tf.string_to_hash_bucket_fast(s, 10),
            tf.encode_base64(s),
        ),
        (S,),
    ),
    "csv": (lambda s: tuple(tf.decode_csv(tf.string_join([s, ",x"]), [[0.0], ["y"]])), (S,)),
    "raw": (
        lambda s: tf.decode_raw(s, tf.uint8),
        (np.array([b"abc", b"xyz", b"123"], object),),
    ),
    "constant": (lambda n: (n, 1.5, tf.constant([1, 2]), "text"), (N,)),
    "assertion": (lambda x: x + with_check(x), (N.astype(np.int32),)),
    "check": (lambda x: tf.check_numerics(x, "bad"), (X,)),
    "image": (lambda m: (tf.cast(m * 9, tf.uint8), (m - tf.reduce_max(m)) / 3), (M,)),
}


def with_check(x: Any) -> Any:
    with tf.control_dependencies([tf.assert_less(x, 100)]):
        return tf.constant(1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_rows_are_the_single_results(name: str) -> None:
    func, components = FUNCTIONS[name]
    assert_same(func, *components)


UNARY = [
    *(tf.abs, tf.negative, tf.sign, tf.square, tf.exp, tf.sin, tf.cos, tf.tanh, tf.sigmoid),
    *(tf.floor, tf.round, tf.nn.relu, tf.nn.softplus, tf.log1p, tf.sqrt, tf.rsqrt, tf.atan),
]
BINARY = [
    tf.add,
    tf.subtract,
    tf.multiply,
    tf.maximum,
    tf.squared_difference,
    tf.minimum,
    tf.divide,
]


@settings(deadline=None, max_examples=60)
@given(
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(0, 9)), max_size=6),
    ranks=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    dtype=st.sampled_from([np.float32, np.float64]),
    count=st.integers(2, 9),
    seed=st.integers(0, 1000),
)
def test_compositions_are_the_same_bit_for_bit(
    steps: Any, ranks: Any, dtype: Any, count: int, seed: int
) -> None:
    tf.reset_default_graph()
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(count, *(2, 3)[2 - rank :])).astype(dtype) for rank in ranks]

    def func(*args: Any) -> Any:
        values = list(args)
        for is_unary, which, source in steps:
            x, y = values[source % len(values)], values[-1]
            if is_unary:
                values.append(UNARY[which % len(UNARY)](x))
            else:
                values.append(BINARY[which % len(BINARY)](x, y))
        return tuple(values)

    with np.errstate(all="ignore"):
        assert_same(func, *inputs)


def test_powers_are_those_of_single_elements() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 50)).astype(np.float32)
    y = np.floor(y)
    tf.reset_default_graph()
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).map(tf.pow)
    together = dataset.batch(50).make_one_shot_iterator().get_next()
    single = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session, np.errstate(all="ignore"):
        expected = np.array([session.run(single) for _ in range(50)])
        np.testing.assert_array_equal(session.run(together), expected)


def test_examples_are_parsed_together() -> None:
    records = np.empty(6, object)
    for i in range(6):
        feature = {
            "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            "b": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 7, -i])),
            "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"%d" % i])),
        }
        features = tf.train.Features(feature=feature)
        records[i] = tf.train.Example(features=features).SerializeToString()
    parsed = {
        "a": tf.FixedLenFeature([], tf.int64),
        "b": tf.FixedLenFeature([2], tf.float32),
        "c": tf.FixedLenFeature([], tf.string),
        "d": tf.FixedLenFeature([], tf.int64, 7),
    }

    def parse(record: Any) -> Any:
        return tuple(tf.parse_single_example(record, parsed)[key] for key in sorted(parsed))

    assert_same(parse, records)


def test_functions_without_rows() -> None:
    def rows(func: Callable[..., Any], spec: Any = None) -> Any:
        function = ElementFunction(func, "Dataset.map()", spec or tf.TensorSpec([], tf.int64))
        runtime = SessionFunctions(State(jit_mode="never"))
        return runtime.captured(tf.get_default_graph(), function.attr, ()).rows()

    assert rows(lambda x: tf.py_func(lambda v: v, [x], tf.int64)) is None
    assert rows(lambda x: tf.cond(x > 0, lambda: tf.random_uniform([]), lambda: 0.0)) is None
    assert rows(lambda x: tf.random_gamma([], 2.0) + tf.cast(x, tf.float32)) is None
    assert rows(lambda x: tf.random_uniform([], 0, x, tf.int64)) is None
    assert rows(lambda x: tf.while_loop(lambda i: i < x, lambda i: i + 1, [x - 3])) is None
    assert rows(lambda x: tf.cond(x > 0, lambda: tf.zeros([2]), lambda: tf.zeros([3]))) is None
    assert rows(lambda x: tf.range(x)) is None
    assert rows(lambda x: x + 1, tf.TensorSpec(None, tf.int64)) is None
    assert rows(lambda x: tf.data.Dataset.range(x)) is None
    assert rows(lambda x: x + 1) is not None


def test_an_element_of_another_rank_than_declared_is_no_row() -> None:
    def declared(x: Any) -> Any:
        result = tf.py_func(lambda v: np.ones([int(v) * 0 + 2, 3]), [x], tf.float64)
        result.set_shape([3])
        return result

    dataset = tf.data.Dataset.range(4).map(declared).map(lambda x: x + [[1.0], [2.0]]).batch(2)
    batch = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(batch).shape == (2, 2, 3)


IMAGES = (np.arange(4 * 5 * 6 * 3) * 37 % 251).astype(np.uint8).reshape(4, 5, 6, 3)


def augmented(image: Any) -> Any:
    image = tf.random_crop(tf.cast(image, tf.float32), [4, 4, 3], seed=1)
    image = tf.image.random_flip_left_right(image, seed=2)
    image = tf.image.random_flip_up_down(image, seed=3)
    image = tf.image.random_brightness(image, 20.0, seed=4)
    image = tf.image.random_contrast(image, 0.5, 1.5, seed=5)
    return tf.image.per_image_standardization(image)


def recoloured(image: Any) -> Any:
    image = tf.image.random_hue(tf.cast(image, tf.float32) / 255.0, 0.2, seed=1)
    image = tf.image.random_saturation(image, 0.5, 1.5, seed=2)
    return tf.image.rgb_to_hsv(image), tf.image.adjust_hue(image, 0.1)


def nested(x: Any) -> Any:
    inner = tf.cond(x > 3, lambda: x * 10, lambda: x + 1)
    return tf.cond(x > 0, lambda: tf.cond(x > 2, lambda: inner * x, lambda: -x), lambda: x - 100)


def test_small_pictures_are_decoded_together() -> None:
    with tf.Session() as session:
        contents = [session.run(tf.image.encode_png(image)) for image in IMAGES]

    def decoded(data: Any) -> Any:
        image = tf.image.decode_png(data, 3)
        image.set_shape([5, 6, 3])
        return tf.image.convert_image_dtype(image, tf.float32), image

    assert_same(decoded, np.array(contents, object))


def test_pictures_of_another_size_than_said_are_decoded_one_by_one() -> None:
    with tf.Session() as session:
        contents = [session.run(tf.image.encode_png(IMAGES[0][:rows])) for rows in (5, 4, 3)]

        def decoded(data: Any) -> Any:
            image = tf.image.decode_png(data, 3)
            image.set_shape([5, 6, 3])
            return tf.reduce_max(tf.cast(image, tf.int32))

        batch = tf.data.Dataset.from_tensor_slices(contents).map(decoded).batch(3)
        found = session.run(batch.make_one_shot_iterator().get_next())
    assert found.tolist() == [int(IMAGES[0][:rows].max()) for rows in (5, 4, 3)]


SEEDS = np.array([[1, 2], [-3, 4], [0, 0], [2**31 - 1, -(2**31)]])

RANDOM: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "uniform": (lambda n: tf.random_uniform([5], seed=1) + tf.cast(n, tf.float32), (N,)),
    "scalar": (lambda n: tf.random_uniform([], -1.0, 1.0, seed=2), (N,)),
    "uniform double": (lambda n: tf.random_uniform([3], seed=3, dtype=tf.float64), (N,)),
    "integers": (lambda n: tf.random_uniform([2, 3], -5, 50, tf.int32, seed=4), (N,)),
    "long integers": (lambda n: tf.random_uniform([3], 0, 1000, tf.int64, seed=5), (N,)),
    "no numbers": (lambda n: tf.random_uniform([0], seed=6), (N,)),
    "normal": (lambda n: tf.random_normal([7], seed=7), (N,)),
    "normal double": (lambda n: tf.random_normal([3], seed=8, dtype=tf.float64), (N,)),
    "truncated": (lambda n: tf.truncated_normal([9], seed=9), (N,)),
    "truncated double": (lambda n: tf.truncated_normal([5], seed=10, dtype=tf.float64), (N,)),
    "two ops": (lambda n: (tf.random_uniform([], seed=1), tf.random_normal([2], seed=1)), (N,)),
    "classes": (
        lambda s: tf.raw_ops.StatelessMultinomial(
            logits=[[0.5, -1.0, 2.0], [0.0, 0.0, -np.inf]], num_samples=3, seed=s
        ),
        (SEEDS,),
    ),
    "classes of each element": (
        lambda s, x: tf.raw_ops.StatelessMultinomial(
            logits=x[None], num_samples=1, seed=tf.cast(s, tf.int32), output_dtype=tf.int32
        ),
        (SEEDS, X),
    ),
    "augmentation": (augmented, (IMAGES,)),
    "colours": (recoloured, (IMAGES,)),
    "window": (lambda n, m: tf.slice(m, [0, n % 2], [2, 2]), (np.abs(N), M)),
}


@pytest.mark.parametrize("name", RANDOM)
def test_rows_draw_the_numbers_of_the_single_calls(name: str) -> None:
    func, components = RANDOM[name]
    assert_same(func, *components)


CONDITIONAL: dict[str, Callable[..., Any]] = {
    "cond": lambda x: tf.cond(x > 0, lambda: x * 2, lambda: -x),
    "constants": lambda x: tf.cond(x > 0, lambda: tf.constant(1), lambda: tf.constant(2)),
    "two results": lambda x: tf.cond(x > 0, lambda: (x, x + 1), lambda: (x - 1, x)),
    "nested": nested,
    "case": lambda x: tf.case([(x < 0, lambda: -x), (x < 4, lambda: x * 10)], lambda: x),
    "shared": lambda x: x + tf.cond(tf.reduce_sum(tf.ones([3])) > 2, lambda: 1, lambda: 2),
    "not taken": lambda x: tf.cond(tf.equal(x, 0), lambda: x, lambda: 12 // x),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_each_row_takes_its_branch(name: str) -> None:
    values = N.astype(np.int32)
    if name == "not taken":
        # What fails only in the branch not taken is computed one by one.
        batch = tf.data.Dataset.from_tensor_slices(values).map(CONDITIONAL[name]).batch(4)
        with tf.Session() as session:
            found = session.run(batch.make_one_shot_iterator().get_next())
        assert found.tolist() == [4, -12, 0, 2]
        return
    assert_same(CONDITIONAL[name], values)


@Defun(tf.int32)
def tenfold(x: Any) -> Any:
    return x * 10


@Defun(tf.int32)
def negative(x: Any) -> Any:
    return -tenfold(x)


CALLING: dict[str, Callable[..., Any]] = {
    "a call": tenfold,
    "calls in calls": lambda x: (tenfold(x), negative(tenfold(x)), tenfold(x + 1)),
    "If": lambda x: functional_ops.If(x > 0, [x], tenfold, negative),
    "StatelessIf of a number": lambda x: build.StatelessIf(
        x, [x], Tout=[tf.int32], then_branch=name_of(tenfold), else_branch=name_of(negative)
    ),
}


def name_of(function: Any) -> Any:
    function.add_to_graph(tf.get_default_graph())
    return Graph._proto_maker("name_attr_list")(function.name, {})


@pytest.mark.parametrize("name", CALLING)
def test_functions_that_are_called_are_computed_for_rows(name: str) -> None:
    assert_same(CALLING[name], N.astype(np.int32))


def test_a_broken_rule_costs_no_result_and_is_not_silent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(op: Any) -> Any:
        return None + 1  # type: ignore[operator]

    monkeypatch.setitem(RULES, "Neg", broken)
    batch = tf.data.Dataset.range(3).map(lambda x: -x).batch(3)
    with tf.Session() as session:
        element = batch.make_one_shot_iterator().get_next()
        assert session.run(element).tolist() == [0, -1, -2]
    assert "the rule for rows of Neg (Neg) failed with TypeError" in caplog.text


def test_calls_for_rows_and_for_elements_share_the_generators() -> None:
    function = ElementFunction(
        lambda x: tf.random_uniform([], seed=3), "Dataset.map()", tf.TensorSpec([], tf.int64)
    )
    runtime = SessionFunctions(State(jit_mode="never"))
    found = runtime.captured(tf.get_default_graph(), function.attr, ())
    alone, kept = found.instantiate({}), {}
    expected = [float(alone([np.int64(0)])[0]) for _ in range(9)]
    call, call_rows = found.instantiate(kept), found.rows(kept)
    numbers = [*call([np.int64(0)]), *call_rows([np.zeros(5, np.int64)])[0]]
    numbers += [*call([np.int64(0)]), *found.rows(kept)([np.zeros(2, np.int64)])[0]]
    assert [float(number) for number in numbers] == expected


def test_a_failed_call_for_rows_draws_nothing() -> None:
    def checked(x: Any) -> Any:
        number = tf.random_uniform([], seed=3)
        with tf.control_dependencies([tf.Assert(tf.not_equal(x, 4), ["four"]), number]):
            return tf.identity(number)

    dataset = tf.data.Dataset.range(9).map(checked).apply(tf.data.experimental.ignore_errors())
    alone = tf.data.Dataset.range(9).map(checked).apply(tf.data.experimental.ignore_errors())
    batch = dataset.batch(8).make_one_shot_iterator().get_next()
    single = alone.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        expected = [session.run(single) for _ in range(8)]
        assert session.run(batch).tolist() == expected


def test_rules_are_for_ops_that_exist() -> None:
    assert [name for name in RULES if not is_registered(name)] == []
    assert structure.flat_specs(tf.TensorSpec([], tf.int64))
