"""A training step of translation: two layers of GRU, attention, 10 words to 15 of 2,000 words."""

import numpy as np
import timing
import tensorflow as tf

WORDS, SIZE, LAYERS, BATCH, SAMPLES = 2000, 128, 2, 32, 256
SOURCE, TARGET = 10, 15

random = np.random.RandomState(0)
sequences = tf.contrib.legacy_seq2seq
encoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(SOURCE)]
decoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(TARGET + 1)]
weights = [tf.placeholder(tf.float32, [None]) for _ in range(TARGET)]
sources = random.randint(0, WORDS, (SOURCE, BATCH)).astype(np.int32)
outputs = random.randint(0, WORDS, (TARGET + 1, BATCH)).astype(np.int32)
feed = dict(zip(encoder_inputs, sources))
feed.update(zip(decoder_inputs, outputs))
feed.update((weight, np.ones(BATCH, np.float32)) for weight in weights)


def sampled_loss(labels, logits):
    labels = tf.reshape(labels, [-1, 1])
    return tf.nn.sampled_softmax_loss(
        projection, biases, labels, logits, num_sampled=SAMPLES, num_classes=WORDS
    )


def model(inputs, symbols):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(SIZE) for _ in range(LAYERS)])
    return sequences.embedding_attention_seq2seq(
        inputs,
        symbols,
        cell,
        num_encoder_symbols=WORDS,
        num_decoder_symbols=WORDS,
        embedding_size=SIZE,
        output_projection=(tf.transpose(projection), biases),
    )


tf.set_random_seed(1)
with tf.variable_scope("model", initializer=tf.random_uniform_initializer(-0.1, 0.1)):
    projection = tf.get_variable("proj_w", [WORDS, SIZE])
    biases = tf.get_variable("proj_b", [WORDS])
    _, losses = sequences.model_with_buckets(
        encoder_inputs,
        decoder_inputs[:-1],
        decoder_inputs[1:],
        weights,
        [(SOURCE, TARGET)],
        model,
        softmax_loss_function=sampled_loss,
    )
loss = losses[0]
variables = tf.trainable_variables()
gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
train_step = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(gradients, variables))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, feed),
        check=lambda: session.run(loss, feed),
    )
