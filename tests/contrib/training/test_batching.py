"""Bucketing, sampling and resampling. Values are those of TensorFlow 1.15.5 for the same seeds."""

import numpy as np
import pytest

import headwater as tf

training = tf.contrib.training


def all_runs(fetches, limit=50):
    """The values of runs until the input ends."""
    values = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while len(values) < limit:
                values.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
    return values


def numbers(count):
    return tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def test_examples_of_a_bucket_make_batches():
    number = numbers(20)
    batches = training.bucket(
        [number, tf.as_string(number)], number % 3, 3, 3, allow_smaller_final_batch=True
    )
    by_bucket = {0: [], 1: [], 2: []}
    for which, (values, texts) in all_runs(batches):
        assert [int(text) for text in texts] == values.tolist()
        assert len(values) == 3 or max(values) >= 18
        by_bucket[which].extend(values.tolist())
    assert by_bucket == {i: list(range(i, 20, 3)) for i in range(3)}


def test_sparse_examples_are_bucketed_and_unwanted_ones_left_out():
    number = numbers(12)
    example = {"s": tf.SparseTensor(tf.cast([[number % 4]], tf.int64), [number], [4])}
    batches = training.bucket(example, number % 2, [2, 3], 2, keep_input=tf.less(number, 9))
    found = sorted((int(which), batch["s"].values.tolist()) for which, batch in all_runs(batches))
    assert found == [(0, [0, 2]), (0, [4, 6]), (1, [1, 3, 5])]


def test_sequences_of_similar_length_are_padded():
    number = numbers(12)
    lengths, batch = training.bucket_by_sequence_length(
        number + 1, [tf.range(number + 1)], 2, [4, 8], dynamic_pad=True
    )
    found = sorted((n.tolist(), rows[0].shape) for n, rows in all_runs([lengths, batch]))
    assert found == [
        ([1, 2], (2, 2)), ([4, 5], (2, 5)), ([6, 7], (2, 7)), ([8, 9], (2, 9)), ([10, 11], (2, 11)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "boundaries, error, message",
    [
        ([], ValueError, "bucket_boundaries must not be empty"),
        ([3, 2], ValueError, "sequential increasing lengths, but saw: 3 before 2"),
        (5, TypeError, "bucket_boundaries must be a list or tuple, but received: 5"),
        ([1.5, 2], TypeError, "bucket boundaries must be integers, but saw: 1.5 and 2"),
    ],
)
def test_boundaries_are_checked(boundaries, error, message):
    with pytest.raises(error, match=message):
        training.bucket_by_sequence_length(tf.constant(1), [tf.zeros([])], 4, boundaries)


def test_arguments_of_bucket_are_checked():
    which, example = tf.constant(1), tf.zeros([])
    with pytest.raises(ValueError, match="Expected at least one tensor in bucket"):
        training.bucket([], which, 4, 3)
    with pytest.raises(ValueError, match="batch_size is a list it must have num_buckets elements"):
        training.bucket([example], which, [4, 5], 3)
    with pytest.raises(ValueError, match=r"bucket_capacities \(\[1, 2\]\) must have exactly"):
        training.bucket([example], which, 4, 3, bucket_capacities=[1, 2])


def test_accepted_examples_are_those_of_tensorflow():
    tf.set_random_seed(7)
    number = tf.random_uniform([], seed=3)
    batch = training.rejection_sample([number], lambda tensors: tensors[0], 5)
    np.testing.assert_allclose(
        all_runs(batch, limit=2),
        [
            [[0.40109, 0.57074, 0.56339, 0.46913, 0.58752]],
            [[0.86554, 0.61415, 0.88733, 0.68263, 0.66778]],
        ],
        atol=1e-5,
    )


def test_probabilities_are_checked_at_run_time():
    batch = training.rejection_sample(
        [tf.zeros([4, 2]), tf.zeros([4])], lambda tensors: tf.reduce_sum(tensors[0]) + 1.5, 8,
        enqueue_many=True, runtime_checks=True,
    )  # fmt: skip
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batch)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x <= y"):
            coordinator.join(threads)


