"""Writes random.npz: numbers that TensorFlow 1.15 draws on the CPU for given seeds.

Run it under TensorFlow 1.15 (`python make_random.py [out.npz]`); 1.0 can run it too and leaves out
what it has not. A key is `op/types/graph seed,op seed/what/run`; long results are thinned as
`thin` says, and the checksum of the whole stands under `.../crc32`.

Multinomial and ParameterizedTruncatedNormal cut their work by the number of threads, so there is
only one.
"""

import sys
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import random_ops

SIZES = (0, 1, 3, 4, 5, 255, 70000)
SEEDS = ((1, 2), (0, 7), (87654321, 42), (12, 0), (2147483646, 2147483645))

config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
results = {}


def thin(array):
    """Returns the whole of a short array, else 40 values of each end and each 997th between."""
    flat = array.ravel()
    if flat.size <= 1000:
        return array
    return np.concatenate([flat[:40], flat[40:-40:997], flat[-40:]])


def keep(key, value):
    value = np.asarray(value, order="C")
    if value.dtype.name == "bfloat16":
        value = value.view(np.uint16)
    results[key] = thin(value)
    if value.size > 1000:
        results[key + "/crc32"] = np.uint32(zlib.crc32(value.tobytes()))


def record(name, what, seeds, function, *args, runs=3, **kwargs):
    """Keeps what several runs of `function(*args, seed=..., **kwargs)` give in one session."""
    with tf.Graph().as_default():
        tf.set_random_seed(seeds[0])
        try:
            tensor = function(*args, seed=seeds[1], **kwargs)
        except (AttributeError, TypeError, ValueError) as error:
            print(f"left out: {name} {what}: {error}")
            return
        with tf.Session(config=config) as session:
            for run in range(runs):
                keep(f"{name}/{seeds[0]},{seeds[1]}/{what}/{run}", session.run(tensor))


def record_sizes(name, function, **kwargs):
    """All sizes under the first seeds, one size under the others."""
    for size in SIZES:
        record(name, f"n{size}", SEEDS[0], function, [size], **kwargs)
    for seeds in SEEDS[1:]:
        record(name, "n5", seeds, function, [5], runs=2, **kwargs)


