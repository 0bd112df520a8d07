"""Private helpers of cells and loops that programs use."""

# case: one step within lengths
from tensorflow.python.ops import rnn

cell = tf.nn.rnn_cell.GRUCell(2)
lengths = tf.constant([1, 2, 3])
bounds = tf.reduce_min(lengths), tf.reduce_max(lengths)
zero = tf.zeros([3, 2])
show(rnn._rnn_step(tf.constant(1), lengths, *bounds, zero, tf.ones([3, 2]), lambda: cell(tf.ones([3, 4]), tf.ones([3, 2])), 2))
show(rnn._rnn_step(tf.constant(1), lengths, *bounds, zero, tf.ones([3, 2]), lambda: cell(tf.ones([3, 4]), tf.ones([3, 2])), 2, skip_conditionals=True))
nodes()

# case: the loop of a network
from tensorflow.python.ops import rnn

cell = tf.nn.rnn_cell.LSTMCell(3)
show(rnn._dynamic_rnn_loop(cell, tf.placeholder(tf.float32, [None, 2, 4]), cell.zero_state(2, tf.float32), 32, False))
print(rnn._should_cache(), rnn._maybe_tensor_shape_from_tensor(tf.constant([1, 2])), rnn._maybe_tensor_shape_from_tensor([3]))

# case: objects that are not cells
from tensorflow.python.ops import rnn_cell_impl

try:
    rnn_cell_impl.assert_like_rnncell("cell", 3)
except TypeError as error:
    print(rnn_cell_impl.ASSERT_LIKE_RNNCELL_ERROR_REGEXP in str(error))

# case: cells of integers
for make in (tf.nn.rnn_cell.BasicRNNCell, tf.nn.rnn_cell.GRUCell, tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell):
    for dtype in (tf.int32, None):
        try:
            make(2, dtype=dtype)(tf.zeros([3, 4], tf.int32), make(2).zero_state(3, tf.int32))
        except ValueError as error:
            print(error)
