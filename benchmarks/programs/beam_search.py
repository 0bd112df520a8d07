"""Beam search: 5 beams, 20 steps, an LSTM of 128 with attention, batch 16, 5,000 words."""

import numpy as np
import timing
import tensorflow as tf

BATCH, BEAMS, SIZE, WORDS, SOURCE, STEPS = 16, 5, 128, 5000, 20, 20

seq2seq = tf.contrib.seq2seq
encoded = tf.placeholder(tf.float32, [BATCH, SOURCE, SIZE])
with tf.variable_scope("model", initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=1)):
    table = tf.get_variable("table", [WORDS, SIZE])
    memory = seq2seq.tile_batch(encoded, BEAMS)
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(SIZE), seq2seq.LuongAttention(SIZE, memory), SIZE
    )
    decoder = seq2seq.BeamSearchDecoder(
        cell,
        table,
        start_tokens=tf.fill([BATCH], 0),
        end_token=1,
        initial_state=cell.zero_state(BATCH * BEAMS, tf.float32),
        beam_width=BEAMS,
        output_layer=tf.layers.Dense(WORDS, use_bias=False),
        length_penalty_weight=0.6,
    )
    outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=STEPS)

feed = {encoded: np.random.RandomState(0).randn(BATCH, SOURCE, SIZE).astype(np.float32)}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(outputs.predicted_ids, feed),
        check=lambda: np.mean(session.run(outputs.beam_search_decoder_output.scores, feed)),
    )