def record_shapes(name, function, **kwargs):
    """One node whose shape changes from run to run."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.set_random_seed(3)
        shape = tf.placeholder(tf.int32, [None])
        tensor = function(shape, seed=4, **kwargs)
        for run, sizes in enumerate(([3], [0], [5], [2, 3], [], [1, 1, 7])):
            keep(f"{name}/3,4/shapes/{run}", session.run(tensor, {shape: sizes}))


def basic():
    for dtype in [tf.float16, tf.float32, tf.float64, tf.bfloat16]:
        if dtype == tf.bfloat16 and tf.__version__ < "1.15":
            continue
        for name, function in (
            ("uniform", tf.random_uniform),
            ("normal", tf.random_normal),
            ("truncated", tf.truncated_normal),
        ):
            record_sizes(f"{name}/{dtype.name}", function, dtype=dtype)
            record_shapes(f"{name}/{dtype.name}", function, dtype=dtype)
    for dtype, low, high in (
        (tf.int32, 0, 10),
        (tf.int32, -2000000000, 2000000000),
        (tf.int64, -7, 1000),
        (tf.int64, -(2**62), 2**62 + 5),
    ):
        name = f"uniform_int/{dtype.name},{low},{high}"
        record_sizes(name, tf.random_uniform, minval=low, maxval=high, dtype=dtype)


def shuffles():
    for size in (0, 1, 2, 5, 100, 30000):
        value = np.arange(size, dtype=np.int32)
        record("shuffle/int32", f"n{size}", (1, 2), tf.random_shuffle, value)
    rows = np.arange(33, dtype=np.float32).reshape(11, 3)
    record("shuffle/float32", "rows", (5, 6), tf.random_shuffle, rows)
    record("shuffle/float32", "scalar", (5, 6), tf.random_shuffle, np.float32(3.5))


LOGITS = np.array(
    [
        [0.5, -1.0, 2.0, 0.0],
        [-np.inf, 0.0, 1.0, -3.0],
        [10.0, 10.0, -100.0, 9.0],
        [0.0, 0.0, np.nan, 0.5],
        [1e-3, 700.0, -700.0, 699.0],
    ]
)


def multinomials():
    for dtype in (np.float16, np.float32, np.float64):
        name = "multinomial/" + np.dtype(dtype).name
        for count in (0, 1, 3, 10):
            record(name, f"n{count}", (1, 2), tf.multinomial, LOGITS.astype(dtype), count)
    many = np.log(np.arange(1, 1001, dtype=np.float32))[None].repeat(20, 0)
    record("multinomial/float32", "many", (3, 4), tf.multinomial, many, 50)


def gammas():
    for dtype in (np.float16, np.float32, np.float64):
        alpha = np.array([0.01, 0.3, 0.999, 1.0, 1.5, 20.0, 1000.0], dtype)
        name = "gamma/" + np.dtype(dtype).name
        for shape in ([], [5], [150, 2]):
            what = "s" + "x".join(map(str, shape))
            record(name, what, (1, 2), tf.random_gamma, shape, alpha, dtype=dtype, runs=2)


def poisson(shape, rate, dtype, seed):
    return tf.random_poisson(rate, shape, dtype=dtype, seed=seed)


def poissons():
    rate = np.array([0.0, 0.2, 1.0, 9.75, 10.0, 11.5, 100.0, 1500.0])
    types = (np.float16, np.float32, np.float64, np.int32, np.int64)
    for i, dtype in enumerate(types):
        for shift in (0, 2):
            rate_type = types[(i + shift) % len(types)]
            name = f"poisson/{np.dtype(dtype).name},{np.dtype(rate_type).name}"
            for shape in ([], [5], [100, 2]):
                what = "s" + "x".join(map(str, shape))
                rates = rate.astype(rate_type)
                record(name, what, (1, 2), poisson, shape, rates, dtype, runs=2)


def stateless(function, *args, seed, **kwargs):
    """`seed` is the name of a pair of seeds, since the op has no seed of its own."""
    pair = np.array(STATELESS_SEEDS[seed], np.int64)
    return getattr(tf.random, "stateless_" + function)(*args, seed=pair, **kwargs)


STATELESS_SEEDS = ((1, 2), (0, 0), (-5, 2**40 + 3))


def statelesses():
    for number in range(len(STATELESS_SEEDS)):
        for size in (0, 1, 5, 257):
            case = (f"n{size}", (0, number), stateless)
            for dtype in (tf.float16, tf.float32, tf.float64, tf.bfloat16):
                for name in ("uniform", "normal", "truncated_normal"):
                    key = f"stateless_{name}/{dtype.name}"
                    record(key, *case, name, [size], dtype=dtype, runs=1)
            for dtype in (tf.int32, tf.int64):
                key = f"stateless_uniform_int/{dtype.name}"
                bounds = {"minval": -7, "maxval": 1000}
                record(key, *case, "uniform", [size], dtype=dtype, runs=1, **bounds)
        logits = LOGITS.astype(np.float32)
        key = "stateless_categorical/float32"
        record(key, "n6", (0, number), stateless, "categorical", logits, 6, runs=1)


# mean, standard deviation, minimum, maximum: one of each method, both tails, open ends
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


def parameterized(shape, columns, dtype, seed):
    return random_ops.parameterized_truncated_normal(
        shape, *np.array(columns, dtype), dtype=dtype, seed=seed
    )


def parameterizeds():
    for dtype, shapes in (
        (np.float16, ([250],)),
        (np.float32, ([3], [5, 7], [301])),
        (np.float64, ([250],)),
    ):
        name = "parameterized/" + np.dtype(dtype).name
        for index, bounds in enumerate(BOUNDS):
            for shape in shapes:
                what = f"b{index}s" + "x".join(map(str, shape))
                record(name, what, (1, 2), parameterized, shape, bounds, dtype, runs=2)
        columns = np.transpose(BOUNDS)
        record(name, "rows", (1, 2), parameterized, [len(BOUNDS), 9], columns, dtype, runs=2)


def main():
    basic()
    shuffles()
    multinomials()
    gammas()
    poissons()
    statelesses()
    parameterizeds()
    np.savez_compressed(sys.argv[1] if len(sys.argv) > 1 else "random.npz", **results)


if __name__ == "__main__":
    main()
