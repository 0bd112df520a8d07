"""Layers without windows: losses, normalization, bias, recurrent cells, samplers, CTC."""

import numpy as np

from cases import Case, f32, family, i32, i64, numbers, types_of


@family("nn", "Softmax LogSoftmax")
def softmax(op):
    for dtype in types_of(op):
        for shape in ((2, 3), (4,), (2, 2, 3), (3, 1)):
            yield Case(op, numbers(op, *shape, dtype=dtype))
        yield Case(op, numbers(op, 0, 3, dtype=dtype), kind="empty")
        yield Case(op, numbers(op, 2, 3, dtype=dtype, low=-100, high=100), kind="large")
        yield Case(op, numbers(op, dtype=dtype), kind="bad rank")
        for v in (np.nan, np.inf, -np.inf):
            x = numbers(op, 2, 3, dtype=dtype)
            x[0, 1] = v
            yield Case(op, x, kind="special")
        yield Case(op, np.full((1, 3), -np.inf, dtype), kind="special")


@family("nn", "SoftmaxCrossEntropyWithLogits")
def cross_entropy(op):
    for dtype in types_of(op):
        x = numbers(op, 3, 4, dtype=dtype)
        p = np.abs(numbers(op, 3, 4, dtype=dtype, seed=1)) / np.asarray(8, dtype)
        yield Case(op, x, p)
        yield Case(op, x, p[:1], kind="broadcasting")
        yield Case(op, x[:, :1], p, kind="broadcasting")
        yield Case(op, x[:0], p[:0], kind="empty")
        yield Case(op, x, p[:2], kind="mismatch")
        yield Case(op, x[0], p[0], kind="bad rank")
        x = x * np.asarray(50, dtype)
        yield Case(op, x, p, kind="large")
        for v in (np.nan, np.inf, -np.inf):
            y = numbers(op, 3, 4, dtype=dtype)
            y[0, 1] = v
            yield Case(op, y, p, kind="special")


@family("nn", "SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 3, 4, dtype=dtype)
        yield Case(op, x, i32([0, 3, 1]))
        yield Case(op, x, i64([0, 3, 1]))
        yield Case(op, x[:0], i32([]), kind="empty")
        yield Case(op, x, i32([0, 4, 1]), kind="bad label")
        yield Case(op, x, i32([0, -1, 1]), kind="bad label")
        yield Case(op, x, i32([0, 1]), kind="mismatch")
        yield Case(op, x[0], i32([0]), kind="bad rank")
        yield Case(op, x * np.asarray(50, dtype), i32([0, 1, 2]), kind="large")


@family("nn", "BiasAdd BiasAddV1")
def bias_add(op):
    for dtype in types_of(op):
        for shape in ((2, 3), (2, 2, 2, 3), (2, 2, 3), (0, 3)):
            kind = "empty" if 0 in shape else "ordinary"
            yield Case(op, numbers(op, *shape, dtype=dtype), numbers(op, 3, dtype=dtype), kind=kind)
        x = numbers(op, 2, 3, 2, 2, dtype=dtype)
        if op == "BiasAdd":
            b = numbers(op, 3, dtype=dtype)
            yield Case(op, x, b, data_format="NCHW", kind="attr")
        yield Case(op, x, numbers(op, 3, dtype=dtype), kind="mismatch")
        yield Case(op, x[0, 0, 0], numbers(op, 2, dtype=dtype), kind="bad rank")


@family("nn", "BiasAddGrad")
def bias_add_gradient(op):
    for dtype in types_of(op):
        for shape in ((2, 3), (2, 2, 2, 3), (0, 3)):
            yield Case(op, numbers(op, *shape, dtype=dtype, low=-1, high=2))
        yield Case(op, numbers(op, 2, 3, 2, 2, dtype=dtype), data_format="NCHW", kind="attr")
        yield Case(op, numbers(op, 3, dtype=dtype), kind="bad rank")


@family("nn", "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3")
def batch_norm(op):
    hidden = (3, 4, 5) if op.endswith("V3") else (3, 4)
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 3, 2, 3, dtype=dtype)
        u = "float32"
        scale, offset = numbers(op, 3, dtype=u, low=1), numbers(op, 3, dtype=u, seed=1)
        mean, variance = numbers(op, 3, dtype=u, seed=2), np.abs(numbers(op, 3, dtype=u, seed=3))
        none = np.zeros(0, u)
        yield Case(op, x, scale, offset, none, none, is_training=True, hidden=hidden)
        yield Case(
            op, x, scale, offset, none, none, is_training=True, epsilon=0.25, hidden=hidden,
            kind="attr",
        )  # fmt: skip
        # The outputs for batch statistics are not written in inference mode.
        rest = (1, 2) + hidden
        yield Case(op, x, scale, offset, mean, variance, is_training=False, hidden=rest)
        yield Case(
            op, x, scale[:2], offset, none, none, is_training=True, hidden=hidden, kind="mismatch"
        )
        yield Case(
            op, x[0], scale, offset, none, none, is_training=True, hidden=hidden, kind="bad rank"
        )
        yield Case(
            op, x, scale, offset, mean, variance, is_training=True, hidden=hidden, kind="mismatch"
        )


