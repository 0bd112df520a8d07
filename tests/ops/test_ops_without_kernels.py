"""Ops that graphs hold and no CPU runs: signatures are those of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf


def quantized(dtype):
    return tf.placeholder(dtype, [2, 2])


CALLS = {
    "Prelinearize": lambda: tf.raw_ops.Prelinearize(input=[1.0, 2.0]),
    "TPUOrdinalSelector": lambda: tf.raw_ops.TPUOrdinalSelector(),
    "RetrieveTPUEmbeddingADAMParameters": lambda: (
        tf.raw_ops.RetrieveTPUEmbeddingADAMParameters(num_shards=1, shard_id=0).velocities
    ),
    "LoadTPUEmbeddingAdagradParameters": lambda: tf.raw_ops.LoadTPUEmbeddingAdagradParameters(
        parameters=[1.0], accumulators=[2.0], num_shards=1, shard_id=0
    ),
    "CollectivePermute": lambda: tf.raw_ops.CollectivePermute(
        input=[1.0], source_target_pairs=[[0, 0]]
    ),
    "RequantizationRangePerChannel": lambda: (
        tf.raw_ops.RequantizationRangePerChannel(
            input=tf.quantize([1.0], 0.0, 1.0, tf.qint32).output,
            input_min=[0.0],
            input_max=[1.0],
            clip_value_max=1.0,
        ).output_min
    ),
}


@pytest.mark.parametrize("op_type", CALLS)
def test_a_run_says_that_there_is_no_kernel(session, op_type):
    made = CALLS[op_type]()
    text = f"^No OpKernel was registered to support Op '{op_type}' used by node {op_type}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(made)


def test_types_of_fused_ops():
    found = tf.raw_ops.QuantizedMatMulWithBias(
        a=quantized(tf.quint8),
        b=quantized(tf.qint8),
        bias=[1.0, 1.0],
        min_a=0.0,
        max_a=1.0,
        min_b=0.0,
        max_b=1.0,
    )
    assert [x.dtype for x in found] == [tf.qint32, tf.float32, tf.float32]
    assert found.out.op.get_attr("input_quant_mode") == b"MIN_FIRST"


def test_gradients_of_exchanges_go_back():
    x = tf.placeholder(tf.float32, [4, 2])
    exchanged = tf.raw_ops.AllToAll(
        input=x, group_assignment=[[0, 1]], concat_dimension=0, split_dimension=1, split_count=2
    )
    back = tf.gradients(exchanged, x)[0].op
    assert (back.get_attr("concat_dimension"), back.get_attr("split_dimension")) == (1, 0)
    moved = tf.raw_ops.CollectivePermute(input=x, source_target_pairs=[[0, 1], [2, 3]])
    pairs = tf.gradients(moved, x)[0].op.inputs[1]
    with tf.Session() as session:
        assert session.run(pairs).tolist() == [[1, 0], [3, 2]]
