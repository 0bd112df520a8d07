"""Ops of TPUs and parameters of their embeddings; texts are those of TensorFlow 1.15.5."""

import pytest

import headwater as tf

tpu = tf.contrib.tpu


def test_the_system_is_an_op_that_needs_a_tpu(session):
    start = tf.tpu.initialize_system(job="w")
    assert (start.name, start.dtype, start.shape.as_list()) == (
        "ConfigureDistributedTPU:0",
        tf.string,
        [],
    )
    assert start.op.device == "/job:w/device:TPU_SYSTEM:0"
    stop = tf.tpu.shutdown_system()
    assert (stop.name, stop.device) == ("ShutdownDistributedTPU", "/device:TPU_SYSTEM:0")
    assert tpu.initialize_system is tf.tpu.initialize_system


def test_infeeds_and_outfeeds():
    dequeued = [
        tpu.infeed_dequeue(tf.float32, [2]),
        *tpu.infeed_dequeue_tuple([tf.float32], [[2]]),
        tpu.outfeed_dequeue(tf.float32, [2]),
        *tpu.outfeed_dequeue_tuple([tf.float32], [[2]]),
    ]
    assert [(t.name, t.dtype, t.shape.as_list()) for t in dequeued] == [
        (f"{name}:0", tf.float32, [2])
        for name in ("InfeedDequeue", "InfeedDequeueTuple", "OutfeedDequeue", "OutfeedDequeueTuple")
    ]
    sent = tpu.infeed_enqueue_tuple([tf.zeros([2])], [[2]])
    assert sent.get_attr("device_ordinal") == -1 and sent.get_attr("layouts") == []
    assert tpu.infeed_enqueue(tf.zeros([2])).get_attr("shape").dim == sent.get_attr("layouts")
    assert [tpu.outfeed_enqueue(1.0).type, tpu.outfeed_enqueue_tuple([1.0]).type] == [
        "OutfeedEnqueue",
        "OutfeedEnqueueTuple",
    ]
    with pytest.raises(TypeError, match="'string'> is not a supported TPU infeed type"):
        tpu.infeed_dequeue_tuple([tf.string], [[2]])


def test_a_run_without_tpu_fails(session):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="No OpKernel was registered to support Op 'InfeedDeq"
    ):
        session.run(tpu.infeed_dequeue(tf.float32, [2]))
    for op in (tf.tpu.initialize_system(), tf.tpu.shutdown_system()):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(op)


def test_parameters_of_optimizers():
    experimental = tf.tpu.experimental
    assert vars(experimental.AdagradParameters(0.1)) == {
        "learning_rate": 0.1,
        "use_gradient_accumulation": True,
        "clip_weight_min": None,
        "clip_weight_max": None,
        "initial_accumulator": 0.1,
    }
    descent = experimental.StochasticGradientDescentParameters(0.1, clip_weight_min=-1.0)
    assert (descent.use_gradient_accumulation, descent.clip_weight_min) == (False, -1.0)
    assert experimental.AdamParameters(0.1).beta2 == 0.999
    for changes, text in (
        ({"beta1": -1}, r"beta1 must be between 0\. and 1; got -1\."),
        ({"beta2": 2}, r"beta2 must be between 0\. and 1; got 2\."),
        ({"epsilon": 0}, r"epsilon must be positive; got 0\."),
        ({"lazy_adam": False, "use_gradient_accumulation": False}, "When disabling Lazy Adam"),
    ):
        with pytest.raises(ValueError, match=text):
            experimental.AdamParameters(0.1, **changes)
    with pytest.raises(ValueError, match="initial_accumulator must be positive"):
        experimental.AdagradParameters(0.1, initial_accumulator=-1)
