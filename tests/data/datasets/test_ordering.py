"""Datasets that order and group elements: rows, saved iterators, numbers of elements, files."""

import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.base import errors
from headwater.ops.data.dataset import INFINITE, UNKNOWN, IteratorContext, dataset_of

numbers = tf.data.Dataset.range
experimental = tf.data.experimental
RAW = tf.raw_ops


def fills(count):
    return numbers(count).map(lambda x: tf.fill([x % 4], x))


def pairs(count):
    return tf.data.Dataset.zip((numbers(count), tf.data.Dataset.from_tensor_slices(["a"] * count)))


def raw(op, source, spec=None, **arguments):
    spec = source.element_spec if spec is None else spec
    variant = op(
        input_dataset=experimental.to_variant(source),
        output_types=[spec.dtype],
        output_shapes=[spec.shape],
        **arguments,
    )
    return experimental.from_variant(variant, spec)


def shuffled_by_generator():
    generator = RAW.AnonymousRandomSeedGenerator(seed=3, seed2=4)
    return raw(RAW.ShuffleDatasetV2, numbers(9), buffer_size=4, seed_generator=generator.handle)


def cached_in_resource():
    cache = RAW.AnonymousMemoryCache()
    return raw(RAW.CacheDatasetV2, numbers(5), filename="", cache=cache.handle)


def summed(state, x):
    return state + x


DATASETS = {
    "repeat": lambda: numbers(3).repeat(3),
    "repeat nothing": lambda: numbers(3).repeat(0),
    "take": lambda: numbers(9).take(5),
    "skip": lambda: numbers(9).skip(4),
    "skip all": lambda: numbers(9).skip(-1),
    "shard": lambda: numbers(10).shard(3, 1),
    "concatenate": lambda: numbers(3).concatenate(numbers(7, 9)),
    "zip": lambda: tf.data.Dataset.zip((numbers(6), numbers(3).repeat().batch(2))).take(5),
    "zip of unequal rows": lambda: tf.data.Dataset.zip((numbers(9), numbers(3).repeat(3))),
    "enumerate": lambda: pairs(4).enumerate(3),
    "cache": lambda: numbers(4).cache().repeat(2),
    "cache of unequal elements": lambda: fills(6).cache().repeat(2),
    "shuffle": lambda: numbers(9).shuffle(4, seed=3),
    "shuffle of unequal elements": lambda: fills(9).shuffle(4, seed=3),
    "shuffle of pairs": lambda: pairs(9).shuffle(20, seed=3),
    "shuffle with one order": lambda: numbers(4).shuffle(3, 3, False).repeat(3),
    "shuffle, repeat": lambda: numbers(4).shuffle(3, seed=3).repeat(3),
    "shuffle, map, repeat": lambda: numbers(4).shuffle(3, seed=3).map(lambda x: -x).repeat(3),
    "shuffle and repeat": lambda: numbers(5).apply(experimental.shuffle_and_repeat(9, 3, 5)),
    "shuffles in flat_map": lambda: (
        numbers(3).flat_map(lambda x: numbers(x + 2).shuffle(3, seed=5)).repeat(2)
    ),
    "shuffle by a generator": shuffled_by_generator,
    "cache in a resource": cached_in_resource,
    "padded_batch": lambda: fills(7).padded_batch(3, [None]),
    "padded_batch of pairs": lambda: pairs(7).padded_batch(3, ([], []), drop_remainder=True),
    "unbatch": lambda: numbers(7).batch(3).unbatch(),
    "windows": lambda: numbers(7).window(3, 2, 2).flat_map(lambda w: w.batch(3)),
    "windows with gaps": lambda: numbers(9).window(2, 3).flat_map(lambda w: w),
    "sliding windows": lambda: numbers(9).apply(tf.contrib.data.sliding_window_batch(3, 2)),
    "group_by_window": lambda: numbers(11).apply(
        experimental.group_by_window(lambda x: x % 3, lambda k, w: w.batch(2), 3)
    ),
    "group_by_reducer": lambda: numbers(11).apply(
        experimental.group_by_reducer(
            lambda x: x % 3, experimental.Reducer(lambda k: k * 0, summed, lambda s: s)
        )
    ),
    "buckets": lambda: fills(12).apply(
        experimental.bucket_by_sequence_length(tf.size, [2, 3], [2, 2, 2])
    ),
    "dense_to_sparse_batch": lambda: fills(6).apply(experimental.dense_to_sparse_batch(2, [4])),
    "unique": lambda: numbers(9).map(lambda x: x % 4).apply(experimental.unique()),
    "sample_from_datasets": lambda: experimental.sample_from_datasets(
        [numbers(6), numbers(10, 14)], seed=3
    ),
    "rejection_resample": lambda: numbers(40).apply(
        experimental.rejection_resample(
            lambda x: tf.cast(x % 2, tf.int32), [0.3, 0.7], [0.5, 0.5], seed=2
        )
    ),
    "sampling": lambda: raw(RAW.SamplingDataset, numbers(20), rate=0.4, seed=1, seed2=5),
    "rebatch": lambda: raw(RAW.RebatchDataset, numbers(7).batch(4), num_replicas=3),
    "auto_shard": lambda: raw(RAW.AutoShardDataset, numbers(9), num_workers=2, index=1),
}


