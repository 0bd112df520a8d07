"""Training with tf.contrib.model_pruning."""

import numpy as np

import headwater as tf


def test_train_updates_the_masks_after_steps(tmp_path, rng):
    pruning = tf.contrib.model_pruning
    inputs = tf.constant(rng.standard_normal((32, 6)), tf.float32)
    outputs = pruning.masked_fully_connected(
        inputs, 1, activation_fn=None, weights_initializer=tf.zeros_initializer()
    )
    loss = tf.losses.mean_squared_error(tf.reduce_sum(inputs[:, :2], 1, keepdims=True), outputs)
    step = tf.train.get_or_create_global_step()
    hparams = pruning.get_pruning_hparams()
    # Pruning begins when training has found the two weights that count.
    hparams.parse("target_sparsity=0.5,pruning_frequency=5,begin_pruning_step=30")
    hparams.parse("sparsity_function_begin_step=30,sparsity_function_end_step=40")
    made = pruning.Pruning(hparams, global_step=step)
    train_op = tf.contrib.slim.learning.create_train_op(
        loss, tf.train.GradientDescentOptimizer(0.1)
    )
    update = made.conditional_mask_update_op()
    sparsity, saver = pruning.get_weight_sparsity()[0], tf.train.Saver()
    pruning.train(train_op, str(tmp_path), update, number_of_steps=60, log_every_n_steps=0)
    with tf.Session() as session:
        saver.restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        masked, zeros = session.run([pruning.get_masked_weights()[0], sparsity])
    assert zeros == 0.5
    assert np.flatnonzero(masked).tolist()[:2] == [0, 1]


def test_a_projected_masked_cell_has_a_mask_of_its_kernel():
    cell = tf.contrib.model_pruning.MaskedLSTMCell(3, num_proj=2)
    output, _ = cell(tf.zeros([2, 4]), cell.zero_state(2, tf.float32))
    shapes = {v.op.name: v.shape.as_list() for v in cell.variables}
    assert output.shape == (2, 2)
    assert shapes["masked_lstm_cell/mask"] == shapes["masked_lstm_cell/kernel"] == [6, 12]
