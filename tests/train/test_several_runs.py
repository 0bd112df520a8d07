"""Queue runners that do several runs at a time: it looks like runs one after the other."""

from __future__ import annotations

import functools
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.engine.running.several_runs import SeveralRuns
from headwater.ops.sparse.tensors_map import SparseTensorsMap

COUNT = 1000


@pytest.fixture
def together(monkeypatch):
    """How often several runs were done together."""
    found = []
    run = SeveralRuns.run

    def counted(self, is_stopped):
        done = run(self, is_stopped)
        if done:
            found.append(self)
        return done

    monkeypatch.setattr(SeveralRuns, "run", counted)
    return found


@pytest.fixture
def records(tmp_path):
    """A file of records that are numbers."""
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(COUNT):
            writer.write(b"%d" % i)
    return path


class Pipeline:
    """A file, a reader and a queue runner with some threads."""

    def __init__(self, path, make_queue, threads=1, epochs=1, components=lambda record: [record]):
        names = tf.train.string_input_producer([path], num_epochs=epochs, shuffle=False)
        self.reader = tf.TFRecordReader()
        self.key, self.record = self.reader.read(names)
        tensors = components(self.record)
        self.queue = make_queue([t.dtype for t in tensors], [t.shape for t in tensors])
        self.enqueue = self.queue.enqueue(tensors)
        self.runner = tf.train.QueueRunner(self.queue, [self.enqueue] * threads)
        tf.train.add_queue_runner(self.runner)
        self.produced = self.reader.num_records_produced()
        self.size = self.queue.size()
        self.coordinator = tf.train.Coordinator()

    def start(self, session):
        session.run(tf.local_variables_initializer())
        self.threads = tf.train.start_queue_runners(session, self.coordinator)

    def stop(self):
        self.coordinator.request_stop()
        self.coordinator.join(self.threads, stop_grace_period_secs=20)


def fifo(capacity):
    return lambda types, shapes: tf.FIFOQueue(capacity, types, shapes)


def rest_of(session, tensor):
    found = []
    try:
        while True:
            found.append(session.run(tensor))
    except tf.errors.OutOfRangeError:
        return found


@pytest.mark.parametrize("capacity", (2, 7, 100, -1))
def test_records_keep_their_order_over_epochs(session, records, together, capacity):
    pipeline = Pipeline(records, fifo(capacity), epochs=2)
    element = pipeline.queue.dequeue()
    pipeline.start(session)
    found = rest_of(session, element)
    assert found == [b"%d" % i for i in range(COUNT)] * 2
    assert together or capacity == 2
    assert session.run(pipeline.produced) == 2 * COUNT
    assert session.run(pipeline.reader.num_work_units_completed()) == 2
    pipeline.stop()


def test_threads_share_a_reader(session, records, together):
    pipeline = Pipeline(records, fifo(50), threads=3)
    batch = pipeline.queue.dequeue_up_to(30)
    pipeline.start(session)
    found = np.concatenate(rest_of(session, batch))
    assert sorted(map(int, found)) == list(range(COUNT))
    assert together
    pipeline.stop()


@pytest.mark.parametrize("threads", (1, 2))
def test_at_most_one_record_of_a_thread_is_between_reader_and_queue(
    session, records, together, threads
):
    pipeline = Pipeline(records, fifo(60), threads, epochs=None)
    batch = pipeline.queue.dequeue_many(40)
    pipeline.start(session)
    taken = 0
    for _ in range(100):
        # Elements come out in this thread only.
        in_queue = session.run(pipeline.size)
        assert session.run(pipeline.produced) >= taken + in_queue
        produced = session.run(pipeline.produced)
        assert produced <= taken + session.run(pipeline.size) + threads
        session.run(batch)
        taken += 40
    assert together
    pipeline.stop()