@family("nn", "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3")
def batch_norm_gradient(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 3, 2, 3, dtype=dtype)
        g = numbers(op, 2, 3, 2, 3, dtype=dtype, seed=1)
        scale = numbers(op, 3, low=1)
        more = [np.zeros(3, np.float32)] if op.endswith("V3") else []
        for training in (True, False):
            wide = x.astype(np.float64).reshape(-1, 3)
            # Dyadic statistics: exact, so the same bits on every machine.
            mean = np.floor(wide.mean(0) * 64) / 64
            variance = np.floor(((wide - mean) ** 2).mean(0) * 64) / 64
            yield Case(
                op, g, x, scale, f32(mean), f32(variance), *more, is_training=training,
                hidden=(3, 4),
            )  # fmt: skip


@family("nn", "BatchNormWithGlobalNormalization BatchNormWithGlobalNormalizationGrad")
def global_norm(op):
    for dtype in types_of(op):
        if dtype not in ("float32", "float64"):
            continue
        x = numbers(op, 1, 2, 2, 3, dtype=dtype)
        m, b, g = (numbers(op, 3, dtype=dtype, seed=i) for i in range(3))
        v = np.abs(numbers(op, 3, dtype=dtype, seed=4)) + np.asarray(1, dtype)
        for scale in (True, False):
            attrs = {"variance_epsilon": 0.001, "scale_after_normalization": scale}
            if op.endswith("Grad"):
                yield Case(op, x, m, v, g, x[:, ::-1].copy(), attrs=attrs)
            else:
                yield Case(op, x, m, v, b, g, attrs=attrs)


@family("nn", "LRN")
def lrn(op):
    for dtype in types_of(op):
        x = numbers(op, 1, 2, 2, 7, dtype=dtype)
        yield Case(op, x)
        yield Case(op, x, depth_radius=2, bias=2.0, alpha=0.5, beta=0.75, kind="attr")
        yield Case(op, x, depth_radius=0, kind="attr")
        yield Case(op, x, depth_radius=20, kind="attr")
        yield Case(op, x[0], kind="bad rank")


@family("nn", "LRNGrad")
def lrn_gradient(op):
    for dtype in types_of(op):
        x = numbers(op, 1, 2, 2, 7, dtype=dtype)
        g = numbers(op, 1, 2, 2, 7, dtype=dtype, seed=1)
        out = (np.floor(np.abs(x)) / 4).astype(dtype)
        yield Case(op, g, x, out)
        yield Case(op, g, x, out, depth_radius=2, bias=2.0, alpha=0.5, beta=0.75, kind="attr")