def test_classes_come_as_often_as_wanted():
    tf.set_random_seed(7)
    label = tf.cast(tf.random_uniform([], seed=5) * 4, tf.int32)
    values, labels = training.stratified_sample(
        [tf.cast(label, tf.float32) * 2], label, [0.1, 0.2, 0.3, 0.4], 8, [0.25] * 4
    )
    found = all_runs([values[0], labels], limit=2)
    assert found[0][1].tolist() == [3, 3, 3, 0, 3, 3, 3, 3]
    assert found[1][1].tolist() == [2, 2, 2, 3, 0, 3, 1, 3]
    assert found[1][0].tolist() == [4, 4, 4, 6, 0, 6, 2, 6]


def test_class_frequencies_are_counted():
    label = tf.cast(tf.random_uniform([50], seed=5) * 4, tf.int32)
    _, labels = training.stratified_sample(
        [tf.zeros([50])], label, [0.1, 0, 0.3, 0.6], 1000, enqueue_many=True
    )
    counts = np.bincount(all_runs(labels, limit=1)[0], minlength=4) / 1000
    np.testing.assert_allclose(counts, [0.1, 0, 0.3, 0.6], atol=0.06)


def test_probabilities_of_classes_are_checked():
    example, label = [tf.zeros([3])], tf.constant(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x >= 0 did not hold"):
        training.stratified_sample(example, label, [0.5, -0.6], 4)
    with pytest.raises(ValueError, match="Probability parameters must have the same length"):
        training.stratified_sample(example, label, [0.5, 0.5], 4, init_probs=[0.2, 0.2, 0.6])
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank 1"):
        training.stratified_sample(example, label, [[0.5, 0.5]], 4)


def test_rows_are_repeated_as_in_tensorflow():
    tf.set_random_seed(7)
    first, second = training.resample_at_rate(
        [tf.range(5), tf.range(5) * 10], tf.constant([0.0, 1.0, 2.0, 0.5, 3.0]), seed=4
    )
    (third,), rates = training.weighted_resample(
        [tf.range(5)], tf.constant([1.0, 1.0, 2.0, 0.5, 3.0]), 1.3, seed=4
    )
    runs = all_runs([first, second, third, rates], limit=2)
    assert runs[0][0].tolist() == [1, 1, 2, 2, 2, 4, 4, 4]
    assert runs[0][1].tolist() == [10, 10, 20, 20, 20, 40, 40, 40]
    assert runs[0][2].tolist() == [1, 1, 2, 2, 4, 4, 4]
    np.testing.assert_allclose(runs[0][3][[0, 2, 4]], [0.866655, 1.733311, 2.599967], rtol=1e-5)
    assert runs[1][2].tolist() == [0, 0, 0, 4, 4, 4, 4, 4]


def test_no_rows_are_left_at_rate_zero():
    (rows,) = training.resample_at_rate([tf.range(3)], tf.zeros([3]))
    assert all_runs(rows, limit=1)[0].tolist() == []


def test_variables_are_spread_over_servers():
    ops = [tf.zeros([], name=f"v{i}").op for i in range(6)]
    assert [training.RandomStrategy(7)(op) for op in ops] == [1, 6, 3, 2, 6, 2]
    sizes = [tf.zeros([n]).op for n in (10, 2, 3, 7)]
    strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    assert [strategy(op) for op in sizes] == [0, 1, 1, 1]
    assert training.byte_size_load_fn(sizes[0]) == 40
    with pytest.raises(ValueError, match="is not fully defined"):
        training.byte_size_load_fn(tf.placeholder(tf.float32).op)


def test_failures_are_tolerated_until_there_are_too_many():
    tolerator = training.FailureTolerator(limit=3, init_delay=0.001)
    outcomes = []
    for _ in range(4):
        try:
            with tolerator.forgive():
                raise tf.errors.AbortedError(None, None, "restarted")
            outcomes.append("forgiven")
        except tf.errors.AbortedError:
            outcomes.append("raised")
    assert outcomes == ["forgiven", "forgiven", "raised", "raised"]
    assert tolerator.time_in_delay == pytest.approx(0.001 + 0.002 + 0.004)
    with pytest.raises(tf.errors.NotFoundError), tolerator.forgive():
        raise tf.errors.NotFoundError(None, None, "another")
