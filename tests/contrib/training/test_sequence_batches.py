"""Batches of segments of sequences; values, names and errors are those of TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf

training = tf.contrib.training


def saver(**changes):
    """A saver of one sequence of 3 steps, padded to 4, in segments of 2."""
    arguments = {
        "batch_size": 2,
        "num_unroll": 2,
        "input_length": tf.constant(3),
        "input_key": tf.constant("k"),
        "input_sequences": {"s": tf.zeros([4, 2])},
        "input_context": {"c": tf.zeros([3])},
        "initial_states": {"h": tf.zeros([5])},
    }
    return training.SequenceQueueingStateSaver(**{**arguments, **changes})


def test_names_and_shapes():
    state_saver = saver()
    batch = state_saver.next_batch
    assert (state_saver.name, state_saver.barrier.name, state_saver.batch_size) == (
        "InputQueueingStateSaver/",
        "InputQueueingStateSaver/barrier",
        2,
    )
    assert state_saver.prefetch_op.name == "InputQueueingStateSaver/StateSaverPrefetchGroup"
    assert batch is state_saver.next_batch and state_saver.num_unroll == 2
    assert batch.sequences["s"].shape.as_list() == [2, 2, 2]
    assert batch.context["c"].name == "InputQueueingStateSaver/BarrierTakeMany:8"
    state = batch.state("h")
    assert (state.name, state.shape.as_list()) == ("InputQueueingStateSaver/Identity_1:0", [2, 5])
    saved = batch.save_state("h", tf.zeros([2, 5]), name="foo")
    assert saved.name == "foo/BarrierInsertState_h" and saved.get_attr("component_index") == 7
    assert state_saver.close().name == "SQSSClose"


@pytest.mark.parametrize(
    ("changes", "kind", "text"),
    [
        ({"input_sequences": {}}, ValueError, "must have at least one sequence tensor"),
        ({"initial_states": {}}, ValueError, "initial_states may not be empty"),
        ({"initial_states": 3}, TypeError, "initial_states must be a dictionary"),
        ({"input_context": {3: 1.0}}, TypeError, "context key must be string: 3"),
        ({"input_length": [1, 2]}, ValueError, r"Rank check failed .* must have rank 0"),
        ({"input_length": 3.0}, TypeError, "length dtype must be int32, but received: <dtype: 'f"),
        ({"input_key": 3}, TypeError, "key dtype must be string, but received: <dtype: 'int32'>"),
        ({"num_unroll": 0}, ValueError, "Empty tensors are not supported"),
        ({"input_sequences": {"s": np.float32(1)}}, ValueError, "slice index 0 of dimension 0"),
    ],
)
def test_arguments_that_do_not_fit(changes, kind, text):
    with pytest.raises(kind, match=text):
        saver(**changes)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("input_sequences", r"Shape for sequence x is not fully defined \(ignoring first"),
        ("input_context", "Shape for context x is not fully defined : <unknown>"),
        ("initial_states", "Shape for state x is not fully defined : <unknown>"),
    ],
)
def test_shapes_are_known(argument, text):
    with pytest.raises(ValueError, match=text):
        saver(**{argument: {"x": tf.placeholder(tf.float32)}})


def test_states_that_cannot_be_saved():
    batch = saver().next_batch
    with pytest.raises(KeyError, match="state was not declared: x"):
        batch.save_state("x", 1.0)
    with pytest.raises(KeyError, match="x"):
        batch.state("x")
    with pytest.raises(ValueError, match=r"Shapes \(2, 6\) and \(2, 5\) are not compatible"):
        batch.save_state("h", tf.zeros([2, 6]))
    with pytest.raises(ValueError, match=r"Shape \(5,\) must have rank 2"):
        batch.save_state("h", tf.zeros([5]))
    with pytest.raises(TypeError, match="state_saver must be a SequenceQueueingStateSaver"):
        training.NextQueuedSequenceBatch(3)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"input_sequences": {"s": [[1.0]] * 5}}, "should be a multiple of: 2, but saw value: 5"),
        ({"input_length": 5}, "Input length should be <= than length from sequences"),
    ],
)
def test_lengths_are_checked_in_the_run(session, changes, text):
    fed = {key: tf.placeholder_with_default(value, None) for key, value in changes.items()
           if key == "input_length"}  # fmt: skip
    if "input_sequences" in changes:
        rows = tf.placeholder_with_default(changes["input_sequences"]["s"], [None, 1])
        fed = {"input_sequences": {"s": rows}}
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(saver(**fed).prefetch_op)


def lengths(*values):
    queue = tf.train.input_producer(tf.constant(values), num_epochs=1, shuffle=False, capacity=1)
    return queue.dequeue()


def batches(session, fetches):
    """What the batches are until the input ends."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append(session.run(fetches))
    coordinator.request_stop()
    coordinator.join(threads)
    return found