@family("nn", "DataFormatDimMap DataFormatVecPermute")
def data_format(op):
    for index in (i32, i64):
        if op == "DataFormatDimMap":
            yield Case(op, index([0, 1, 2, 3]))
            yield Case(op, index([-1, -2]))
            yield Case(op, index([0, 3]), src_format="NCHW", dst_format="NHWC", kind="attr")
            yield Case(op, index([4]), kind="out of range")
            yield Case(op, index(1), kind="scalar")
        else:
            yield Case(op, index([7, 8, 9, 3]))
            yield Case(op, index([[7, 1], [8, 2], [9, 3], [3, 4]]))
            yield Case(op, index([7, 4, 9, 3]), src_format="NCHW", dst_format="NHWC", kind="attr")
            yield Case(op, index([7, 4, 9]), kind="mismatch")


# Candidate samplers


@family(
    "nn",
    "UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler "
    "ThreadUnsafeUnigramCandidateSampler AllCandidateSampler",
)
def samplers(op):
    for unique in (True, False):
        for n in (3, 8):
            attrs = {"num_true": 2, "num_sampled": n, "unique": unique, "seed": 3, "seed2": 5}
            if op != "AllCandidateSampler":
                attrs["range_max"] = 20
            yield Case(op, i64([[0, 3], [5, 19]]), attrs=attrs)
    if op != "AllCandidateSampler":
        bad = {"num_true": 1, "num_sampled": 8, "unique": True, "seed": 3, "seed2": 5}
        yield Case(op, i64([[0]]), range_max=4, attrs=bad, kind="too many")
        yield Case(op, i64([[0, 1]]), range_max=40, attrs=dict(bad), kind="mismatch")


@family("nn", "FixedUnigramCandidateSampler")
def fixed_unigram(op):
    for unique in (True, False):
        for distortion in (1.0, 0.5):
            yield Case(
                op, i64([[0, 3], [2, 4]]), num_true=2, num_sampled=3, unique=unique, range_max=6,
                unigrams=[1.0, 4.0, 2.0, 1.0, 0.5, 3.0], distortion=distortion, seed=3, seed2=5,
            )  # fmt: skip
    yield Case(
        op, i64([[0]]), num_true=1, num_sampled=2, unique=False, range_max=5,
        unigrams=[1.0, 4.0], seed=3, seed2=5, kind="mismatch",
    )  # fmt: skip


@family("nn", "ComputeAccidentalHits")
def hits(op):
    true = i64([[1, 2], [3, 4], [5, 1]])
    yield Case(op, true, i64([1, 5, 7]), num_true=2)
    yield Case(op, true, i64([8, 9]), num_true=2)
    yield Case(op, true, i64([1]), num_true=3, kind="mismatch")
    yield Case(op, true, i64([[1]]), num_true=2, kind="bad rank")


# CTC


@family("nn", "CTCLoss")
def ctc_loss(op):
    x = numbers(op, 5, 2, 4)
    indices, values = i64([[0, 0], [0, 1], [1, 0]]), i32([0, 2, 1])
    lengths = i32([5, 4])
    yield Case(op, x, indices, values, lengths)
    yield Case(op, x, indices, values, lengths, preprocess_collapse_repeated=True, kind="attr")
    yield Case(op, x, indices, i32([1, 1, 1]), lengths, ctc_merge_repeated=False, kind="attr")
    yield Case(op, x, indices, i32([1, 1, 1]), lengths)
    yield Case(op, x, indices, values, i32([1, 4]), kind="too short")
    yield Case(
        op, x, indices, values, i32([1, 4]), ignore_longer_outputs_than_inputs=True, kind="attr"
    )
    yield Case(op, x, indices, i32([0, 3, 1]), lengths, kind="blank label")
    yield Case(op, x, indices, values, i32([6, 4]), kind="too long")
    yield Case(op, x, indices, values, i32([5]), kind="mismatch")


@family("nn", "CTCGreedyDecoder CTCBeamSearchDecoder")
def ctc_decode(op):
    x = numbers(op, 6, 2, 4)
    for merge in (True, False):
        attrs = {"merge_repeated": merge}
        if op == "CTCBeamSearchDecoder":
            attrs.update(beam_width=4, top_paths=2)
        yield Case(op, x, i32([6, 4]), attrs=attrs)
        yield Case(op, x, i32([0, 1]), attrs=dict(attrs))
        yield Case(op, x, i32([7, 4]), attrs=dict(attrs), kind="too long")
        yield Case(op, x, i32([6]), attrs=dict(attrs), kind="mismatch")