def made(session, make):
    """The value of a dataset."""
    return dataset_of(session.run(experimental.to_variant(make())))


def plain(element):
    return [np.asarray(value).tolist() for value in element]


def rest_of(iterator):
    found = []
    while (element := iterator.next()) is not None:
        found.append(plain(element))
    assert iterator.next() is None
    return found


@pytest.mark.parametrize("name", DATASETS)
def test_a_saved_iterator_goes_on_where_it_was(name, session):
    dataset = made(session, DATASETS[name])
    expected = rest_of(dataset.iterate(IteratorContext()))
    for position in range(len(expected) + 2):
        first = dataset_copy = made(session, DATASETS[name])
        iterator = first.iterate(IteratorContext())
        for _ in range(position):
            iterator.next()
        state = {}
        iterator.save(state, "state")
        restored = dataset_copy.iterate(IteratorContext())
        restored.restore(state, "state")
        assert rest_of(restored) == expected[position:], position
        iterator.close()
        restored.close()


@pytest.mark.parametrize("name", DATASETS)
def test_rows_are_the_elements(name, session):
    expected = rest_of(made(session, DATASETS[name]).iterate(IteratorContext()))
    for sizes in ([2, 1, 5], [100]):
        iterator = made(session, DATASETS[name]).iterate(IteratorContext())
        found = []
        while (rows := iterator.next_rows(sizes[len(found) % len(sizes)])) is not None:
            assert 0 < len(rows[0]) <= sizes[len(found) % len(sizes)] or sizes != [100]
            found += [plain([array[i] for array in rows]) for i in range(len(rows[0]))]
        assert found == expected


@pytest.mark.parametrize("name", DATASETS)
def test_the_cardinality_is_the_number_of_elements(name, session):
    dataset = made(session, DATASETS[name])
    count = len(rest_of(dataset.iterate(IteratorContext())))
    assert dataset.cardinality() in (count, UNKNOWN)


def test_cardinality_of_datasets_without_an_end(session):
    endless = numbers(3).repeat()
    for dataset in (endless, endless.shuffle(2), endless.skip(2), endless.concatenate(numbers(2))):
        assert session.run(experimental.cardinality(dataset)) == INFINITE
    assert session.run(experimental.cardinality(endless.take(4))) == 4
    zipped = tf.data.Dataset.zip((endless, numbers(7)))
    assert session.run(experimental.cardinality(zipped)) == 7