def test_other_runs_get_the_next_records(session, records, together):
    pipeline = Pipeline(records, fifo(20))
    element = pipeline.queue.dequeue()
    pipeline.start(session)
    found, others = [], []
    for _ in range(COUNT // 10):
        others += [session.run(pipeline.record) for _ in range(2)]
        found += [session.run(element) for _ in range(7)]
    found += rest_of(session, element)
    assert sorted(map(int, found + others)) == list(range(COUNT))
    assert found == sorted(found, key=int)
    assert others == sorted(others, key=int)
    assert together
    pipeline.stop()


def test_a_queue_that_is_closed_loses_one_record_at_most(session, records):
    pipeline = Pipeline(records, fifo(-1), epochs=None)
    cancel = pipeline.queue.close(cancel_pending_enqueues=True)
    pipeline.start(session)
    while session.run(pipeline.size) < 300:
        time.sleep(0.001)
    session.run(cancel)
    at_once = session.run(pipeline.size)
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        pipeline.coordinator.join(pipeline.threads, stop_grace_period_secs=20)
    assert session.run(pipeline.size) == at_once
    assert session.run(pipeline.produced) == at_once + 1


def test_after_a_stop_one_record_follows_at_most(session, records, together):
    pipeline = Pipeline(records, fifo(-1), epochs=None)
    pipeline.start(session)
    while not together:
        time.sleep(0.001)
    pipeline.coordinator.request_stop()
    at_once = session.run(pipeline.size)
    pipeline.coordinator.join(pipeline.threads, stop_grace_period_secs=20)
    assert session.run(pipeline.size) <= at_once + 1


def shuffled_order(records, is_waiting, by_runner):
    """The first batch of a seeded shuffle queue, filled by a queue runner or by single runs."""

    def make_queue(types, shapes):
        return tf.RandomShuffleQueue(200, 5, types, shapes, seed=3)

    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        pipeline = Pipeline(records, make_queue, epochs=None)
        batch = pipeline.queue.dequeue_many(100)
        found = []
        consumer = threading.Thread(target=lambda: found.append(session.run(batch)))
        session.run(tf.local_variables_initializer())
        if is_waiting:
            consumer.start()
            queue = session._state.slot_of(pipeline.queue.queue_ref.op)
            while queue.value is None or not queue.value._dequeues:
                time.sleep(0.001)
        if by_runner:
            pipeline.start(session)
        else:
            producers = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[0]
            coordinator = pipeline.coordinator
            pipeline.threads = producers.create_threads(session, coordinator, start=True)
            for _ in range(200 + 100 * is_waiting):
                session.run(pipeline.enqueue)
        while session.run(pipeline.size) < 200:
            time.sleep(0.001)
        if is_waiting:
            consumer.join()
            rest = session.run(pipeline.queue.dequeue_many(50))
            found.append(rest)
        else:
            found.append(session.run(batch))
        pipeline.stop()
        return found[0].tolist()


@pytest.mark.parametrize("is_waiting", (False, True))
def test_a_seeded_queue_gives_the_order_of_single_runs(records, together, is_waiting):
    expected = shuffled_order(records, is_waiting, by_runner=False)
    assert not together
    assert shuffled_order(records, is_waiting, by_runner=True) == expected
    assert together


def test_elements_before_a_damaged_record_arrive(session, records, together):
    data = bytearray(Path(records).read_bytes())
    # Records are 16 bytes longer than their digits: 12 of them come before.
    place = sum(16 + len(b"%d" % i) for i in range(700)) + 12
    data[place] ^= 1
    Path(records).write_bytes(data)
    pipeline = Pipeline(records, fifo(-1))
    pipeline.start(session)
    with pytest.raises(tf.errors.DataLossError, match=f"corrupted record at {place}"):
        pipeline.coordinator.join(pipeline.threads, stop_grace_period_secs=20)
    assert session.run(pipeline.size) == session.run(pipeline.produced) == 700
    assert together


@pytest.mark.parametrize("wrong", (0, 1, 130, 999))
def test_elements_before_one_with_an_error_arrive(session, records, together, wrong):
    def components(record):
        number = tf.string_to_number(record, tf.int32)
        bad = tf.cast(tf.equal(number, wrong), tf.int32)
        return [tf.constant(5) // (1 - bad), number * 2]

    pipeline = Pipeline(records, fifo(-1), components=components)
    pipeline.start(session)
    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        pipeline.coordinator.join(pipeline.threads, stop_grace_period_secs=20)
    assert session.run(pipeline.size) == wrong
    assert session.run(pipeline.produced) == wrong + 1
    if wrong:
        quotients, numbers = session.run(pipeline.queue.dequeue_many(wrong))
        np.testing.assert_array_equal(quotients, np.full(wrong, 5))
        np.testing.assert_array_equal(numbers, 2 * np.arange(wrong))
    assert bool(together) == (wrong > 128)


def test_examples_with_sparse_features(session, tmp_path, together):
    path = str(tmp_path / "examples")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(500):
            made = tf.train.Example()
            made.features.feature["label"].int64_list.value.append(i)
            made.features.feature["ids"].int64_list.value.extend(range(i % 4))
            writer.write(made.SerializeToString())
    names = tf.train.string_input_producer([path], num_epochs=1)
    features = {"label": tf.FixedLenFeature([], tf.int64), "ids": tf.VarLenFeature(tf.int64)}
    parsed = tf.parse_single_example(tf.TFRecordReader().read(names)[1], features)
    batch = tf.train.batch(parsed, 60, capacity=100, allow_smaller_final_batch=True)
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    labels, ids = [], []
    for found in rest_of(session, batch):
        labels += found["label"].tolist()
        rows = [[] for _ in found["label"]]
        for (row, _), value in zip(found["ids"].indices, found["ids"].values):
            rows[row].append(value)
        ids += rows
    assert labels == list(range(500))
    assert ids == [list(range(i % 4)) for i in range(500)]
    assert together
    values = [slot.value for slot in session._state._slots.values()]
    (kept,) = [value for value in values if isinstance(value, SparseTensorsMap)]
    assert not kept._entries
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)


def test_elements_of_other_shapes_than_the_queue_takes(session, records):
    pipeline = Pipeline(
        records,
        lambda types, shapes: tf.FIFOQueue(-1, types, [[1]]),
        components=lambda record: [tf.decode_raw(record, tf.uint8)],
    )
    pipeline.start(session)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected \[1\], got \[2\]"):
        pipeline.coordinator.join(pipeline.threads, stop_grace_period_secs=20)
    assert session.run(pipeline.size) == 10


def test_ops_with_effects_or_states_run_for_each_element(session, records, together):
    calls = []

    def components(record):
        called = tf.py_func(lambda x: calls.append(x) or x, [record], tf.string)
        called.set_shape([])
        return [called, tf.random_uniform([], seed=1)]

    pipeline = Pipeline(records, fifo(-1), components=components)
    pipeline.start(session)
    numbers = session.run(pipeline.queue.dequeue_many(COUNT))[1]
    pipeline.stop()
    assert calls == [b"%d" % i for i in range(COUNT)]
    assert len(set(numbers.tolist())) > COUNT // 2
    assert not together


@pytest.mark.parametrize("capacity", (3, 50, -1))
def test_random_numbers_are_those_of_single_runs(records, together, capacity):
    drawn = []

    def components(record):
        # Multinomial has no kernel for rows.
        chosen = tf.multinomial([[0.1, 0.2, 0.7]], 2, seed=3)
        drawn[:] = [tf.random_uniform([3], seed=1), tf.random_normal([], seed=2), chosen]
        return [record, drawn[0] * 2, drawn[1], chosen]

    pipeline = Pipeline(records, fifo(capacity), components=components)
    element = pipeline.queue.dequeue()
    with tf.Session() as session:
        pipeline.start(session)
        found = [session.run(element) for _ in range(300)]
        # What others draw is not drawn again.
        other = session.run(drawn[0])
        found += rest_of(session, element)
        pipeline.stop()
    with tf.Session() as session:
        expected = [session.run(drawn) for _ in range(COUNT + 1)]
    assert [record for record, *_ in found] == [b"%d" % i for i in range(COUNT)]
    firsts = [2 * first for first, *_ in expected]
    missing = [i for i, first in enumerate(firsts) if (first == 2 * other).all()]
    assert len(missing) == 1
    del firsts[missing[0]]
    np.testing.assert_array_equal([first for _, first, *_ in found], firsts)
    np.testing.assert_array_equal([row[2] for row in found], [row[1] for row in expected[:-1]])
    np.testing.assert_array_equal([row[3] for row in found], [row[2] for row in expected[:-1]])
    assert together or capacity == 3


def test_a_branch_draws_only_if_it_is_taken(session, records):
    def components(record):
        number = tf.string_to_number(record, tf.int32)
        odd = tf.equal(number % 2, 1)
        return [record, tf.cond(odd, lambda: tf.random_uniform([], seed=1), lambda: -1.0)]

    pipeline = Pipeline(records, fifo(-1), components=components)
    pipeline.start(session)
    numbers = session.run(pipeline.queue.dequeue_many(COUNT))[1]
    pipeline.stop()
    alone = tf.random_uniform([], seed=1)
    assert numbers[::2].tolist() == [-1.0] * (COUNT // 2)
    assert numbers[1::2].tolist() == [session.run(alone) for _ in range(COUNT // 2)]


def test_lines_of_several_files(session, tmp_path, together):
    for name in ("a", "b", "c"):
        lines = [f"{name}{i},{i / 4}" for i in range(100)]
        (tmp_path / name).write_text("\n".join(["name,number", *lines]))
    files = [str(tmp_path / name) for name in ("a", "b", "c")]
    names = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    key, line = tf.TextLineReader(skip_header_lines=1).read(names)
    columns = tf.decode_csv(line, [[""], [0.0]])
    batch = tf.train.batch([key, *columns], 32, capacity=64, allow_smaller_final_batch=True)
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    keys, texts, numbers = (np.concatenate(parts) for parts in zip(*rest_of(session, batch)))
    expected = [(name, i) for name in ("a", "b", "c") for i in range(100)] * 2
    assert keys.tolist() == [f"{tmp_path / name}:{i + 2}".encode() for name, i in expected]
    assert texts.tolist() == [f"{name}{i}".encode() for name, i in expected]
    np.testing.assert_array_equal(numbers, np.float32([i / 4 for _, i in expected]))
    assert together
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)


@pytest.mark.parametrize("threads", (1, 2))
def test_slices_are_enqueued_once_per_epoch(session, together, threads):
    images, labels = np.arange(600, dtype=np.uint8).reshape(200, 3), np.arange(200)
    image, label = tf.train.slice_input_producer([images, labels], num_epochs=3, shuffle=False)
    scaled = tf.cast(image, tf.float32) * 0.5
    batch = tf.train.batch(
        [scaled, label], 32, threads, capacity=64, allow_smaller_final_batch=True
    )
    coordinator = tf.train.Coordinator()
    session.run(tf.local_variables_initializer())
    runners = tf.train.start_queue_runners(session, coordinator)
    found = rest_of(session, batch)
    rows, numbers = (np.concatenate(parts) for parts in zip(*found))
    expected = np.tile(np.arange(200), 3)
    if threads > 1:
        numbers_in_order, expected = np.sort(numbers), np.sort(expected)
    else:
        numbers_in_order = numbers
    np.testing.assert_array_equal(numbers_in_order, expected)
    np.testing.assert_array_equal(rows, images[numbers].astype(np.float32) * 0.5)
    assert together
    coordinator.request_stop()
    coordinator.join(runners, stop_grace_period_secs=20)


def test_threads_do_not_compute_with_the_same_elements(session, together, monkeypatch):
    indices = tf.train.range_input_producer(COUNT, num_epochs=1, shuffle=False)
    batch = tf.train.batch([2 * indices.dequeue()], 50, num_threads=3)
    computing, most = [], []
    results = SeveralRuns._results

    def counted(self, arguments, count):
        computing.append(self)
        most.append(len(computing))
        time.sleep(0.001)
        try:
            return results(self, arguments, count)
        finally:
            computing.remove(self)

    monkeypatch.setattr(SeveralRuns, "_results", counted)
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found = np.concatenate(rest_of(session, batch))
    assert sorted(found) == list(range(0, 2 * COUNT, 2))
    assert together and max(most) == 1
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)


def test_at_most_one_element_is_between_two_queues(session, together):
    numbers = tf.train.range_input_producer(300, shuffle=False, capacity=20)
    source = numbers.dequeue()
    queue = tf.FIFOQueue(50, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([source * 3])]))
    batch, size = queue.dequeue_many(30), queue.size()
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    others, taken = [], []
    for _ in range(60):
        taken += session.run(batch).tolist()
        # What this thread takes is missing among the others: nothing has been taken before it.
        others.append(session.run(source))
        assert session.run(size) <= 50
    while session.run(size) < 50:
        time.sleep(0.001)
    rest = session.run(queue.dequeue_many(50)).tolist()
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)
    found = sorted([number // 3 for number in taken + rest] + [int(number) for number in others])
    counts = np.bincount(found, minlength=300)
    assert counts.max() - counts.min() <= 1
    assert together


def test_queues_that_feed_each_other(session, together):
    first, second = (tf.FIFOQueue(100, [tf.int32], [[]], name=name) for name in ("a", "b"))
    for source, target in ((first, second), (second, first)):
        op = target.enqueue([source.dequeue() + 1])
        tf.train.add_queue_runner(tf.train.QueueRunner(target, [op]))
    session.run(first.enqueue_many([np.zeros(60, np.int32)]))
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    while len(together) < 20:
        time.sleep(0.001)
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)
    # Each thread may have been stopped with an element that it had taken.
    assert 58 <= session.run(first.size()) + session.run(second.size()) <= 60


@pytest.fixture
def pictures(tmp_path):
    """JPEG files of different sizes: their names and contents."""
    rng = np.random.RandomState(0)
    pixels = tf.placeholder(tf.uint8, [None, None, 3])
    encoded = tf.image.encode_jpeg(pixels)
    files = {}
    with tf.Session() as session:
        for i in range(60):
            picture = rng.randint(0, 256, (20 + i % 7, 30 - i % 5, 3))
            path = tmp_path / f"{i:02}.jpg"
            path.write_bytes(session.run(encoded, {pixels: picture}))
            files[str(path)] = path.read_bytes()
    return files


def small(data):
    """A random part of a picture, perhaps flipped, at another size; and whether it is wide."""
    image = tf.image.decode_jpeg(data, channels=3)
    part = tf.random_crop(tf.image.random_flip_left_right(image, seed=2), [15, 20, 3], seed=1)
    return tf.image.resize_images(part, [8, 8]), tf.shape(image)[1] > 28


def run_to_end(session, batch):
    """The batches that queue runners make until the end, joined."""
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found = [np.concatenate(parts) for parts in zip(*rest_of(session, batch))]
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=20)
    return found


