"""The native functions of arrays: results equal bit for bit, None for what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base import native
from headwater.ops.nn.ctc_paths import label_probabilities
from headwater.ops.random import distributions, philox
from headwater.ops.random.permutation import permutation
from headwater.ops.strings.hashes import fingerprint64

needs_functions = pytest.mark.skipif(
    isinstance(native.host(), native._NoFunctions),
    reason="needs native functions: built by `pip install .`, not turned off",
)
pytestmark = needs_functions

# More elements than are computed without letting other threads of Python run.
MANY = 40_000


@pytest.fixture
def host():
    return native.host()


def words(*items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def both_ways(monkeypatch, compute):
    """What a function returns with the native functions, and what it returns without."""
    found = compute()
    with monkeypatch.context() as patch:
        patch.setattr(native, "host", native._NoFunctions)
        return found, compute()


def assert_same(found, expected):
    assert len(found) == len(expected)
    for x, y in zip(found, expected):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        # Bit for bit: the sign of zeros counts.
        assert x.tolist() == y.tolist() if x.dtype == object else x.tobytes() == y.tobytes()


def runs_of(fetches):
    """Interprets nodes in a new session."""
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    with tf.Session(config=config) as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches)


def segment_ops(rng, index_type, value_type):
    raw = tf.raw_ops
    data = rng.normal(size=(50, 7)).astype(value_type)
    data[3] = -0.0
    for size, rows, count in ((0, 50, 0), (1, 50, 3), (40, 50, 20), (MANY, 50, 60), (20, 50, 20)):
        indices = rng.randint(0, rows, size).astype(index_type)
        ids = np.sort(rng.randint(0, max(count, 1), size)).astype(np.int32)
        yield raw.SparseSegmentSum(data=data, indices=indices, segment_ids=ids)
        yield raw.SparseSegmentMean(data=data, indices=indices, segment_ids=ids)
        yield raw.SparseSegmentSqrtN(data=data, indices=indices, segment_ids=ids)
        grads = (data, indices, ids, 60)
        names = ("grad", "indices", "segment_ids", "output_dim0")
        if count <= len(data):
            yield raw.SparseSegmentMeanGrad(**dict(zip(names, grads)))
            yield raw.SparseSegmentSqrtNGrad(**dict(zip(names, grads)))
        yield raw.GatherV2(params=data, indices=indices, axis=0)
        some = rng.randint(-2, 9, size).astype(index_type)
        yield raw.UnsortedSegmentSum(data=data[indices], segment_ids=some, num_segments=9)
    each = np.arange(50, dtype=np.int32)
    yield raw.SparseSegmentMean(data=data, indices=each, segment_ids=each)
    yield raw.SparseSegmentMeanGrad(grad=data, indices=each, segment_ids=each, output_dim0=50)
    yield raw.UnsortedSegmentSum(data=data, segment_ids=each, num_segments=50)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("value_type", [np.float32, np.float64])
def test_sums_of_segments_are_equal(rng, monkeypatch, index_type, value_type):
    ops = list(segment_ops(np.random.RandomState(1), index_type, value_type))
    assert_same(*both_ways(monkeypatch, lambda: runs_of(ops)))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_distinct_numbers_are_equal(monkeypatch, kind):
    random = np.random.RandomState(2)
    lowest, highest = np.iinfo(kind).min, np.iinfo(kind).max
    vectors = [
        random.randint(low, high, size, kind)
        for low, high in ((0, 9), (-5, 5), (lowest, highest), (highest - 3, highest))
        for size in (0, 1, 30, MANY)
    ]
    ops = [tf.raw_ops.Unique(x=v, out_idx=i) for v in vectors for i in (tf.int32, tf.int64)]
    flat = [output for op in ops for output in op]
    assert_same(*both_ways(monkeypatch, lambda: runs_of(flat)))


def test_masks_and_rows_of_sparse_tensors_are_equal(monkeypatch):
    random = np.random.RandomState(3)
    shapes = [(0,), (9,), (9, 1), (1, 9), (4, 5), (3, 1, 4), (0, 3), (MANY, 1)]
    ops = [tf.where(random.randint(0, 2, shape) > 0) for shape in shapes]
    for rows in ([0, 1, 2], [0, 0, 1, 2, 2], [0, 2], [1, 0, 2], []):
        indices = np.array([[row, place] for place, row in enumerate(rows)], np.int64)
        ops += tf.raw_ops.SparseFillEmptyRows(
            indices=indices.reshape(-1, 2),
            values=np.arange(len(rows)),
            dense_shape=np.array([3, 9]),
            default_value=np.int64(7),
        )
    assert_same(*both_ways(monkeypatch, lambda: runs_of(ops)))


OPTIMIZERS = {
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1),
    "penalties": lambda: tf.train.FtrlOptimizer(
        0.3, l1_regularization_strength=0.4, l2_regularization_strength=0.01
    ),
    "power": lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=-0.3),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("resource", [False, True])
def test_updates_of_rows_are_equal(rng, monkeypatch, optimizer, resource):
    terms = []
    for kind in (np.float32, np.float64):
        for i, shape in enumerate([(40,), (40, 1), (40, 3), (40, 8), (40, 3)]):
            start = rng.normal(size=shape).astype(kind)
            name = f"table{i}_{start.dtype}"
            table = tf.get_variable(name, initializer=start, use_resource=resource)
            rows = tf.gather(table, [3, 1, 3, 39]) + tf.gather(table, [0, 1, 2, 2])
            terms.append(tf.cast(tf.reduce_sum(rows**2), tf.float64))
    with tf.control_dependencies([OPTIMIZERS[optimizer]().minimize(tf.add_n(terms))]):
        fetches = [v.read_value() for v in tf.global_variables()]
    assert_same(*both_ways(monkeypatch, lambda: runs_of(fetches)))


@pytest.mark.parametrize("rows", [[2, 0], [1, 1], [5, 7], [], [0, 9]])
@pytest.mark.parametrize("slots", [False, True])
def test_raw_updates_of_rows_are_equal(rng, monkeypatch, rows, slots):
    var = tf.get_variable("var", initializer=rng.normal(size=(9, 3)), use_resource=True)
    accum = tf.get_variable("accum", initializer=np.ones((9, 3)), use_resource=True)
    update = tf.raw_ops.ResourceSparseApplyAdagrad(
        var=var.handle,
        accum=accum.handle,
        lr=np.float64(0.1),
        grad=rng.normal(size=(len(rows), 3)),
        indices=np.array(rows, np.int64),
        update_slots=slots,
    )
    with tf.control_dependencies([update]):
        fetches = [var.read_value(), accum.read_value()]
    if 9 in rows:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Index 9 at offset 1"):
            runs_of(fetches)
    else:
        assert_same(*both_ways(monkeypatch, lambda: runs_of(fetches)))


def dense_ops(random):
    for kind in (np.float32, np.int64, np.int16):
        for index_type in (np.int32, np.int64):
            values = random.randint(-9, 9, 4).astype(kind)
            pairs = np.array([[0, 2], [1, 0], [1, 3], [2, 2]], index_type)
            default = kind(5)
            for indices, given in ((pairs, values), (pairs, kind(3)), (pairs[:0], values[:0])):
                yield tf.sparse_to_dense(indices, [3, 4], given, default)
            mixed = pairs[[2, 0, 2, 1]]
            yield tf.sparse_to_dense(mixed, [3, 4], values, default, validate_indices=False)
            yield tf.sparse_to_dense(pairs[::2, 1], [4], values[:2], default, False)


def test_dense_tensors_are_equal(monkeypatch):
    ops = list(dense_ops(np.random.RandomState(6)))
    assert_same(*both_ways(monkeypatch, lambda: runs_of(ops)))
    for indices, text in (
        ([[0, 2], [0, 2]], r"indices\[1\] = \[0,2\] is repeated"),
        ([[1, 0], [0, 2]], r"indices\[1\] = \[0,2\] is out of order"),
        ([[0, 4]], r"indices\[0\] = \[0,4\] is out of bounds"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            runs_of(tf.sparse_to_dense(indices, [3, 4], 1.0, 0.0))


@pytest.mark.parametrize("unique", [True, False])
def test_sampled_classes_and_accidental_hits_are_equal(monkeypatch, unique):
    random = np.random.RandomState(7)
    labels = random.randint(0, 40, (30, 2))
    fetches = []
    for count in (1, 7, 40):
        samples = tf.nn.log_uniform_candidate_sampler(labels, 2, count, unique, 40, seed=3)
        fetches += [*samples, *tf.nn.compute_accidental_hits(labels, samples[0], 2)]
    repeated = np.array([3, 9, 3, 3, 5])
    fetches += tf.nn.compute_accidental_hits(labels, repeated, 2)
    fetches += tf.nn.compute_accidental_hits(labels, repeated[:0], 2)
    assert_same(*both_ways(monkeypatch, lambda: runs_of(fetches)))


def test_words_are_equal(monkeypatch):
    random = np.random.RandomState(4)
    items = words(*(random.bytes(n) for n in (*range(70), 200)), b"", b"a\0", b"a")
    table = tf.contrib.lookup.HashTable(
        tf.contrib.lookup.KeyValueTensorInitializer(list(items[5:30]), range(25), tf.string), -1
    )
    fed = tf.placeholder(tf.string, [None])
    texts = words("", "abc", "\u00fc\u4e2d\U0001f600")
    fetches = [
        tf.string_to_hash_bucket_fast(fed, 1 << 62),
        tf.not_equal(fed, ""),
        tf.not_equal(fed, "a"),
        table.lookup(fed),
    ]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        for value in (items, items[:40], items[::2], texts, items[:0]):
            assert_same(*both_ways(monkeypatch, lambda v=value: session.run(fetches, {fed: v})))


def test_fingerprints_are_those_of_farmhash(host):
    random = np.random.RandomState(5)
    items = words(*(random.bytes(n) for n in range(65) for _ in range(20)))
    count = (1 << 63) - 1
    assert host.buckets(items, count).tolist() == [fingerprint64(v) % count for v in items]


def test_errors_come_from_the_other_forms():
    data = np.ones((4, 2), np.float32)
    with tf.Session() as session:
        for op, text in (
            (tf.gather(data, [1, 4]), r"indices\[1\] = 4 is not in \[0, 4\)"),
            (tf.unsorted_segment_sum(data, [0, 1, 2, 3], 3), r"segment_ids\[3\] = 3 is out of"),
            (tf.sparse_segment_sum(data, [0, 9], [0, 1]), r"Bad: indices\[1\] == 9 out of range"),
            (tf.sparse_segment_sum(data, [0, 1], [1, 0]), "segment ids are not increasing"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(op)


def test_what_they_do_not_take_is_refused(host):
    floats, numbers = np.ones((6, 2), np.float32), np.arange(3)
    strided, swapped = floats[::2], floats.astype(">f4")
    for rows in (strided, swapped, floats.astype(object), floats[0, 0], [1.0]):
        assert host.take(rows, numbers) is None
        assert host.put(rows, numbers, floats[:3], False) is None
        assert host.sum(rows, numbers, 3) is None
        assert host.sum_picked(rows, numbers, numbers.astype(np.int32), -1, 1) is None
        assert host.spread(rows, numbers, numbers.astype(np.int32), 3, 1) is None
    for indices in (numbers[::-1], numbers.astype(np.uint8), np.array([0, -1]), np.array([6]), 1):
        assert host.take(floats, indices) is None
        assert host.put(floats, indices, floats[:3], False) is None
    assert host.put(floats, numbers, floats[:2], False) is None
    assert host.put(floats, numbers, floats[:3, :1], False) is None
    assert host.put(floats, numbers, floats[:3].astype(np.float64), False) is None
    classes = numbers.reshape(3, 1)
    assert host.accidental_hits(classes.astype(np.int32), numbers) is None
    assert host.to_dense(classes, np.array([3, 3]), floats[:3, 0].copy(), floats[0, 0], 1) is None
    shape = np.array([1 << 50])
    assert host.to_dense(classes, shape, numbers, np.array(0), True) is None
    assert host.unique(numbers[::2], 4) is None
    assert host.unique(numbers, 2) is None
    assert host.positions(numbers) is None
    assert host.positions(np.array(True)) is None
    assert host.are_distinct(numbers, -1) is None
    assert host.in_range(np.array([True]), 3) is None
    for items in (words("a", b"b"), words(None), np.array(["a"]), b"a"):
        assert host.buckets(items, 9) is None
        assert host.differs(items, b"") is None
        assert host.find({}, items, 0, 8) is None
        assert host.encode(items) is None
    assert host.differs(words(b"a"), "a") is None
    assert host.find({b"a": 1.5}, words(b"a"), 0, 8) is None
    assert host.find({b"a": 1 << 70}, words(b"a"), 0, 8) is None


@pytest.mark.parametrize("skips_empty", [False, True])
@pytest.mark.parametrize("marks", [b" ", b", ", b"\0"])
def test_parts_of_words_are_equal(monkeypatch, skips_empty, marks):
    items = words(b"", b"a", b" ", b"a b,c", b",,x  ", b"\0a\0", b"no marks at all")
    for value in (items, items[::2], items[:1], items[:0], words("\u00e4 b", "c")):
        texts = tf.constant(list(value), tf.string, shape=[len(value)])
        parts = tf.string_split(texts, marks, skip_empty=skips_empty)
        fetches = [parts.indices, parts.values, parts.dense_shape]
        assert_same(*both_ways(monkeypatch, lambda f=fetches: runs_of(f)))


@pytest.mark.parametrize("last", [0, 0xFFFFFFFD])
@pytest.mark.parametrize("count", [1, 29, 64, MANY])
def test_random_words_and_shuffles_are_equal(monkeypatch, count, last):
    """Also where the counter goes beyond 64 bits."""
    stream = np.array([7, 1, last, 0xFFFFFFFF if last else 0, 3, 0], np.uint32)
    offsets = np.arange(0, 64 * count, 64, dtype=np.uint64)

    def drawn():
        return [
            distributions.words(np, stream, count),
            distributions.uniform(np, stream, count, np.float64),
            distributions.truncated_normal(np, stream, count, np.float32),
            *philox.blocks_at(np, stream, offsets),
            *philox.blocks_at(np, philox.RowStreams(stream, 4, 1 << 40), offsets),
            permutation(np, stream, count + 1),
        ]

    assert_same(*both_ways(monkeypatch, drawn))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_boxes_are_equal(monkeypatch, threshold):
    random = np.random.RandomState(2)
    boxes = random.uniform(size=(2, 80, 3, 4)).astype(np.float32)
    boxes[0, ::9, :, 2:] = boxes[0, ::9, :, :2]
    # Many equal scores: which comes first depends on the heap.
    scores = random.randint(0, 6, (2, 80, 3)).astype(np.float32) / 6
    one, many = boxes[0, :, 0].copy(), scores[0, :, 0].copy()
    unclear = one.copy()
    unclear[3, 1] = np.nan
    suppress = tf.image.non_max_suppression
    fetches = [
        suppress(one, many, 30, threshold),
        suppress(one, many, 30, threshold, score_threshold=0.4),
        suppress(unclear, many, 30, threshold),
        suppress(one[:0], many[:0], 30, threshold),
        *tf.image.non_max_suppression_padded(one, many, 90, threshold, pad_to_max_output_size=True),
        *tf.image.combined_non_max_suppression(boxes, scores, 20, 50, threshold, 0.2),
    ]
    assert_same(*both_ways(monkeypatch, lambda: runs_of(fetches)))


@pytest.mark.parametrize("value_type", [np.float32, np.float64])
@pytest.mark.parametrize("merge", [False, True])
def test_paths_of_labels_are_equal_up_to_rounding(rng, monkeypatch, merge, value_type):
    powers = rng.uniform(size=(30, 6, 5)) ** 4
    powers[0, 0, 1] = 0
    probabilities = (powers / powers.sum(2, keepdims=True)).astype(value_type)
    labels = rng.integers(0, 4, (6, 7))
    lengths, times = np.array([7, 0, 3, 7, 1, 7]), np.array([30, 4, 0, 5, 30, 20])
    arguments = probabilities, labels, lengths, times, merge
    for found, expected in zip(*both_ways(monkeypatch, lambda: label_probabilities(*arguments))):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        tolerance = 1e-4 if value_type is np.float32 else 1e-10
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-6)


def test_paths_that_they_do_not_take_are_refused(host):
    labels, lengths = np.zeros((2, 3), np.int32), np.full(2, 3, np.int32)
    probabilities = np.full((5, 2, 4), 0.25, np.float32)
    assert host.label_paths(probabilities, labels, lengths, lengths, True) is not None
    unclear = probabilities.copy()
    unclear[0, 0, 0] = np.nan
    for other in (unclear, probabilities[:, :1].copy(), probabilities[::2], probabilities[0]):
        assert host.label_paths(other, labels, lengths, lengths, True) is None
    for wrong in (labels - 1, labels + 4, labels.astype(np.int64), labels[:1].copy()):
        assert host.label_paths(probabilities, wrong, lengths, lengths, True) is None
    for wrong in (lengths + 1, -lengths, lengths[:1].copy()):
        assert host.label_paths(probabilities, labels, wrong, lengths, True) is None
    assert host.label_paths(probabilities, labels, lengths, lengths + 3, True) is None


def test_other_kinds_of_words_streams_and_boxes_are_refused(host):
    assert host.split(words(b"a", "b"), b" ", True) is None
    assert host.split(words(b"a").reshape(1, 1), b" ", True) is None
    assert host.split(words(b"a"), " ", True) is None
    stream, offsets = np.zeros(6, np.uint32), np.zeros(2, np.uint64)
    assert host.philox(stream[:5].copy(), offsets) is None
    assert host.philox(stream.astype(np.int32), offsets) is None
    assert host.philox(stream, offsets.astype(np.int64)) is None
    assert host.permutation(offsets) is None
    boxes, scores = np.zeros((3, 4), np.float32), np.zeros(3, np.float32)
    assert host.suppressed(boxes, scores, 2, 0.5, 0.0).tolist() == []
    assert host.suppressed(boxes, scores[:2].copy(), 2, 0.5, 0.0) is None
    assert host.suppressed(boxes[:, :3].copy(), scores, 2, 0.5, 0.0) is None
    assert host.suppressed(boxes, scores.astype(np.float64), 2, 0.5, 0.0) is None
    assert host.suppressed(boxes, scores, "2", 0.5, 0.0) is None


def test_distinct_numbers_of_a_large_range_are_sorted(host):
    numbers = np.array([5, 1 << 40, 7], np.int64)
    assert host.are_distinct(numbers, 1 << 41) is True
    assert host.are_distinct(np.append(numbers, 7), 1 << 41) is False
    assert host.are_distinct(numbers, 1 << 40) is False


def test_texts_without_an_encoding_are_refused():
    fed = tf.placeholder(tf.string, [None])
    with tf.Session() as session, pytest.raises(UnicodeEncodeError):
        session.run(fed, {fed: words("\ud800")})
