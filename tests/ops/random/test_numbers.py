"""The numbers of the random ops, on both tiers, against those of TensorFlow on the CPU."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.ops.random.parameterized_truncated_normal import parameterized_truncated_normal

GOLDEN = dict(np.load(Path(__file__).parents[2] / "golden" / "random.npz"))

LOGITS = np.array(
    [
        [0.5, -1.0, 2.0, 0.0],
        [-np.inf, 0.0, 1.0, -3.0],
        [10.0, 10.0, -100.0, 9.0],
        [0.0, 0.0, np.nan, 0.5],
        [1e-3, 700.0, -700.0, 699.0],
    ]
)
ALPHA = np.array([0.01, 0.3, 0.999, 1.0, 1.5, 20.0, 1000.0])
RATE = np.array([0.0, 0.2, 1.0, 9.75, 10.0, 11.5, 100.0, 1500.0])
STATELESS_SEEDS = ((1, 2), (0, 0), (-5, 2**40 + 3))
BOUNDS = (
    (0.0, 1.0, -2.0, 2.0),
    (1.0, 3.0, -0.5, 0.5),
    (0.0, 1.0, 3.0, 4.0),
    (0.0, 1.0, 5.0, np.inf),
    (0.0, 2.0, -np.inf, -9.0),
    (-5.0, 0.5, -5.1, 10.0),
    (0.0, 1.0, -np.inf, 2.0),
    (0.0, 1.0, 0.25, 9.0),
)
SHAPES = ([3], [0], [5], [2, 3], [], [1, 1, 7])

# Everything that several runs of one node give.
CASES: dict[str, list[str]] = {}
for _key in GOLDEN:
    if not _key.endswith("/crc32"):
        CASES.setdefault(_key.rpartition("/")[0], []).append(_key)


def thin(array):
    flat = array.ravel()
    if flat.size <= 1000:
        return array
    return np.concatenate([flat[:40], flat[40:-40:997], flat[-40:]])


def build(case):
    """Makes the node of a case; returns it with the feeds of its runs."""
    name, types, seeds, what = case.split("/")
    dtype, *rest = types.split(",")
    graph_seed, seed = map(int, seeds.split(","))
    tf.set_random_seed(graph_seed)
    shape = [int(size) for size in what[1:].split("x") if size.isdigit()]
    feeds = [{}] * len(CASES[case])
    if what == "shapes":
        shape = tf.placeholder(tf.int32, [None])
        feeds = [{shape: sizes} for sizes in SHAPES]
    if name.startswith("stateless"):
        seed = np.array(STATELESS_SEEDS[seed], np.int64)
    match name:
        case "uniform":
            return tf.random_uniform(shape, dtype=dtype, seed=seed), feeds
        case "normal":
            return tf.random_normal(shape, dtype=dtype, seed=seed), feeds
        case "truncated":
            return tf.truncated_normal(shape, dtype=dtype, seed=seed), feeds
        case "uniform_int":
            return tf.random_uniform(shape, int(rest[0]), int(rest[1]), dtype, seed), feeds
        case "shuffle":
            rows = np.arange(33).reshape(11, 3)
            value = {"rows": rows, "scalar": 3.5}.get(what, np.arange(sum(shape)))
            return tf.random_shuffle(np.asarray(value, dtype), seed), feeds
        case "multinomial" if what == "many":
            many = np.log(np.arange(1, 1001, dtype=np.float32))[None].repeat(20, 0)
            return tf.multinomial(many, 50, seed), feeds
        case "multinomial":
            return tf.multinomial(LOGITS.astype(dtype), shape[0], seed), feeds
        case "gamma":
            return tf.random_gamma(shape, ALPHA.astype(dtype), dtype=dtype, seed=seed), feeds
        case "poisson":
            return tf.random_poisson(RATE.astype(rest[0]), shape, dtype, seed), feeds
        case "stateless_uniform":
            return tf.random.stateless_uniform(shape, seed, dtype=dtype), feeds
        case "stateless_uniform_int":
            return tf.random.stateless_uniform(shape, seed, -7, 1000, dtype), feeds
        case "stateless_normal":
            return tf.random.stateless_normal(shape, seed, dtype=dtype), feeds
        case "stateless_truncated_normal":
            return tf.random.stateless_truncated_normal(shape, seed, dtype=dtype), feeds
        case "stateless_categorical":
            return tf.random.stateless_categorical(LOGITS.astype(dtype), shape[0], seed), feeds
        case "parameterized":
            index, _, sizes = what[1:].partition("s")
            rows = what == "rows"
            columns = np.transpose(BOUNDS) if rows else np.array(BOUNDS[int(index)])
            shape = [len(BOUNDS), 9] if rows else [int(size) for size in sizes.split("x")]
            values = columns.astype(dtype)
            return parameterized_truncated_normal(shape, *values, dtype=dtype, seed=seed), feeds
    raise ValueError(case)


def check(case, exact):
    tensor, feeds = build(case)
    with tf.Session() as session:
        for key, feed in zip(CASES[case], feeds, strict=True):
            value = np.asarray(session.run(tensor, feed), order="C")
            if value.dtype.name == "bfloat16":
                value = value.view(np.uint16)
            expected = GOLDEN[key]
            assert value.dtype == expected.dtype
            if not exact:
                np.testing.assert_allclose(thin(value), expected, rtol=1e-14, atol=1e-14)
                continue
            np.testing.assert_array_equal(thin(value), expected)
            if value.size > 1000:
                assert zlib.crc32(value.tobytes()) == GOLDEN[key + "/crc32"]


@pytest.mark.parametrize("case", CASES)
def test_host_gives_the_numbers_of_tensorflow(case, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "never")
    # Doubles go through NumPy's own logarithm, sine and cosine.
    exact = not ("float64" in case and "uniform" not in case and "poisson" not in case)
    check(case, exact)


def is_compiled(case):
    """Chooses cases of each op, since each of them takes a compilation."""
    name, types, seeds, what = case.split("/")
    if name == "gamma":
        return what == "s5"
    if name == "poisson":
        return what == "s5" and types in ("float32,float32", "int32,float16", "float16,float16")
    if name.startswith("stateless"):
        return what in ("n6", "n257") and seeds == "0,2"
    if name in ("shuffle", "multinomial"):
        return what in ("rows", "n0", "n2", "n100", "n30000", "n3", "many")
    if name == "parameterized":
        return False
    wanted = ("n5", "n70000") if types.startswith(("float32", "float64", "int")) else ("n255",)
    return what in wanted and seeds == "1,2"


@pytest.mark.parametrize("case", [case for case in CASES if is_compiled(case)])
def test_compiled_program_gives_the_numbers_of_tensorflow(case, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "always")
    exact = not ("float64" in case and "uniform" not in case)
    check(case, exact)


def test_stateless_random_numbers_have_their_names_in_contrib() -> None:
    stateless = tf.contrib.stateless
    assert stateless.stateless_random_uniform is tf.random.stateless_uniform
    assert stateless.stateless_random_normal is tf.random.stateless_normal
    assert stateless.stateless_truncated_normal is tf.random.stateless_truncated_normal
    assert stateless.stateless_multinomial is tf.random.stateless_multinomial