def reference_order(count, capacity, words):
    """Which of `count` numbers a buffer gives next, one after the other."""
    waiting, buffer, result = list(range(count)), [], []
    while waiting or buffer:
        while waiting and len(buffer) < capacity:
            buffer.append(waiting.pop(0))
        # The buffer is a ring whose first place is exchanged with the chosen one.
        chosen = next(words) % len(buffer)
        buffer[0], buffer[chosen] = buffer[chosen], buffer[0]
        result.append(buffer.pop(0))
    return result


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 40), st.integers(1, 50), st.lists(st.integers(1, 9), min_size=1), st.integers()
)
def test_blocks_of_a_shuffle_are_its_elements_one_by_one(count, capacity, sizes, seed):
    from headwater.base import dtypes
    from headwater.ops.data.range_dataset import RangeDataset
    from headwater.ops.data.shuffle import ShuffleDataset
    from headwater.ops.data.shuffle_buffer import Words

    seeds = abs(seed) % 2**31 + 1, 7
    source = RangeDataset(range(count), [dtypes.int64], [()])
    dataset = ShuffleDataset(source, capacity, seeds, False, [dtypes.int64], [()])
    iterator = dataset.iterate(IteratorContext())
    found, i = [], 0
    while (rows := iterator.next_rows(sizes[i % len(sizes)])) is not None:
        found += rows[0].tolist()
        i += 1
    words = Words(*seeds)
    assert found == reference_order(count, capacity, (int(words.take(1)[0]) for _ in range(count)))


def test_twins_of_ops_are_the_same_datasets(session):
    scalar = tf.TensorSpec([], tf.int64)
    vector = tf.TensorSpec([None], tf.int64)
    sparse = numbers(4).apply(experimental.dense_to_sparse_batch(2, []))
    twins = [
        (
            numbers(4).batch(2).unbatch(),
            raw(RAW.ExperimentalUnbatchDataset, numbers(4).batch(2), scalar),
        ),
        (numbers(4), raw(RAW.ExperimentalUniqueDataset, numbers(4))),
        (
            numbers(4).apply(tf.contrib.data.sliding_window_batch(2)),
            raw(
                RAW.ExperimentalSlidingWindowDataset,
                numbers(4),
                vector,
                window_size=2,
                window_shift=1,
                window_stride=1,
            ),
        ),
        (
            numbers(4).batch(2),
            raw(RAW.ExperimentalRebatchDataset, numbers(4).batch(4), num_replicas=2),
        ),
        (
            numbers(4).shard(2, 1),
            raw(RAW.ExperimentalAutoShardDataset, numbers(4), num_workers=2, index=1),
        ),
        (
            sparse,
            experimental.from_variant(
                RAW.ExperimentalDenseToSparseBatchDataset(
                    input_dataset=experimental.to_variant(numbers(4)),
                    batch_size=2,
                    row_shape=tf.constant([], tf.int64),
                    output_types=[tf.int64],
                    output_shapes=[[None]],
                ),
                sparse.element_spec,
            ),
        ),
        (
            numbers(2),
            experimental.from_variant(
                RAW.ExperimentalDirectedInterleaveDataset(
                    selector_input_dataset=experimental.to_variant(numbers(1).repeat(2)),
                    data_input_datasets=[experimental.to_variant(numbers(2))],
                    output_types=[tf.int64],
                    output_shapes=[[]],
                ),
                scalar,
            ),
        ),
        (
            fills(4).padded_batch(2, [None]),
            experimental.from_variant(
                RAW.PaddedBatchDataset(
                    input_dataset=experimental.to_variant(fills(4)),
                    batch_size=2,
                    padded_shapes=[tf.constant([-1], tf.int64)],
                    padding_values=[tf.constant(0, tf.int64)],
                    output_shapes=[[None, None]],
                ),
                tf.TensorSpec([None, None], tf.int64),
            ),
        ),
    ]
    for wanted, given_ in twins:
        first, second = made(session, lambda w=wanted: w), made(session, lambda g=given_: g)
        assert rest_of(first.iterate(IteratorContext())) == rest_of(
            second.iterate(IteratorContext())
        )


def group_arguments(dataset):
    """The attrs and inputs of the op of a grouping dataset."""
    op = experimental.to_variant(dataset).op
    op = op if op.type.endswith("Dataset") else op.inputs[0].op
    return op