# Recurrent cells

CELL = {"forget_bias": 1.0, "cell_clip": 3.0}


@family("nn", "BlockLSTM BlockLSTMV2")
def block_lstm(op):
    for peephole in (False, True):
        x, c, h, w, ci, cf, co, b = lstm_inputs(op, "float32")
        attrs = {"cell_clip": 3.0, "use_peephole": peephole}
        yield Case(op, i64(3), x, c, h, w, ci, cf, co, b, attrs=attrs)
        yield Case(op, i64(3), x, c, h, w, ci, cf, co, b, attrs=dict(attrs, cell_clip=0.0))


def lstm_inputs(op, dtype, steps=3):
    batch, inputs, cells = 2, 2, 3
    x = numbers(op, steps, batch, inputs, dtype=dtype, low=-1, high=2)
    c, h = (numbers(op, batch, cells, dtype=dtype, low=-1, high=2, seed=i) for i in (1, 2))
    w = numbers(op, inputs + cells, 4 * cells, dtype=dtype, low=-1, high=1, seed=3)
    peepholes = [numbers(op, cells, dtype=dtype, low=-1, high=1, seed=i) for i in (4, 5, 6)]
    b = numbers(op, 4 * cells, dtype=dtype, low=-1, high=1, seed=7)
    return [x, c, h, w] + peepholes + [b]


@family("nn", "BlockLSTMGrad BlockLSTMGradV2")
def block_lstm_gradient(op):
    for peephole in (False, True):
        x, c, h, w, ci, cf, co, b = lstm_inputs(op, "float32")
        states = [
            (numbers(op, 3, 2, 3, low=0, high=1, seed=10 + i) + np.float32(0.125)) / 2
            for i in range(9)
        ]
        yield Case(
            op, i64(3), x, c, h, w, ci, cf, co, b, *[s.astype(np.float32) for s in states],
            use_peephole=peephole,
        )  # fmt: skip


def lstm_cell(op):
    for peephole in (False, True):
        x, c, h, w, ci, cf, co, b = lstm_inputs(op, "float32")
        yield Case(op, x[0], c, h, w, ci, cf, co, b, use_peephole=peephole)
        yield Case(op, x[0], c, h, w, ci, cf, co, b, use_peephole=peephole, attrs=dict(CELL))


def lstm_cell_gradient(op):
    for peephole in (False, True):
        x, c, h, w, ci, cf, co, b = lstm_inputs(op, "float32")
        gates = [
            ((numbers(op, 2, 3, low=0, high=1, seed=10 + i) + np.float32(0.125)) / 2).astype("f4")
            for i in range(8)
        ]
        yield Case(op, x[0], c, h, w, ci, cf, co, b, *gates, use_peephole=peephole)


def gru_cell(op):
    x = numbers(op, 2, 2, low=-1, high=2)
    h = numbers(op, 2, 3, low=-1, high=2, seed=1)
    w = numbers(op, 5, 6, low=-1, high=1, seed=2)
    wc = numbers(op, 5, 3, low=-1, high=1, seed=3)
    b, bc = numbers(op, 6, low=-1, high=1, seed=4), numbers(op, 3, low=-1, high=1, seed=5)
    more = []
    if op.endswith("Grad"):
        more = [
            ((numbers(op, 2, 3, low=0, high=1, seed=10 + i) + np.float32(0.125)) / 2).astype("f4")
            for i in range(4)
        ]
    yield Case(op, x, h, w, wc, b, bc, *more)


def gather_tree(op):
    steps = i32([[[0, 1]], [[2, 3]], [[1, 4]]])
    parents = i32([[[0, 0]], [[0, 1]], [[1, 0]]])
    yield Case(op, steps, parents, i32([3]), i32(9))
    yield Case(op, steps, parents, i32([2]), i32(9))
    yield Case(op, steps, parents[:2], i32([3]), i32(9), kind="mismatch")
