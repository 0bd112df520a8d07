"""Random numbers: with given seeds they are the same numbers everywhere."""

import numpy as np

from cases import Case, family, i32, i64, numbers, types_of

SEEDS = [{"seed": 1, "seed2": 2}, {"seed": 87654321, "seed2": 0}, {"seed": 0, "seed2": 9}]


@family("random", "RandomUniform RandomStandardNormal TruncatedNormal")
def uniform(op):
    for dtype in types_of(op, "dtype"):
        for seeds in SEEDS:
            for shape in ([2, 3], [], [0, 2], [17]):
                yield Case(op, i32(shape), dtype=dtype, attrs=dict(seeds))
        yield Case(op, i64([4]), dtype=dtype, attrs=dict(seeds))
        yield Case(op, i32([-1]), dtype=dtype, attrs=dict(seeds), kind="negative")
        yield Case(op, i32(3), dtype=dtype, attrs=dict(seeds), kind="bad rank")


@family("random", "RandomUniformInt")
def uniform_int(op):
    for dtype in ("int32", "int64"):
        for low, high in ((0, 10), (-5, 5), (np.iinfo(dtype).min, np.iinfo(dtype).max)):
            yield Case(
                op, i32([3, 4]), np.array(low, dtype), np.array(high, dtype), attrs=dict(SEEDS[0])
            )
        bad = [np.array(3, dtype), np.array(3, dtype)]
        yield Case(op, i32([3]), *bad, kind="bad range", attrs=dict(SEEDS[0]))
        yield Case(op, i32([3]), bad[0], bad[1][None], kind="bad rank", attrs=dict(SEEDS[0]))


@family("random", "RandomShuffle")
def shuffle(op):
    for dtype in ("float32", "int32", "string"):
        for seeds in SEEDS:
            yield Case(op, numbers(op, 7, 2, dtype=dtype), attrs=dict(seeds))
        yield Case(op, numbers(op, dtype=dtype), attrs=dict(seeds), kind="scalar")
        yield Case(op, numbers(op, 0, 2, dtype=dtype), attrs=dict(seeds), kind="empty")


@family("random", "Multinomial")
def multinomial(op):
    for dtype in ("float32", "float64", "float16", "int32"):
        for seeds in SEEDS:
            yield Case(op, numbers(op, 2, 4, dtype=dtype), i32(5), attrs=dict(seeds))
        yield Case(op, numbers(op, 2, 4, dtype=dtype), i32(0), attrs=dict(seeds), kind="empty")
    x = numbers(op, 2, 4)
    yield Case(op, x, i32(3), output_dtype="int32", kind="attr", attrs=dict(seeds))
    yield Case(op, x, i32(-1), kind="negative", attrs=dict(seeds))
    yield Case(op, x[0], i32(1), kind="bad rank", attrs=dict(seeds))
    yield Case(op, x[:, :0], i32(1), kind="no classes", attrs=dict(seeds))


@family("random", "RandomGamma RandomPoissonV2")
def gamma(op):
    for dtype in ("float32", "float64", "float16"):
        rate = np.abs(numbers(op, 3, dtype=dtype)) + np.asarray(0.5, dtype)
        for seeds in SEEDS:
            more = {"dtype": dtype} if op == "RandomPoissonV2" else {}
            yield Case(op, i32([4]), rate, attrs=dict(seeds, **more))
        yield Case(op, i32([2]), np.array(20, dtype), attrs=dict(seeds, **more), kind="scalar")
        yield Case(op, i32([2]), np.array(0.125, dtype), attrs=dict(seeds, **more), kind="scalar")
        yield Case(op, i32([0]), rate, attrs=dict(seeds, **more), kind="empty")


@family("random", "RandomGammaGrad")
def gamma_gradient(op):
    for dtype in types_of(op):
        a = np.abs(numbers(op, 5, dtype=dtype)) + np.asarray(0.5, dtype)
        x = np.abs(numbers(op, 5, dtype=dtype, seed=1)) + np.asarray(0.125, dtype)
        yield Case(op, a, x)
        yield Case(op, a, x[0], kind="broadcasting")


@family("random", "ParameterizedTruncatedNormal")
def parameterized(op):
    for dtype in ("float32", "float64", "float16"):
        for mean, deviation, low, high in ((0, 1, -2, 2), (3, 2, 0, 4), (0, 1, 3, 4)):
            values = [np.array(v, dtype) for v in (mean, deviation, low, high)]
            yield Case(op, i32([6]), *values, attrs=dict(SEEDS[0]))
        bad = [np.array(v, dtype) for v in (0, 1, 2, -2)]
        yield Case(op, i32([6]), *bad, attrs=dict(SEEDS[0]), kind="bad range")


@family("random", "StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal")
def stateless(op):
    for dtype in types_of(op, "dtype"):
        for seed in (i32([1, 2]), i64([3, -4])):
            for shape in ([2, 3], [], [0]):
                yield Case(op, i32(shape), seed, dtype=dtype)
    yield Case(op, i32([2]), i32([1]), kind="bad seed")


@family("random", "StatelessRandomUniformInt")
def stateless_int(op):
    for dtype in ("int32", "int64"):
        for low, high in ((0, 10), (-5, 5)):
            yield Case(op, i32([3, 4]), i32([1, 2]), np.array(low, dtype), np.array(high, dtype))
        yield Case(
            op, i32([3]), i32([1, 2]), np.array(3, dtype), np.array(3, dtype), kind="bad range"
        )


@family("random", "StatelessMultinomial")
def stateless_multinomial(op):
    for dtype in ("float32", "float64"):
        yield Case(op, numbers(op, 2, 4, dtype=dtype), i32(5), i32([1, 2]))
        yield Case(
            op, numbers(op, 2, 4, dtype=dtype), i32(5), i64([3, 4]), output_dtype="int32",
            kind="attr",
        )  # fmt: skip