@pytest.mark.parametrize("name", ["group_by_window", "group_by_reducer"])
def test_twins_of_grouping_ops(name, session):
    dataset = DATASETS[name]()
    op = group_arguments(dataset)
    twin = {
        "GroupByWindowDataset": RAW.ExperimentalGroupByWindowDataset,
        "ExperimentalGroupByReducerDataset": RAW.GroupByReducerDataset,
    }[op.type]
    functions = [key for key in op.node_def.attr if key.endswith("_func")]
    arguments = {key: op.get_attr(key) for key in [*functions, "output_types", "output_shapes"]}
    arguments |= {f"{key}_other_arguments": [] for key in functions}
    variant = twin(input_dataset=op.inputs[0], **arguments)
    other = experimental.from_variant(variant, dataset.element_spec)
    first, second = made(session, lambda: dataset), made(session, lambda: other)
    assert rest_of(first.iterate(IteratorContext())) == rest_of(second.iterate(IteratorContext()))


def test_generators_and_caches_are_deleted(session):
    generator = RAW.AnonymousRandomSeedGenerator(seed=3, seed2=4)
    cache = RAW.AnonymousMemoryCache()
    session.run(
        [
            RAW.DeleteRandomSeedGenerator(handle=generator.handle, deleter=generator.deleter),
            RAW.DeleteMemoryCache(handle=cache.handle, deleter=cache.deleter),
        ]
    )
    wrong = raw(RAW.CacheDatasetV2, numbers(5), filename="", cache=generator.handle)
    with pytest.raises(errors.InvalidArgumentError, match="not a memory cache"):
        session.run(experimental.to_variant(wrong))
    wrong = raw(RAW.ShuffleDatasetV2, numbers(5), buffer_size=2, seed_generator=cache.handle)
    with pytest.raises(errors.InvalidArgumentError, match="not a random seed generator"):
        session.run(experimental.to_variant(wrong))


def test_a_cache_in_files_is_whole_or_is_not_there(session, tmp_path):
    name = str(tmp_path / "cache")
    iterator = numbers(3).cache(name).make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    assert session.run(element) == 0
    assert (tmp_path / "cache_0.lockfile").read_text().startswith("Created at: ")
    other = numbers(3).cache(name).make_initializable_iterator()
    session.run(other.initializer)
    with pytest.raises(errors.AlreadyExistsError, match=r"concurrent caching iterator.*Created at"):
        session.run(other.get_next())
    # What began anew has removed the files of the one before.
    session.run(iterator.initializer)
    assert not list(tmp_path.iterdir())
    assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    assert not (tmp_path / "cache.index").exists()
    with pytest.raises(errors.OutOfRangeError):
        session.run(element)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cache.data-00000-of-00001",
        "cache.index",
    ]
    found = rest_of(made(session, lambda: numbers(99).cache(name)).iterate(IteratorContext()))
    assert found == [[0], [1], [2]]


def test_a_damaged_cache_is_an_error(session, tmp_path):
    name = str(tmp_path / "cache")
    rest_of(made(session, lambda: numbers(3).cache(name)).iterate(IteratorContext()))
    data = tmp_path / "cache.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[9] ^= 1
    data.write_bytes(content)
    iterator = made(session, lambda: numbers(3).cache(name)).iterate(IteratorContext())
    assert plain(iterator.next()) == [0]
    with pytest.raises(errors.DataLossError, match="Checksum does not match"):
        iterator.next()


@pytest.mark.oracle
def test_caches_in_files_go_both_ways(oracle, session, tmp_path):
    mine, theirs = str(tmp_path / "mine"), str(tmp_path / "theirs")
    rest_of(made(session, lambda: pairs(11).cache(mine)).iterate(IteratorContext()))
    source = textwrap.dedent(f"""
        import tensorflow as tf
        numbers = tf.data.Dataset.range
        letters = tf.data.Dataset.from_tensors("x")
        with tf.Session() as sess:
            for name in ({mine!r}, {theirs!r}):
                dataset = tf.data.Dataset.zip((numbers(3), letters.repeat(3))).cache(name)
                element = dataset.make_one_shot_iterator().get_next()
                try:
                    while True:
                        print(sess.run(element))
                except tf.errors.OutOfRangeError:
                    pass
    """)
    printed = oracle(source)
    lines = [*(f"({i}, b'a')" for i in range(11)), *(f"({i}, b'x')" for i in range(3))]
    assert printed.split("\n")[: len(lines)] == lines
    found = rest_of(made(session, lambda: pairs(5).cache(theirs)).iterate(IteratorContext()))
    assert found == [[i, b"x"] for i in range(3)]