def test_states_go_from_segment_to_segment(session):
    length = lengths(2, 5, 3)
    x = tf.cast(tf.range(length), tf.float32)
    batch = training.batch_sequences_with_states(
        tf.as_string(length), {"x": x}, {"n": length}, length, {"h": tf.constant([0.0])}, 2, 2,
        num_threads=1, capacity=10,
    )  # fmt: skip
    state = batch.state("h") + tf.reduce_sum(batch.sequences["x"], 1, keepdims=True)
    saved = batch.save_state("h", state)
    found = batches(
        session, [batch.key, batch.length, batch.sequences["x"], batch.context["n"], state, saved]
    )
    # Which segments are in a batch depends on the threads; what is in them does not.
    rows = sorted(
        (key, int(length), x.tolist(), int(n), float(total))
        for keys, lengths_, xs, ns, totals, _ in found
        for key, length, x, n, total in zip(keys, lengths_, xs, ns, totals[:, 0])
    )
    assert rows == [
        (b"00000_of_00001:2", 2, [0.0, 1.0], 2, 1.0),
        (b"00000_of_00002:3", 2, [0.0, 1.0], 3, 1.0),
        (b"00000_of_00003:5", 2, [0.0, 1.0], 5, 1.0),
        (b"00001_of_00002:3", 1, [2.0, 0.0], 3, 3.0),
        (b"00001_of_00003:5", 2, [2.0, 3.0], 5, 6.0),
        (b"00002_of_00003:5", 1, [4.0, 0.0], 5, 10.0),
    ]


def test_sparse_tensors(session):
    length = lengths(3, 2)
    steps = tf.cast(tf.range(length), tf.int64)
    x = tf.SparseTensor(tf.stack([steps, steps], 1), steps + 10, tf.stack([steps[-1] + 1, 4]))
    context = tf.SparseTensor([[1]], tf.expand_dims(length, 0), [6])
    batch = training.batch_sequences_with_states(
        tf.as_string(length), {"x": x}, {"c": context}, length, {"h": tf.zeros([1])}, 2, 1,
        num_threads=1, make_keys_unique=True, make_keys_unique_seed=1,
    )  # fmt: skip
    saved = batch.save_state("h", batch.state("h"))
    found = batches(session, [batch.key, batch.sequences["x"], batch.context["c"], saved])
    rows = sorted((key[0][:16], x, c) for key, x, c, _ in found)
    assert [key for key, *_ in rows] == [
        b"00000_of_00001:2",
        b"00000_of_00002:3",
        b"00001_of_00002:3",
    ]
    _, x, c = rows[2]
    assert x.indices.tolist() == [[0, 0, 2]] and x.values.tolist() == [12]
    assert x.dense_shape.tolist() == [1, 2, 4]
    assert c.indices.tolist() == [[0, 1]] and c.values.tolist() == [3]
    assert c.dense_shape.tolist() == [1, 6]


def test_a_runner_fills_the_saver():
    sequences = {"s": tf.zeros([3, 2])}
    state = {"h": tf.zeros([5])}
    batch = training.batch_sequences_with_states("k", sequences, {}, None, state, 2, 2)
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert runner.name == "batch_sequences_with_states/InputQueueingStateSaver/"
    assert len(runner.enqueue_ops) == 3
    assert batch.key.shape.as_list() == [None]
    with pytest.raises(ValueError, match="Cannot reshape a tensor with 6 elements"):
        training.batch_sequences_with_states("k", sequences, {}, 3, state, 2, 2, pad=False)