@pytest.mark.parametrize("whole", (False, True))
def test_pictures_of_different_sizes(pictures, together, tmp_path, whole):
    if whole:
        files, reader = list(pictures), tf.WholeFileReader()
    else:
        files, reader = [str(tmp_path / "records")], tf.TFRecordReader()
        with tf.python_io.TFRecordWriter(files[0]) as writer:
            for data in pictures.values():
                writer.write(data)
    names = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    key, data = reader.read(names)
    made = [key, *small(data)]
    batch = tf.train.batch(made, 16, capacity=40, allow_smaller_final_batch=True)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    with tf.Session() as session:
        keys, images, wide = run_to_end(session, batch)
        assert together
        assert session.run(counts) == [120, 120 if whole else 2]
    if whole:
        assert keys.tolist() == [name.encode() for name in files] * 2
    fed = tf.placeholder(tf.string, [])
    single = small(fed)
    # The ops have seeds of their own, which count for them alone.
    with tf.Session() as session:
        expected = [session.run(single, {fed: data}) for data in [*pictures.values()] * 2]
    np.testing.assert_array_equal(images, [image for image, _ in expected])
    assert wide.tolist() == [is_wide for _, is_wide in expected]


def cut(data):
    """Random parts of a picture, as programs of the time find them, at another size."""
    image = tf.image.decode_jpeg(data, channels=3)
    size = tf.shape(image)
    checked = tf.Assert(size[0] >= 15, ["too small", size])
    with tf.control_dependencies([checked]):
        top = tf.random_uniform([], maxval=tf.reshape(size[0] - 14, []), dtype=tf.int32, seed=1)
    part = tf.slice(image, [top, 0, 0], [15, 20, 3])
    box = tf.constant([[[0.2, 0.2, 0.9, 0.8]]])
    begin, extent, _ = tf.image.sample_distorted_bounding_box(size, box, seed=2, seed2=3)
    distorted = tf.image.resize_images(tf.slice(image, begin, extent), [8, 8])
    return tf.image.resize_images(part, [8, 8]), tf.reshape(distorted, [8, 8, 3]), begin


