"""A differentiable neural computer, unrolled over 20 steps: 200 training steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(0)
steps, slots, width, readers, size, batch, inputs = 20, 16, 10, 2, 64, 8, 8


def linear(name, x, outputs):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        shape = [x.shape[1].value, outputs]
        w = tf.get_variable("w", shape, initializer=tf.random_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", [outputs], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def by_content(memory, key, sharpness):
    memory, key = tf.nn.l2_normalize(memory, 2), tf.nn.l2_normalize(key, 1)
    similarity = tf.squeeze(tf.matmul(memory, tf.expand_dims(key, 2)), 2)
    return tf.nn.softmax(similarity * sharpness)


class Interface:
    """The outputs of the controller, one slice after the other."""

    def __init__(self, values):
        self.values, self.used = values, 0

    def take(self, count):
        self.used += count
        return self.values[:, self.used - count : self.used]


x = tf.placeholder(tf.float32, [batch, steps, inputs])
y = tf.placeholder(tf.float32, [batch, steps, inputs])
cell = tf.nn.rnn_cell.BasicLSTMCell(size)
state = cell.zero_state(batch, tf.float32)
memory = tf.fill([batch, slots, width], 1e-6)
usage, precedence = tf.zeros([batch, slots]), tf.zeros([batch, slots])
links = tf.zeros([batch, slots, slots])
read_weights, write_weights = (
    [tf.fill([batch, slots], 1e-6)] * readers,
    tf.fill([batch, slots], 1e-6),
)
reads = [tf.fill([batch, width], 1e-6)] * readers
answers = []
for step in range(steps):
    with tf.variable_scope("controller", reuse=step > 0):
        hidden, state = cell(tf.concat([x[:, step]] + reads, 1), state)
    count = readers * width + 3 * width + 5 * readers + 3
    interface = Interface(linear("interface", hidden, count))
    read_keys = [interface.take(width) for _ in range(readers)]
    read_sharpness = 1 + tf.nn.softplus(interface.take(readers))
    write_key, write_sharpness = interface.take(width), 1 + tf.nn.softplus(interface.take(1))
    erased, written = tf.sigmoid(interface.take(width)), interface.take(width)
    free = tf.sigmoid(interface.take(readers))
    allocation_gate, write_gate = tf.sigmoid(interface.take(1)), tf.sigmoid(interface.take(1))
    modes = tf.nn.softmax(tf.reshape(interface.take(3 * readers), [batch, readers, 3]))

    kept = [1 - free[:, r : r + 1] * read_weights[r] for r in range(readers)]
    retention = tf.reduce_prod(tf.stack(kept), 0)
    usage = (usage + write_weights - usage * write_weights) * retention
    negative, order = tf.nn.top_k(-usage, slots)
    unused = (1 + negative) * tf.cumprod(-negative, axis=1, exclusive=True)
    allocation = tf.reduce_sum(tf.one_hot(order, slots) * tf.expand_dims(unused, 2), 1)
    content = by_content(memory, write_key, write_sharpness)
    mixed = allocation_gate * allocation + (1 - allocation_gate) * content
    write_weights = write_gate * mixed
    column = tf.expand_dims(write_weights, 2)
    memory *= 1 - tf.matmul(column, tf.expand_dims(erased, 1))
    memory += tf.matmul(column, tf.expand_dims(written, 1))
    row = tf.expand_dims(write_weights, 1)
    links = (1 - column - row) * links + column * tf.expand_dims(precedence, 1)
    links *= 1 - tf.eye(slots)
    precedence *= 1 - tf.reduce_sum(write_weights, 1, keepdims=True)
    precedence += write_weights
    for r in range(readers):
        before = tf.expand_dims(read_weights[r], 2)
        forward = tf.squeeze(tf.matmul(links, before), 2)
        backward = tf.squeeze(tf.matmul(links, before, transpose_a=True), 2)
        content = by_content(memory, read_keys[r], read_sharpness[:, r : r + 1])
        parts = [modes[:, r, i : i + 1] * w for i, w in enumerate((backward, content, forward))]
        read_weights = read_weights[:r] + [tf.add_n(parts)] + read_weights[r + 1 :]
        found = tf.matmul(memory, tf.expand_dims(read_weights[r], 2), transpose_a=True)
        reads = reads[:r] + [tf.squeeze(found, 2)] + reads[r + 1 :]
    answers.append(linear("direct", hidden, inputs) + linear("read", tf.concat(reads, 1), inputs))
logits = tf.stack(answers, 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=y))
optimizer = tf.train.RMSPropOptimizer(1e-3, momentum=0.9)
gradients = [(tf.clip_by_value(g, -10, 10), v) for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(gradients)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(200):
        data = (random.rand(batch, steps, inputs) > 0.5).astype(np.float32)
        value, _ = session.run([loss, train], {x: data, y: np.roll(data, 1, 1)})
    print(f"result {value:.6f}")