def test_keys_are_computed_once_for_each_shape(session):
    calls = []

    def length(x):
        return tf.shape(x)[0]

    def counted(x):
        calls.append(1)
        return tf.cast(length(x), tf.int64)

    dataset = fills(40).apply(
        experimental.group_by_window(counted, lambda k, w: w.padded_batch(5, [None]), 5)
    )
    value = made(session, lambda: dataset)
    iterator = value.iterate(IteratorContext())
    assert len(rest_of(iterator)) == 8
    assert len(iterator._key_of._results) == 4
    assert len(calls) == 1


def test_keys_that_depend_on_state_are_computed_for_each_element(session):
    def key(x):
        return tf.random_uniform([], 0, 2, tf.int64, seed=3)

    def window(k, w):
        return tf.data.Dataset.zip((tf.data.Dataset.from_tensors(k), w.batch(50)))

    dataset = numbers(30).apply(experimental.group_by_window(key, window, 50))
    found = rest_of(made(session, lambda: dataset).iterate(IteratorContext()))
    assert [k for k, _ in found] == [0, 1]


def test_options_of_zipped_and_concatenated_datasets_are_merged():
    options = tf.data.Options()
    options.experimental_deterministic = False
    plain_, other = numbers(3), numbers(3).with_options(options)
    assert tf.data.Dataset.zip((plain_, other)).options().experimental_deterministic is False
    assert plain_.concatenate(other).options().experimental_deterministic is False


def test_shuffled_rows_are_not_changed_later(session):
    dataset = made(session, lambda: numbers(30).shuffle(5, seed=3))
    iterator = dataset.iterate(IteratorContext())
    first = iterator.next()
    before = plain(first)
    rest_of(iterator)
    assert plain(first) == before


def test_an_endless_choice_of_exhausted_datasets_can_be_stopped():
    dataset = experimental.choose_from_datasets([numbers(1), numbers(3)], numbers(1).repeat())
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=500)) as session:
        assert session.run(element) == 0
        with pytest.raises(errors.DeadlineExceededError):
            session.run(element)


def test_generators_of_datasets_that_do_not_come_again_are_dropped(session):
    def shuffled(x):
        return numbers(3).shuffle(3, seed=1).map(lambda y: y)

    context = IteratorContext()
    iterator = made(session, lambda: numbers(20).repeat().flat_map(shuffled)).iterate(context)
    for _ in range(200):
        iterator.next()
    assert len(context.shared) == 1
    context = IteratorContext()
    iterator = made(session, lambda: numbers(20).flat_map(shuffled).repeat()).iterate(context)
    for _ in range(200):
        iterator.next()
    assert len(context.shared) == 20


@pytest.mark.parametrize(
    "transform",
    [
        lambda dataset: dataset.skip(200_000),
        lambda dataset: dataset.shard(10**9, 200_000),
        lambda dataset: dataset.window(1, 200_001).skip(1).flat_map(lambda w: w),
        lambda dataset: raw(RAW.AutoShardDataset, dataset, num_workers=10**9, index=200_000),
    ],
)
def test_elements_that_are_left_out_are_made_in_blocks(transform, session, monkeypatch):
    from headwater.ops.data.range_dataset import _RangeIterator

    asked, next_rows = [], _RangeIterator.next_rows

    def counted(self, count):
        asked.append(count)
        return next_rows(self, count)

    monkeypatch.setattr(_RangeIterator, "next_rows", counted)
    iterator = made(session, lambda: transform(numbers(10**6))).iterate(IteratorContext())
    first = plain(iterator.next())
    assert first in ([200_000], [200_001])
    assert max(asked) <= 2**16