def test_parts_whose_places_depend_on_the_picture(pictures, together):
    names = tf.train.string_input_producer(list(pictures), num_epochs=2, shuffle=False)
    made = cut(tf.WholeFileReader().read(names)[1])
    batch = tf.train.batch(made, 16, capacity=40, allow_smaller_final_batch=True)
    with tf.Session() as session:
        found = run_to_end(session, batch)
    assert together
    fed = tf.placeholder(tf.string, [])
    single = cut(fed)
    with tf.Session() as session:
        expected = [session.run(single, {fed: data}) for data in [*pictures.values()] * 2]
    for values, others in zip(found, zip(*expected)):
        np.testing.assert_array_equal(values, others)


def test_a_branch_draws_from_an_input_only_if_it_is_taken(session, records):
    def components(record):
        number = tf.string_to_number(record, tf.int32)
        limit = number + 1000
        drawn = functools.partial(tf.random_uniform, [], 0, limit, tf.int32, seed=1)
        return [record, tf.cond(tf.equal(number % 2, 1), drawn, lambda: -1)]

    pipeline = Pipeline(records, fifo(-1), components=components)
    pipeline.start(session)
    numbers = session.run(pipeline.queue.dequeue_many(COUNT))[1]
    pipeline.stop()
    limit = tf.placeholder(tf.int32, [])
    alone = tf.random_uniform([], 0, limit, tf.int32, seed=1)
    assert numbers[::2].tolist() == [-1] * (COUNT // 2)
    expected = [session.run(alone, {limit: i + 1000}) for i in range(1, COUNT, 2)]
    assert numbers[1::2].tolist() == expected


def test_pictures_before_a_damaged_file_arrive(session, pictures, together):
    files = list(pictures)
    Path(files[41]).write_bytes(b"\xff\xd8\xff damaged")
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    reader = tf.WholeFileReader()
    queue = tf.FIFOQueue(100, [tf.float32, tf.bool], [[8, 8, 3], []])
    enqueue = queue.enqueue(small(reader.read(names)[1]))
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    runner = tf.train.QueueRunner(queue, [enqueue])
    threads = tf.train.start_queue_runners(session, coordinator)
    threads += runner.create_threads(session, coordinator, start=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        coordinator.join(threads, stop_grace_period_secs=20)
    assert session.run(queue.size()) == 41
    assert session.run(reader.num_records_produced()) == 42
    assert together


def test_a_lost_file_ends_the_runs_at_its_place(session, pictures, together):
    files = list(pictures)
    Path(files[30]).unlink()
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    reader = tf.WholeFileReader()
    shape = tf.shape(tf.image.decode_jpeg(reader.read(names)[1]))
    batch = tf.train.batch([shape], 5, capacity=100)
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found = np.concatenate(rest_of(session, batch))
    assert found[:, 0].tolist() == [20 + i % 7 for i in range(30)]
    with pytest.raises(tf.errors.NotFoundError, match=r"30\.jpg"):
        coordinator.join(threads, stop_grace_period_secs=20)
    assert session.run(reader.num_records_produced()) == 30
    assert together
