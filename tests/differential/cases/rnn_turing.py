"""NTMCell, which exists in an internal module only."""

# case: the nodes of one step
from tensorflow.contrib.rnn.python.ops import rnn_cell

controller = tf.nn.rnn_cell.BasicRNNCell(5, name="controller")
cell = rnn_cell.NTMCell(controller, 6, 3, read_head_num=2, write_head_num=1, shift_range=2, output_dim=4)
print(cell.state_size, cell.output_size)
output, state = cell(tf.placeholder(tf.float32, [2, 3], name="x"), cell.zero_state(2, tf.float32))
show(output, state)
nodes()

# case: values of steps and of a loop
from tensorflow.contrib.rnn.python.ops import rnn_cell

tf.set_random_seed(3)
cell = rnn_cell.NTMCell(tf.nn.rnn_cell.LSTMCell(5), 6, 3, read_head_num=1, write_head_num=2)
x = tf.constant(np.sin(np.arange(24.0)).reshape(4, 2, 3), tf.float32)
state = cell.zero_state(2, tf.float32)
outputs = []
for step in range(4):
    output, state = cell(x[step], state)
    outputs.append(output)
looped, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, time_major=True)
loss = tf.reduce_sum(tf.square(outputs))
grads = tf.gradients(loss, tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show([np.round(v, 4) for v in session.run([outputs[-1], looped, state.M])])
    show([np.round(np.abs(v).sum(), 2) for v in session.run(grads)])

# case: inputs of unknown size
from tensorflow.contrib.rnn.python.ops import rnn_cell

cell = rnn_cell.NTMCell(tf.nn.rnn_cell.GRUCell(5), 6, 3, 1, 1)
cell(tf.placeholder(tf.float32, [2, None]), cell.zero_state(2, tf.float32))
